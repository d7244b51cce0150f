import type { Hex } from 'viem';
import { recoverSigner } from './secp256k1.ts';

/** Whether `ecrecover` gives `address` for a hash and a 65-byte signature in hex, of which `v` is 27 or 28. */
export async function isSignedBy(address: string, hash: Uint8Array, signature: Hex): Promise<boolean> {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[64];
  if (bytes.length !== 65 || (v !== 27 && v !== 28)) return false;
  const signer = await recoverSigner(hash, { rs: bytes.subarray(0, 64), parity: v === 27 ? 0 : 1 });
  return signer !== undefined && Buffer.from(address.slice(2), 'hex').equals(signer);
}
