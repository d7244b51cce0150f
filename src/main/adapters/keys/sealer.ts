import { BursarError } from '../../../shared/errors/errors.ts';
import { decrypt, encrypt } from './gcm.ts';

/** Encrypts what the database keeps of other people's secrets, under the wallet's data key. */
export interface Sealer {
  /** `context` says what the text is (`upstream:demo`); a sealed text opens under the same context only. Throws `WALLET_LOCKED`. */
  seal(text: string, context: string): Promise<Uint8Array>;
  /** Throws `WALLET_LOCKED`, and `DATABASE_CORRUPT` when the bytes were changed or moved. */
  open(sealed: Uint8Array, context: string): Promise<string>;
}

/** A sealer over the data key, which `dataKey` gives or throws `WALLET_LOCKED`. */
export function createSealer(dataKey: () => Uint8Array): Sealer {
  return {
    seal: async (text, context) => encrypt(dataKey(), Buffer.from(text), context),
    async open(sealed, context) {
      const plain = decrypt(dataKey(), sealed, context);
      if (!plain) throw new BursarError('DATABASE_CORRUPT', `A stored secret (${context}) cannot be opened with this wallet's key.`, { context: { secret: context } });
      return plain.toString();
    },
  };
}
