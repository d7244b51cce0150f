/** Encrypts what the database keeps of other people's secrets, under the wallet's data key. */
export interface Sealer {
  /** `context` says what the text is (`upstream:demo`); a sealed text opens under the same context only. Throws `WALLET_LOCKED`. */
  seal(text: string, context: string): Promise<Uint8Array>;
  /** Throws `WALLET_LOCKED`, and `DATABASE_CORRUPT` when the bytes were changed or moved. */
  open(sealed: Uint8Array, context: string): Promise<string>;
}
