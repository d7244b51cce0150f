import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { SecretStore } from './secret-store.ts';

/** What the wallet does for the ledger: keys for its MACs, and a small place beside the keys for what the ledger last was. */
export interface LedgerKeys {
  /**
   * The key of one run, from the MAC key that HKDF derives from the data key. Neither can be found from it, so a run may keep it while the
   * wallet is locked. An object and no bytes, because a MAC under bytes takes four times as long. Throws `WALLET_LOCKED`.
   */
  epochKey(epoch: Uint8Array): KeyObject;
  /** What was put there last; undefined at first. Throws `WALLET_LOCKED`, `KEYCHAIN_UNAVAILABLE`, `VAULT_CORRUPT`. */
  readAnchor(): Promise<Uint8Array | undefined>;
  /** Durable when it returns. Throws as {@link LedgerKeys.readAnchor} does. */
  writeAnchor(anchor: Uint8Array): Promise<void>;
}

const MAC_KEY_INFO = 'bursar ledger mac v1';
const KEY_BYTES = 32;

/** Over the data key, which `dataKey` gives or throws `WALLET_LOCKED`. */
export function createLedgerKeys(dataKey: () => Uint8Array, secrets: Pick<SecretStore, 'get' | 'set'>): LedgerKeys {
  return {
    epochKey(epoch) {
      const macKey = Buffer.from(hkdfSync('sha256', dataKey(), Buffer.alloc(0), MAC_KEY_INFO, KEY_BYTES));
      try {
        return createSecretKey(createHmac('sha256', macKey).update(epoch).digest());
      } finally {
        macKey.fill(0);
      }
    },
    async readAnchor() {
      dataKey();
      return secrets.get('integrity');
    },
    async writeAnchor(anchor) {
      dataKey();
      await secrets.set('integrity', anchor);
    },
  };
}
