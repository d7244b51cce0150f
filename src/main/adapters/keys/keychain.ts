import { randomBytes } from 'node:crypto';
import type { AsyncEntry } from '@napi-rs/keyring';
import { BursarError, isBursarError } from '../../../shared/errors/errors.ts';
import type { SecretStore } from './secret-store.ts';

/** The keychain of the operating system. On Linux the Secret Service and nothing else: the kernel's keyring forgets at a reboot. */
export interface Keychain extends SecretStore {
  readonly backend: 'keychain';
  /** Writes, reads and deletes a canary. Throws `KEYCHAIN_UNAVAILABLE`: a keychain that cannot do this may also say that an item is not there. */
  probe(): Promise<void>;
}

const PROBE_TIMEOUT_MS = 4_000;
/** A desktop may ask its user to unlock the keychain or to allow the access. */
const USE_TIMEOUT_MS = 60_000;

const OPTIONS = { linux: { store: 'secret-service' } } as const;

/** The keychain's items of one data folder, told from those of others by `homeId`. */
export function createKeychain(homeId: string): Keychain {
  const service = `Bursar ${homeId}`;

  /** Runs one operation with a bound. The library gives all its failures one code, so they are one failure here too. */
  async function operate<T>(item: string, timeout: number, work: (entry: AsyncEntry, signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeout / 1000} s`)), timeout);
    });
    try {
      const { AsyncEntry: Entry } = await import('@napi-rs/keyring');
      return await Promise.race([work(new Entry(service, item, OPTIONS), abort.signal), late]);
    } catch (error) {
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
      throw new BursarError('KEYCHAIN_UNAVAILABLE', `The keychain did not work: ${why}.`, { context: { service, item } });
    } finally {
      clearTimeout(timer);
      abort.abort();
    }
  }

  const get = (item: string, timeout: number) => operate(item, timeout, (entry, signal) => entry.getSecret(signal));
  const set = (item: string, secret: Uint8Array, timeout: number) => operate(item, timeout, (entry, signal) => entry.setSecret(secret, signal));

  return {
    backend: 'keychain',
    async get(item) {
      const numbers = await get(item, USE_TIMEOUT_MS);
      if (!numbers) return undefined;
      const secret = Uint8Array.from(numbers);
      numbers.fill(0);
      return secret;
    },
    set: (item, secret) => set(item, secret, USE_TIMEOUT_MS),
    async delete(item) {
      // Deleting what is not there is an error on some systems, and one that cannot be told from others.
      const there = await get(item, USE_TIMEOUT_MS);
      if (!there) return;
      there.fill(0);
      await operate(item, USE_TIMEOUT_MS, (entry, signal) => entry.deleteCredential(signal));
    },
    async probe() {
      const item = `canary-${randomBytes(4).toString('hex')}`;
      const canary = randomBytes(32);
      await set(item, canary, PROBE_TIMEOUT_MS);
      const found = await get(item, PROBE_TIMEOUT_MS);
      await operate(item, PROBE_TIMEOUT_MS, (entry, signal) => entry.deleteCredential(signal));
      if (!found || !canary.equals(Uint8Array.from(found))) {
        throw new BursarError('KEYCHAIN_UNAVAILABLE', 'The keychain did not give back what was put into it.', { context: { service } });
      }
    },
  };
}

/** Whether items can be kept there. */
export async function keychainWorks(keychain: Keychain): Promise<boolean> {
  try {
    await keychain.probe();
    return true;
  } catch (error) {
    if (isBursarError(error, 'KEYCHAIN_UNAVAILABLE')) return false;
    throw error;
  }
}
