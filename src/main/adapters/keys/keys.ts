import { randomBytes, randomUUID } from 'node:crypto';
import type { Account, Keys } from '../../../core/ports.ts';
import type { KeyNamespace, Namespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { AccountStore, StoredAccount } from '../store/accounts.ts';
import { addressOfKey, createSeed, derivePrivateKey, DERIVATION_PATHS } from './derive.ts';
import type { Gate } from './gate.ts';
import { parsePrivateKey } from './import-key.ts';
import { createLedgerKeys, type LedgerKeys } from './ledger-keys.ts';
import type { Attempts } from './passphrase.ts';
import { createSealer, type Sealer } from './sealer.ts';
import type { SecretItem } from './secret-store.ts';

/** The wallet's keys with what the owner may do to them. */
export interface Wallet extends Keys {
  readonly backend: 'keychain' | 'vault';
  readonly passphraseBeside: boolean;
  readonly passphraseSet: boolean;
  /** Encrypts what the database keeps of other people's secrets. */
  readonly sealer: Sealer;
  /** Keys of the ledger's MACs, and what is kept of the ledger beside the keys. */
  readonly ledger: LedgerKeys;
  /** The owner's first passphrase; the keys are made with it where they wait for it. Throws `FORBIDDEN` when one is set. */
  setPassphrase(passphrase: string): Promise<void>;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`. */
  verifyPassphrase(passphrase: string): Promise<void>;
  /** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`, `FORBIDDEN` when none is set, and what the store of the keys throws. */
  unlock(passphrase: string): Promise<void>;
  /** Throws `FORBIDDEN` when no passphrase is set, since nothing could unlock the keys again. */
  lock(): void;
  /** Adds a key of another wallet. Throws `KEY_INVALID`, also when it is here already, and `WALLET_LOCKED`. */
  importAccount(request: { readonly namespace: KeyNamespace; readonly label: string; readonly secret: string }): Promise<Account>;
  /** Adds what pays without a chain: its secret is a text. Throws `KEY_INVALID` when the address is here already, and `WALLET_LOCKED`. */
  addSecret(request: { readonly namespace: SecretNamespace; readonly label: string; readonly address: string; readonly secret: string }): Promise<Account>;
  /**
   * Runs `work` with the key that was made for one escrow alone. `index` is two numbers below 2^31: `812/44`. The key lies under the seed, on a branch of
   * hardened steps where no account lies. Throws `WALLET_LOCKED`, and what the store of the keys throws.
   */
  useEscrow<T>(namespace: KeyNamespace, index: string, work: (privateKey: Uint8Array) => T | Promise<T>): Promise<T>;
  /** Lets a Solana account pay from the token accounts of another wallet, or from its own again (undefined). Throws `ACCOUNT_MISSING`. */
  payFrom(accountId: string, owner: string | undefined): Account;
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

/** Accounts that are a secret and no key pair. */
export type SecretNamespace = Exclude<Namespace, KeyNamespace>;

const DATA_KEY_BYTES = 32;
const LABELS: Readonly<Record<KeyNamespace, string>> = { eip155: 'EVM account', solana: 'Solana account' };

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
    if (!secret) throw missing(secrets.backend, item);
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
  const opened = async (): Promise<void> => {
    const before = locks;
    const seed = await itemOrNew('seed', createSeed);
    const key = await itemOrNew('data-key', () => randomBytes(DATA_KEY_BYTES));
    try {
      for (const namespace of ['eip155', 'solana'] as const) ensureSeedAccount(accounts, secrets.backend, seed, namespace);
    } finally {
      seed.fill(0);
    }
    if (!made) recordCreated();
    made = true;
    if (locks === before) dataKey = key;
    // Locked again while the store was answering: that holds.
    else key.fill(0);
    requireUnlocked();
  };

  const requirePassphraseSet = (): void => {
    if (!gate.passphraseSet) throw new BursarError('FORBIDDEN', 'No passphrase has been set yet.', { hint: 'Set a passphrase first.' });
  };

  /** Item first: an account without its key could not pay, a key without its account harms nobody. */
  const addAccount = async (account: StoredAccount, secret: Uint8Array): Promise<Account> => {
    const twice = () => new BursarError('KEY_INVALID', `The account ${account.address} is here already.`, { hint: 'It can pay as it is; nothing has to be imported.', context: { address: account.address } });
    if (accounts.list().some((other) => other.namespace === account.namespace && other.address === account.address)) throw twice();
    await secrets.set(`account:${account.id}`, secret);
    if (!accounts.add(account)) throw twice();
    return publicAccount(account);
  };

  if (await gate.start(created)) await opened();

  return {
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
    accounts: () => accounts.list().map(publicAccount),

    async use(accountId, work) {
      requireUnlocked();
      const account = accounts.list().find(({ id }) => id === accountId);
      if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no account ${accountId}.`, { context: { account: accountId } });
      const secret = await requireItem(account.source === 'seed' ? 'seed' : `account:${account.id}`);
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

    async setPassphrase(passphrase) {
      if (gate.passphraseSet) throw new BursarError('FORBIDDEN', 'A passphrase is set already.');
      await gate.setPassphrase(passphrase);
      if (!dataKey) await opened();
    },

    async verifyPassphrase(passphrase) {
      requirePassphraseSet();
      await attempts.run(async () => {
        const right = await gate.check(passphrase);
        if (!dataKey) gate.close();
        return right;
      });
    },

    async unlock(passphrase) {
      requirePassphraseSet();
      await attempts.run(async () => {
        if (!(await gate.check(passphrase))) return false;
        await opened();
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

    async importAccount({ namespace, label, secret }) {
      requireUnlocked();
      const key = parsePrivateKey(namespace, secret);
      try {
        return await addAccount({ id: randomUUID(), label, namespace, address: addressOfKey(namespace, key), source: 'imported', path: '' }, key);
      } finally {
        key.fill(0);
      }
    },

    async addSecret({ secret, ...account }) {
      requireUnlocked();
      return addAccount({ ...account, id: randomUUID(), source: 'imported', path: '' }, new TextEncoder().encode(secret));
    },

    payFrom(accountId, owner) {
      const account = accounts.list().find(({ id, namespace }) => id === accountId && namespace === 'solana');
      if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no Solana account ${accountId}.`, { context: { account: accountId } });
      accounts.setDelegatedFrom(accountId, owner);
      return publicAccount(accounts.list().find(({ id }) => id === accountId)!);
    },
  };
}

const publicAccount = ({ id, label, namespace, address, source, delegatedFrom }: StoredAccount): Account => ({ id, label, namespace, address, source, ...(delegatedFrom !== undefined && { delegatedFrom }) });

function keyNamespace({ id, namespace }: StoredAccount): KeyNamespace {
  if (namespace === 'eip155' || namespace === 'solana') return namespace;
  throw new BursarError('DATABASE_CORRUPT', `The account ${id} is said to come from the seed and has no key.`);
}

/** Adds the seed's account of a namespace, or compares it: another address means that the store holds another wallet's seed. */
function ensureSeedAccount(accounts: AccountStore, backend: 'keychain' | 'vault', seed: Uint8Array, namespace: KeyNamespace): void {
  const path = DERIVATION_PATHS[namespace];
  const key = derivePrivateKey(seed, namespace, path);
  const address = addressOfKey(namespace, key);
  key.fill(0);
  const known = accounts.list().find((account) => account.source === 'seed' && account.namespace === namespace && account.path === path);
  if (!known) accounts.add({ id: randomUUID(), label: LABELS[namespace], namespace, address, source: 'seed', path });
  else if (known.address !== address) throw storeError(backend, `The ${backend} holds the seed of another wallet: it gives ${address} and not ${known.address}.`, 'seed');
}

const missing = (backend: 'keychain' | 'vault', item: SecretItem) => storeError(backend, `The ${backend} no longer holds the item "${item}" that was put into it.`, item);

const storeError = (backend: 'keychain' | 'vault', message: string, item: SecretItem) =>
  backend === 'keychain'
    ? new BursarError('KEYCHAIN_UNAVAILABLE', message, { context: { item }, hint: 'Restore the keychain and start Bursar again; nothing was replaced.' })
    : new BursarError('VAULT_CORRUPT', message, { context: { item } });
