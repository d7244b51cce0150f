import { randomBytes, randomUUID } from 'node:crypto';
import type { Keys } from '../../../core/ports.ts';
import type { KeyNamespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { AccountStore } from '../store/accounts.ts';
import { MAIN_SEED } from '../store/seeds.ts';
import { itemsOf } from './items.ts';
import { createAccountKeeper, walletAccount, type AccountKeeper } from './account-keeper.ts';
import { createSeed, derivationPath, derivePrivateKey } from './derive.ts';
import type { Gate } from './gate.ts';
import { createLedgerKeys, type LedgerKeys } from './ledger-keys.ts';
import { parseMnemonic } from './mnemonic.ts';
import type { Attempts } from './passphrase.ts';
import { createSealer, type Sealer } from './sealer.ts';
import { createSecretViewer, type SecretViewer } from './secret-viewer.ts';
import type { SecretItem } from './secret-store.ts';
import { addressAt, itemOf, keyNamespace, missingItem, requireOwnAddresses, SEED_LABELS, SEED_NAMESPACES, seedItem, wordCount } from './seed-accounts.ts';

/** The wallet's keys with what the owner may do to them. */
export interface Wallet extends Keys, AccountKeeper, SecretViewer {
  readonly backend: 'keychain' | 'vault';
  readonly passphraseBeside: boolean;
  readonly passphraseSet: boolean;
  /** True where the keychain's items also lie under the owner's passphrase. */
  readonly sealed: boolean;
  /** Puts the keychain's items also under the owner's passphrase. Throws `FORBIDDEN` for a vault, `PASSPHRASE_WRONG`, `PASSPHRASE_BUSY`, `WALLET_LOCKED`. */
  seal(passphrase: string): Promise<void>;
  /** Encrypts what the database keeps of other people's secrets. */
  readonly sealer: Sealer;
  /** Keys of the ledger's MACs, and what is kept of the ledger beside the keys. */
  readonly ledger: LedgerKeys;
  /**
   * The owner's first passphrase; the keys are made with it where they wait for it. `words` of an earlier wallet become its seed then; where
   * keys are here already they come beside them, and accounts of these that never paid are hidden: nothing is replaced. Throws `FORBIDDEN`
   * when a passphrase is set, `MNEMONIC_INVALID`, `MNEMONIC_CHECKSUM`; nothing is set then.
   */
  setPassphrase(passphrase: string, options?: { readonly words?: string | undefined }): Promise<void>;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`. */
  verifyPassphrase(passphrase: string): Promise<void>;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`, `FORBIDDEN` when none is set, and what the store of the keys throws. */
  unlock(passphrase: string): Promise<void>;
  /** Throws `FORBIDDEN` when no passphrase is set, since nothing could unlock the keys again. */
  lock(): void;
  /**
   * Runs `work` with the key that was made for one escrow alone. `index` is two numbers below 2^31: `812/44`. The key lies under the seed, on a branch of
   * hardened steps where no account lies. Throws `WALLET_LOCKED`, and what the store of the keys throws.
   */
  useEscrow<T>(namespace: KeyNamespace, index: string, work: (privateKey: Uint8Array) => T | Promise<T>): Promise<T>;
  /** Reads an item for a backup, for the caller to wipe; undefined where there is none. Throws `WALLET_LOCKED`, and what the store of the keys throws. */
  readItem(item: SecretItem): Promise<Uint8Array | undefined>;
}

/** Two hardened steps at random below a branch of its own: one key gives none of the others away, and a wallet whose database was lost never lends one twice. */
const ESCROW_BRANCH = "m/1651667826'";
const ESCROW_KINDS: Readonly<Record<KeyNamespace, string>> = { eip155: "60'", solana: "501'" };
const ESCROW_INDEX = /^(0|[1-9]\d{0,9})\/(0|[1-9]\d{0,9})$/;

export interface KeysOptions {
  readonly gate: Gate;
  readonly accounts: AccountStore;
  readonly attempts: Attempts;
  /** True when the items were made in an earlier run: a missing one is an error then, and never a new key. */
  readonly created: boolean;
  /** Records that the items are made. */
  readonly recordCreated: () => void;
}

const DATA_KEY_BYTES = 32;
const MAIN_LABEL = 'This wallet';

/** Opens the wallet, making seed, data key and one account per namespace at the first run. Throws what the store of the keys throws. */
export async function createKeys({ gate, accounts, attempts, created, recordCreated }: KeysOptions): Promise<Wallet> {
  const { secrets } = gate;
  let made = created;
  // Kept while unlocked; its absence is what `locked` means.
  let dataKey: Uint8Array | undefined;
  let locks = 0;

  const requireUnlocked = (): Uint8Array => {
    if (!dataKey && gate.passphraseSet) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    if (!dataKey) throw new BursarError('WALLET_LOCKED', 'There are no keys until the owner sets a passphrase.', { hint: 'Set it on the dashboard.' });
    return dataKey;
  };

  const requireItem = async (item: SecretItem): Promise<Uint8Array> => {
    const secret = await secrets.get(item);
    if (!secret) throw missingItem(secrets.backend, item);
    return secret;
  };

  /** At the first run an item may be there already, from a run that was cut short before it was recorded. */
  const itemOrNew = async (item: SecretItem, create: () => Uint8Array): Promise<Uint8Array> => {
    if (made) return requireItem(item);
    const found = await secrets.get(item);
    if (found) return found;
    const secret = create();
    await secrets.set(item, secret);
    return secret;
  };

  /** After the items are open: whatever is not there yet is made, the rest compared. */
  const opened = async (entropy?: Uint8Array): Promise<void> => {
    const before = locks;
    const seed = await itemOrNew('seed', () => createSeed(entropy));
    const key = await itemOrNew('data-key', () => randomBytes(DATA_KEY_BYTES));
    try {
      accounts.seeds.add({ id: MAIN_SEED, label: MAIN_LABEL, words: wordCount(seed), addedAt: Date.now() });
      ensureFirstAccounts(accounts, seed);
      requireOwnAddresses(ofSeed(MAIN_SEED), seed, secrets.backend, 'seed');
    } finally {
      seed.fill(0);
    }
    await compareImportedSeeds();
    if (!made) recordCreated();
    made = true;
    if (locks === before) dataKey = key;
    // Locked again while the store was answering: that holds.
    else key.fill(0);
    requireUnlocked();
  };

  const ofSeed = (id: string) => accounts.list().filter((account) => account.seed === id);

  /** A seed that vanished is told when one of its accounts is used, as an imported key is. */
  const compareImportedSeeds = async (): Promise<void> => {
    for (const { id } of accounts.seeds.list().filter((seed) => seed.id !== MAIN_SEED)) {
      const seed = await secrets.get(seedItem(id));
      if (!seed) continue;
      try {
        requireOwnAddresses(ofSeed(id), seed, secrets.backend, seedItem(id));
      } finally {
        seed.fill(0);
      }
    }
  };

  const requirePassphraseSet = (): void => {
    if (!gate.passphraseSet) throw new BursarError('FORBIDDEN', 'No passphrase has been set yet.', { hint: 'Set a passphrase first.' });
  };

  const verifyPassphrase = async (passphrase: string): Promise<void> => {
    requirePassphraseSet();
    await attempts.run(async () => {
      const right = await gate.check(passphrase);
      if (!dataKey) gate.close();
      return right;
    });
  };

  const parts = { accounts, secrets, requireUnlocked: () => void requireUnlocked(), requireItem, verifyPassphrase };
  const keeper = createAccountKeeper(parts);

  if (await gate.start(created)) await opened();

  return {
    ...keeper,
    ...createSecretViewer(parts),
    backend: secrets.backend,
    passphraseBeside: gate.passphraseBeside,
    get passphraseSet() {
      return gate.passphraseSet;
    },
    get locked() {
      return dataKey === undefined;
    },
    sealer: createSealer(requireUnlocked),
    ledger: createLedgerKeys(requireUnlocked, secrets),
    accounts: () => accounts.list().filter(({ hidden }) => !hidden).map(walletAccount),
    verifyPassphrase,

    async use(accountId, work) {
      requireUnlocked();
      const account = accounts.list().find(({ id }) => id === accountId);
      const item = account && itemOf(account);
      if (!account || !item) throw new BursarError('ACCOUNT_MISSING', account ? `The account "${account.label}" is only watched: its key lies elsewhere.` : `There is no account ${accountId}.`, { context: { account: accountId } });
      const secret = await requireItem(item);
      const key = account.source === 'seed' ? derivePrivateKey(secret, keyNamespace(account), account.path) : Uint8Array.from(secret);
      secret.fill(0);
      try {
        // The owner may have locked while the store was answering.
        requireUnlocked();
        return await work(key);
      } finally {
        key.fill(0);
      }
    },

    async useEscrow(namespace, index, work) {
      requireUnlocked();
      const [, high, low] = ESCROW_INDEX.exec(index) ?? [];
      if (high === undefined || low === undefined) throw new BursarError('DATABASE_CORRUPT', 'The number of an escrow cannot be read.');
      const seed = await requireItem('seed');
      const key = derivePrivateKey(seed, namespace, `${ESCROW_BRANCH}/${ESCROW_KINDS[namespace]}/${high}'/${low}'`);
      seed.fill(0);
      try {
        requireUnlocked();
        return await work(key);
      } finally {
        key.fill(0);
      }
    },

    async setPassphrase(passphrase, { words } = {}) {
      if (gate.passphraseSet) throw new BursarError('FORBIDDEN', 'A passphrase is set already.');
      // Wrong words are told before anything is set.
      const entropy = words === undefined ? undefined : parseMnemonic(words);
      try {
        await gate.setPassphrase(passphrase);
        if (!dataKey) return await opened(entropy);
      } finally {
        entropy?.fill(0);
      }
      if (words === undefined) return;
      const fresh = ofSeed(MAIN_SEED).filter(({ address }) => accounts.usage(address) === 'never');
      await keeper.importMnemonic({ label: 'Restored wallet', words });
      for (const { id } of fresh) accounts.change(id, { hidden: true });
    },

    get sealed() {
      return gate.seal?.on === true;
    },
    async seal(passphrase) {
      requireUnlocked();
      if (!gate.seal) throw new BursarError('FORBIDDEN', 'The keys lie in a vault file, which is encrypted by itself.', { hint: 'Nothing has to be done.' });
      await verifyPassphrase(passphrase);
      await gate.seal.put(passphrase, itemsOf(accounts));
    },

    async unlock(passphrase) {
      requirePassphraseSet();
      await attempts.run(async () => {
        if (!(await gate.check(passphrase))) return false;
        await opened();
        if (await gate.seal?.unfinished()) await gate.seal?.put(passphrase, itemsOf(accounts));
        return true;
      });
    },

    lock() {
      requirePassphraseSet();
      locks += 1;
      dataKey?.fill(0);
      dataKey = undefined;
      gate.close();
    },

    async readItem(item) {
      requireUnlocked();
      return secrets.get(item);
    },
  };
}

/** The first account of each kind of the wallet's own seed. */
function ensureFirstAccounts(accounts: AccountStore, seed: Uint8Array): void {
  for (const namespace of SEED_NAMESPACES) {
    const path = derivationPath(namespace, 0);
    if (accounts.list().some((account) => account.seed === MAIN_SEED && account.path === path)) continue;
    accounts.add({ id: randomUUID(), label: SEED_LABELS[namespace], namespace, address: addressAt(seed, namespace, path), source: 'seed', path, seed: MAIN_SEED, hidden: false });
  }
}
