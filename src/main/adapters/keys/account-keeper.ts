import { randomUUID } from 'node:crypto';
import type { Account } from '../../../core/ports.ts';
import type { KeyNamespace, Namespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { AccountStore, StoredAccount } from '../store/accounts.ts';
import { MAIN_SEED, type Seed } from '../store/seeds.ts';
import { addressOfKey, createSeed, derivationPath } from './derive.ts';
import { readPrivateKey } from './import-key.ts';
import { parseMnemonic } from './mnemonic.ts';
import { readAddress } from './read-address.ts';
import { addressAt, seedItem, SEED_LABELS, SEED_NAMESPACES, wordCount } from './seed-accounts.ts';
import type { SecretItem, SecretStore } from './secret-store.ts';

/** An account as its owner sees it. */
export type WalletAccount = Account & {
  /** Id of the seed that it derives from. */
  readonly seed?: string;
  /** Its derivation path under that seed. */
  readonly path?: string;
  readonly hidden?: true;
};

/** Accounts that are a secret and no key pair. */
export type SecretNamespace = Exclude<Namespace, KeyNamespace>;

/** What the owner does to the accounts of the wallet. */
export interface AccountKeeper {
  /** Every account, also those that are hidden. */
  allAccounts(): readonly WalletAccount[];
  /** The wallet's own seed first. */
  seeds(): readonly Seed[];
  /**
   * Adds a key of another wallet; `filePassphrase` opens one in an encrypted file. An account that was only watched pays from then on.
   * Throws `KEY_INVALID`, also when it is here already, `KEY_FILE_UNSUPPORTED`, `PASSPHRASE_WRONG`, `WALLET_LOCKED`.
   */
  importAccount(request: { readonly namespace: KeyNamespace; readonly label: string; readonly secret: string; readonly filePassphrase?: string | undefined }): Promise<WalletAccount>;
  /**
   * Adds the words of another wallet beside what is here, with its first account of each kind. Throws `MNEMONIC_INVALID`, `MNEMONIC_CHECKSUM`,
   * `KEY_INVALID` when it is here already, `WALLET_LOCKED`.
   */
  importMnemonic(request: { readonly label: string; readonly words: string }): Promise<readonly WalletAccount[]>;
  /** Adds another account of a seed: the next one, or that of a number. Throws `NOT_FOUND`, `KEY_INVALID` when it is here already, `WALLET_LOCKED`. */
  deriveAccount(request: { readonly namespace: KeyNamespace; readonly label: string; readonly seed?: string | undefined; readonly index?: number | undefined }): Promise<WalletAccount>;
  /** Adds what pays without a chain: its secret is a text. Throws `KEY_INVALID` when the address is here already, and `WALLET_LOCKED`. */
  addSecret(request: { readonly namespace: SecretNamespace; readonly label: string; readonly address: string; readonly secret: string }): Promise<WalletAccount>;
  /** Adds an address whose key lies elsewhere. Throws `INPUT_INVALID`, `KEY_INVALID` when it is here already. */
  watch(request: { readonly namespace: KeyNamespace; readonly label: string; readonly address: string }): WalletAccount;
  /** Throws `ACCOUNT_MISSING`. */
  rename(accountId: string, label: string): WalletAccount;
  /** Puts an account out of sight, where it neither shows nor pays, or back. Its key stays. Throws `ACCOUNT_MISSING`, `ACCOUNT_IN_USE`. */
  setHidden(accountId: string, hidden: boolean): WalletAccount;
  /**
   * Forgets an account with its key for good. `confirm` is its address, as a sign that the owner knows which one. Throws `ACCOUNT_MISSING`,
   * `ACCOUNT_IN_USE`, `FORBIDDEN` for one of a seed, `INPUT_INVALID`, and for a key what {@link PassphraseCheck} throws.
   */
  remove(request: { readonly accountId: string; readonly confirm: string; readonly passphrase?: string | undefined }): Promise<void>;
  /** Forgets an imported seed with its accounts for good. `confirm` is its label. Throws as {@link AccountKeeper.remove} does, and `NOT_FOUND`. */
  removeSeed(request: { readonly seed: string; readonly confirm: string; readonly passphrase: string }): Promise<void>;
  /** Lets a Solana account pay from the token accounts of another wallet, or from its own again (undefined). Throws `ACCOUNT_MISSING`. */
  payFrom(accountId: string, owner: string | undefined): WalletAccount;
}

/** Throws `PASSPHRASE_WRONG`, later each time, `PASSPHRASE_BUSY`, `FORBIDDEN` when none is set. */
export type PassphraseCheck = (passphrase: string) => Promise<void>;

export interface KeeperOptions {
  readonly accounts: AccountStore;
  readonly secrets: SecretStore;
  /** Throws `WALLET_LOCKED`. */
  readonly requireUnlocked: () => void;
  /** An item that has to be there, for the caller to wipe. */
  readonly requireItem: (item: SecretItem) => Promise<Uint8Array>;
  readonly verifyPassphrase: PassphraseCheck;
}

export function createAccountKeeper({ accounts, secrets, requireUnlocked, requireItem, verifyPassphrase }: KeeperOptions): AccountKeeper {
  const find = (id: string): StoredAccount => {
    const account = accounts.list().find((other) => other.id === id);
    if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no account ${id}.`, { context: { account: id } });
    return account;
  };
  const at = (namespace: Namespace, address: string) => accounts.list().find((other) => other.namespace === namespace && other.address === address);
  const shown = (id: string): WalletAccount => walletAccount(find(id));

  const requireAtRest = ({ address, label }: StoredAccount): void => {
    if (accounts.usage(address) === 'open') throw new BursarError('ACCOUNT_IN_USE', `Money of the account "${label}" is under way: a payment can still move it, or what it sent by a link may come back.`, { context: { address } });
  };

  /** Only an account that is watched gives way to another one of its address. */
  const requireNew = ({ namespace, address }: Pick<StoredAccount, 'namespace' | 'address'>): void => {
    const known = at(namespace, address);
    if (known && known.source !== 'watch') throw isHere(known);
  };
  const insert = (account: StoredAccount): void =>
    accounts.atomically(() => {
      const known = at(account.namespace, account.address);
      if (known?.source === 'watch' && account.source !== 'watch') accounts.remove(known.id);
      if (!accounts.add(account)) throw isHere(known ?? account);
    });

  /** Item first: an account without its key could not pay, a key without its account harms nobody. */
  const addKey = async (account: StoredAccount, secret: Uint8Array): Promise<WalletAccount> => {
    requireNew(account);
    await secrets.set(`account:${account.id}`, secret);
    insert(account);
    return walletAccount(account);
  };

  /** Row first: what is left of a cut short removal is a key that no account names. */
  const forget = async (ids: readonly string[], items: readonly SecretItem[], alsoForget: () => void = () => undefined): Promise<void> => {
    accounts.atomically(() => {
      for (const id of ids) accounts.remove(id);
      alsoForget();
    });
    for (const item of items) await secrets.delete(item);
  };

  return {
    allAccounts: () => accounts.list().map(walletAccount),
    seeds: () => accounts.seeds.list(),

    async importAccount({ namespace, label, secret, filePassphrase }) {
      requireUnlocked();
      const key = await readPrivateKey(namespace, secret, filePassphrase);
      try {
        return await addKey({ ...NEW, id: randomUUID(), label, namespace, address: addressOfKey(namespace, key), source: 'imported' }, key);
      } finally {
        key.fill(0);
      }
    },

    async importMnemonic({ label, words }) {
      requireUnlocked();
      const entropy = parseMnemonic(words);
      const seed = createSeed(entropy);
      entropy.fill(0);
      try {
        const id = randomUUID();
        const found = SEED_NAMESPACES.map((namespace): StoredAccount => {
          const path = derivationPath(namespace, 0);
          return { ...NEW, id: randomUUID(), label: `${label}: ${SEED_LABELS[namespace]}`, namespace, address: addressAt(seed, namespace, path), source: 'seed', path, seed: id };
        });
        const known = found.map(({ namespace, address }) => at(namespace, address)).filter((account) => account?.source === 'seed');
        if (known[0]) throw isHere(known[0]);
        // A key that was imported by itself stays as it is.
        const added = found.filter(({ namespace, address }) => at(namespace, address)?.source !== 'imported');
        if (added.length === 0) throw isHere(at(found[0]!.namespace, found[0]!.address)!);
        await secrets.set(seedItem(id), seed);
        accounts.atomically(() => {
          accounts.seeds.add({ id, label, words: wordCount(seed), addedAt: Date.now() });
          for (const account of added) insert(account);
        });
        return added.map(walletAccount);
      } finally {
        seed.fill(0);
      }
    },

    async deriveAccount({ namespace, label, seed: id = MAIN_SEED, index }) {
      requireUnlocked();
      if (!accounts.seeds.list().some((seed) => seed.id === id)) throw noSeed(id);
      const taken = new Set(accounts.list().filter((account) => account.seed === id).map(({ path }) => path));
      let free = 0;
      while (taken.has(derivationPath(namespace, free))) free += 1;
      const path = derivationPath(namespace, index ?? free);
      const seed = await requireItem(seedItem(id));
      try {
        const account: StoredAccount = { ...NEW, id: randomUUID(), label, namespace, address: addressAt(seed, namespace, path), source: 'seed', path, seed: id };
        requireNew(account);
        insert(account);
        return walletAccount(account);
      } finally {
        seed.fill(0);
      }
    },

    async addSecret({ secret, ...account }) {
      requireUnlocked();
      return addKey({ ...NEW, ...account, id: randomUUID(), source: 'imported' }, new TextEncoder().encode(secret));
    },

    watch({ namespace, label, address: text }) {
      const address = readAddress(namespace, text);
      const known = at(namespace, address);
      if (known) throw isHere(known);
      const account: StoredAccount = { ...NEW, id: randomUUID(), label, namespace, address, source: 'watch' };
      insert(account);
      return walletAccount(account);
    },

    rename(accountId, label) {
      find(accountId);
      accounts.change(accountId, { label });
      return shown(accountId);
    },

    setHidden(accountId, hidden) {
      const account = find(accountId);
      if (hidden) requireAtRest(account);
      accounts.change(accountId, { hidden });
      return shown(accountId);
    },

    async remove({ accountId, confirm, passphrase = '' }) {
      const before = find(accountId);
      if (before.source === 'seed') throw new BursarError('FORBIDDEN', `The account "${before.label}" comes from a seed, which would give it again.`, { hint: 'Hide it instead.' });
      if (confirm !== before.address) throw new BursarError('INPUT_INVALID', 'What confirms the removal is not the address of the account.', { context: { field: 'confirm' }, hint: 'Nothing was removed.' });
      requireAtRest(before);
      const item: SecretItem[] = before.source === 'watch' ? [] : [`account:${accountId}`];
      if (item.length > 0) requireUnlocked();
      if (isKey(before)) await verifyPassphrase(passphrase);
      requireAtRest(find(accountId));
      await forget([accountId], item);
    },

    async removeSeed({ seed: id, confirm, passphrase }) {
      requireUnlocked();
      if (id === MAIN_SEED) throw new BursarError('FORBIDDEN', "The wallet's own seed cannot be removed.", { hint: 'Its accounts can be hidden.' });
      const seed = accounts.seeds.list().find((other) => other.id === id);
      if (!seed) throw noSeed(id);
      if (confirm !== seed.label) throw new BursarError('INPUT_INVALID', 'What confirms the removal is not the label of the seed.', { context: { field: 'confirm' }, hint: 'Nothing was removed.' });
      const own = () => accounts.list().filter((account) => account.seed === id);
      own().forEach(requireAtRest);
      await verifyPassphrase(passphrase);
      const gone = own();
      gone.forEach(requireAtRest);
      await forget(gone.map((account) => account.id), [seedItem(id)], () => accounts.seeds.remove(id));
    },

    payFrom(accountId, owner) {
      const account = accounts.list().find(({ id, namespace, source }) => id === accountId && namespace === 'solana' && source !== 'watch');
      if (!account) throw new BursarError('ACCOUNT_MISSING', `There is no Solana account ${accountId} that could pay.`, { context: { account: accountId } });
      accounts.setDelegatedFrom(accountId, owner);
      return shown(accountId);
    },
  };
}

const NEW = { path: '', seed: '', hidden: false } as const;

/** A key pair, whose loss loses money; a card or a shared secret can be had again from whom it came. */
const isKey = ({ namespace, source }: StoredAccount): boolean => source !== 'watch' && (namespace === 'eip155' || namespace === 'solana');

const isHere = ({ address, label, hidden }: Pick<StoredAccount, 'address' | 'label' | 'hidden'>) =>
  new BursarError('KEY_INVALID', `The account ${address} is here already, as "${label}".`, {
    hint: hidden ? 'It is hidden, and can be shown again.' : 'It is used as it is; nothing has to be added.',
    context: { address },
  });

const noSeed = (id: string) => new BursarError('NOT_FOUND', `There is no seed ${id.slice(0, 80)}.`, { hint: 'List them with: bursar account seeds' });

/** The public half, as pages and the core are given it. */
export const walletAccount = ({ id, label, namespace, address, source, delegatedFrom, seed, path, hidden }: StoredAccount): WalletAccount => ({
  id,
  label,
  namespace,
  address,
  source,
  ...(delegatedFrom !== undefined && { delegatedFrom }),
  ...(source === 'seed' && { seed, path }),
  ...(hidden && { hidden }),
});
