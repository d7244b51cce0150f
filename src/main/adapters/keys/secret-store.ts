/**
 * The items that a wallet keeps secret: its own seed and those that were imported (see `createSeed`), the key that encrypts secrets in the
 * database, the verifier of the owner's passphrase or the seal under it, what the ledger last was, and one private key for each imported account. What is added
 * here has to be added to `items.ts` too, or a backup would leave it out.
 */
export type SecretItem = 'seed' | `seed:${string}` | 'data-key' | 'owner' | 'seal' | 'integrity' | `account:${string}`;

/** Where the items lie: the keychain of the operating system, or a vault file. */
export interface SecretStore {
  readonly backend: 'keychain' | 'vault';
  /** The item, for the caller to wipe; undefined when the store has none. Throws `WALLET_LOCKED`, `KEYCHAIN_UNAVAILABLE`, `VAULT_CORRUPT`. */
  get(item: SecretItem): Promise<Uint8Array | undefined>;
  /** Stores an item, durable when it returns. Throws as {@link SecretStore.get} does. */
  set(item: SecretItem, secret: Uint8Array): Promise<void>;
  /** Forgets an item for good; does nothing where there is none. Throws as {@link SecretStore.get} does. */
  delete(item: SecretItem): Promise<void>;
}
