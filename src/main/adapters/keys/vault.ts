import { existsSync } from 'node:fs';
import { BursarError } from '../../../shared/errors/errors.ts';
import { decrypt, encrypt } from './gcm.ts';
import { DEFAULT_COST, deriveKey, newSalt } from './passphrase.ts';
import type { SecretItem, SecretStore } from './secret-store.ts';
import { emptyVault, itemContext, readVault, vaultCorrupt, writeVault, type VaultContent } from './vault-file.ts';

/** The items in one file under a passphrase. While it is unlocked only the passphrase's key is in memory; items are opened one at a time. */
export interface Vault extends SecretStore {
  readonly backend: 'vault';
  readonly locked: boolean;
  exists(): boolean;
  /** Makes the file, and leaves it unlocked. Throws `FORBIDDEN` when there is one. */
  create(passphrase: string): Promise<void>;
  /** Unlocks; false when the passphrase is wrong, and nothing changes then. Throws `VAULT_CORRUPT`. */
  unlock(passphrase: string): Promise<boolean>;
  lock(): void;
}

const CHECK_NAME = 'check';
const CHECK_TEXT = Buffer.from('bursar vault');

/** A vault in a file that need not be there yet; `cost` is scrypt's N of one that is made. */
export function createVault(path: string, { cost = DEFAULT_COST }: { readonly cost?: number } = {}): Vault {
  let opened: { readonly key: Buffer; readonly content: VaultContent } | undefined;

  const require = () => {
    if (!opened) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    return opened;
  };
  const lock = (): void => {
    opened?.key.fill(0);
    opened = undefined;
  };

  return {
    backend: 'vault',
    get locked() {
      return opened === undefined;
    },
    exists: () => existsSync(path),
    async create(passphrase) {
      const salt = newSalt();
      const key = await deriveKey(passphrase, salt, cost);
      if (existsSync(path)) throw new BursarError('FORBIDDEN', `There is a vault ${path} already.`, { context: { path } });
      const empty = emptyVault(salt, cost);
      const content = { ...empty, check: encrypt(key, CHECK_TEXT, itemContext(empty, CHECK_NAME)).toString('base64') };
      writeVault(path, content);
      opened = { key, content };
    },
    async unlock(passphrase) {
      const content = readVault(path);
      const key = await deriveKey(passphrase, Buffer.from(content.kdf.salt, 'base64'), content.kdf.N);
      if (!decrypt(key, Buffer.from(content.check, 'base64'), itemContext(content, CHECK_NAME))?.equals(CHECK_TEXT)) {
        key.fill(0);
        return false;
      }
      lock();
      opened = { key, content };
      return true;
    },
    lock,
    async get(item: SecretItem) {
      const { key, content } = require();
      const sealed = content.items[item];
      if (sealed === undefined) return undefined;
      const secret = decrypt(key, Buffer.from(sealed, 'base64'), itemContext(content, item));
      if (!secret) throw vaultCorrupt(path, `has a damaged item "${item}"`);
      return secret;
    },
    async set(item: SecretItem, secret: Uint8Array) {
      const { key, content } = require();
      const next = { ...content, items: { ...content.items, [item]: encrypt(key, secret, itemContext(content, item)).toString('base64') } };
      writeVault(path, next);
      opened = { key, content: next };
    },
    async delete(item: SecretItem) {
      const { key, content } = require();
      if (content.items[item] === undefined) return;
      const { [item]: _gone, ...items } = content.items;
      const next = { ...content, items };
      writeVault(path, next);
      opened = { key, content: next };
    },
  };
}
