import { keccak_256 } from '@noble/hashes/sha3.js';

/** A signature as chains take it: r ‖ s in 64 bytes, and the parity of the point behind r. */
export interface EcdsaSignature {
  readonly rs: Uint8Array;
  readonly parity: 0 | 1;
}

/** Compiled at the first signature of a run: a start that pays nothing has no use for a megabyte of tables. */
let library: Promise<typeof import('tiny-secp256k1')> | undefined;
const secp256k1 = () => (library ??= import('tiny-secp256k1'));

/** The scalar 1, whose public key is the curve's generator. */
const NO_SECRET = Uint8Array.from({ length: 32 }, (_, place) => (place === 31 ? 1 : 0));

/**
 * Signs a 32-byte hash: nonce by RFC 6979, low s (EIP-2). Nothing of the key stays in the library's memory; the caller wipes its own bytes.
 * Throws a plain error for a key that is no scalar of the curve.
 */
export async function signHash(hash: Uint8Array, privateKey: Uint8Array): Promise<EcdsaSignature> {
  const { signRecoverable } = await secp256k1();
  const { signature, recoveryId } = signRecoverable(hash, privateKey);
  // The library wipes what it was given, and not its stack: the same steps with no secret write over what lies there.
  signRecoverable(hash, NO_SECRET);
  // An r above the group's order, once in 2^127: no chain writes that down.
  if (recoveryId !== 0 && recoveryId !== 1) throw new RangeError('The signature cannot be written.');
  return { rs: signature, parity: recoveryId };
}

/** The 20-byte address whose key made a signature, as `ecrecover` gives it; undefined where there is none. */
export async function recoverSigner(hash: Uint8Array, { rs, parity }: EcdsaSignature): Promise<Uint8Array | undefined> {
  const { recover } = await secp256k1();
  try {
    const key = recover(hash, rs, parity);
    // An address is the end of the hash of the key's coordinates, without the byte that says how they are written.
    return key ? keccak_256(key.subarray(1)).subarray(-20) : undefined;
  } catch {
    return undefined; // r or s is no number of the group
  }
}
