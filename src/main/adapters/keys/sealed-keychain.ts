import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { decrypt, encrypt } from './gcm.ts';
import type { Keychain } from './keychain.ts';
import { deriveKey, isCost, newSalt } from './passphrase.ts';
import type { SecretItem, SecretStore } from './secret-store.ts';

/** The keychain's items, each also under the owner's passphrase once they wish so: then neither the keychain nor the passphrase alone opens one. */
export interface SealedKeychain extends SecretStore {
  readonly backend: 'keychain';
  /** True once the owner wished so. */
  readonly sealed: boolean;
  /** Whether that is so. Call first. */
  load(): Promise<void>;
  /** Opens the items; false when the passphrase is wrong. Throws `KEYCHAIN_UNAVAILABLE`. */
  unlock(passphrase: string): Promise<boolean>;
  lock(): void;
  /**
   * Puts these items under a passphrase, and every later one; what is sealed already stays. A run that is cut short leaves some items open, which
   * can still be read, and goes on when it is called again.
   */
  seal(passphrase: string, items: readonly SecretItem[]): Promise<void>;
}

const Header = z.strictObject({ version: z.literal(1), N: z.number().refine(isCost), salt: z.base64(), check: z.base64() });
type Header = z.infer<typeof Header>;

/** In front of a sealed item. A plain one is random bytes or JSON, and none of them begins so. */
const MARK = Buffer.from('bursar sealed v1\0');
const CHECK_TEXT = Buffer.from('bursar seal');

/** Over a keychain; `cost` is scrypt's N of a new seal. */
export function createSealedKeychain(keychain: Keychain, cost: number): SealedKeychain {
  let header: Header | undefined;
  let key: Buffer | undefined;

  const contextOf = ({ N, salt }: Pick<Header, 'N' | 'salt'>, name: string): string => JSON.stringify(['bursar seal', 1, N, salt, name]);
  const requireKey = (): { readonly header: Header; readonly key: Buffer } => {
    if (!header || !key) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    return { header, key };
  };
  const isSealed = (stored: Uint8Array): boolean => Buffer.from(stored.subarray(0, MARK.length)).equals(MARK);
  const lock = (): void => {
    key?.fill(0);
    key = undefined;
  };

  const set = async (item: SecretItem, secret: Uint8Array): Promise<void> => {
    if (!header) return keychain.set(item, secret);
    const by = requireKey();
    await keychain.set(item, Buffer.concat([MARK, encrypt(by.key, secret, contextOf(by.header, item))]));
  };

  return {
    backend: 'keychain',
    get sealed() {
      return header !== undefined;
    },
    async load() {
      const stored = await keychain.get('seal');
      if (!stored) return;
      try {
        header = Header.parse(JSON.parse(Buffer.from(stored).toString()));
      } catch {
        throw damaged('seal');
      }
    },
    async unlock(passphrase) {
      if (!header) return false;
      const found = await deriveKey(passphrase, Buffer.from(header.salt, 'base64'), header.N);
      if (!decrypt(found, Buffer.from(header.check, 'base64'), contextOf(header, 'check'))?.equals(CHECK_TEXT)) {
        found.fill(0);
        return false;
      }
      lock();
      key = found;
      return true;
    },
    lock,
    async get(item) {
      // Nothing is given out while locked, also what a cut short sealing left open.
      const by = header && requireKey();
      const stored = await keychain.get(item);
      if (!stored || !isSealed(stored)) return stored;
      if (!by) throw new BursarError('KEYCHAIN_UNAVAILABLE', 'The keychain no longer holds the item "seal" that was put into it.', { context: { item: 'seal' }, hint: 'Restore the keychain and start Bursar again; nothing was replaced.' });
      const secret = decrypt(by.key, stored.subarray(MARK.length), contextOf(by.header, item));
      if (!secret) throw damaged(item);
      return secret;
    },
    set,
    delete: (item) => keychain.delete(item),
    async seal(passphrase, items) {
      if (!header) {
        const salt = newSalt();
        const made = await deriveKey(passphrase, salt, cost);
        const place = { N: cost, salt: salt.toString('base64') };
        const next: Header = { version: 1, ...place, check: encrypt(made, CHECK_TEXT, contextOf(place, 'check')).toString('base64') };
        // First, or a sealed item could lie there that nothing says how to open.
        await keychain.set('seal', Buffer.from(JSON.stringify(next)));
        header = next;
        key = made;
      }
      for (const item of items) {
        const stored = await keychain.get(item);
        if (!stored || isSealed(stored)) continue;
        await set(item, stored);
        stored.fill(0);
      }
    },
  };
}

const damaged = (item: string) => new BursarError('KEYCHAIN_UNAVAILABLE', `The item "${item}" of the keychain was changed.`, { context: { item }, hint: 'Restore the keychain and start Bursar again; nothing was replaced.' });
