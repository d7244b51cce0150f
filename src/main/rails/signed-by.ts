import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Hex } from 'viem';
import { getAddress, hexToBytes, keccak256 } from 'viem/utils';

const { Point, Signature } = secp256k1;
type PublicKey = InstanceType<typeof Point>;

/** Bits of a step through the table of a public key's multiples: 43 additions a check, and some milliseconds to make it. */
const TABLE_BITS = 6;

/** Accounts whose tables are kept; a wallet has few. */
const MOST_KEYS = 16;

/** Public keys by checksummed address, each recovered from a signature that proved to be its account's. */
const known = new Map<string, PublicKey>();

/**
 * Whether `ecrecover` gives `address` (checksummed) for a hash and a 65-byte signature. The first signature of an account is recovered;
 * later ones are checked against the key that this gave, since both points of that sum have tables then and it takes a fifth of the time.
 */
export function isSignedBy(address: string, hash: Hex, signature: Hex): boolean {
  const [r, s, v] = [BigInt(signature.slice(0, 66)), BigInt(`0x${signature.slice(66, 130)}`), Number(`0x${signature.slice(130)}`)];
  if (!Point.Fn.isValidNot0(r) || !Point.Fn.isValidNot0(s) || (v !== 27 && v !== 28)) return false;
  const key = known.get(address);
  if (!key) return recover(address, hash, new Signature(r, s, v - 27));
  // ECDSA's own equation, R = (z·G + r·Q) / s (SEC 1, section 4.1.4), with the parity of R that `v` speaks of.
  const inverse = Point.Fn.inv(s);
  const point = Point.BASE.multiplyUnsafe(Point.Fn.create(BigInt(hash) * inverse)).add(key.multiplyUnsafe(Point.Fn.create(r * inverse)));
  if (point.is0()) return false;
  const { x, y } = point.toAffine();
  return x === r && (y & 1n) === BigInt(v - 27);
}

function recover(address: string, hash: Hex, signature: InstanceType<typeof Signature>): boolean {
  let key: PublicKey;
  try {
    key = signature.recoverPublicKey(hexToBytes(hash));
  } catch {
    return false; // no point of the curve has this x
  }
  // An address is the end of the hash of the key's coordinates, without the byte that says how they are written.
  if (getAddress(`0x${keccak256(key.toBytes(false).subarray(1)).slice(-40)}`) !== address) return false;
  if (known.size >= MOST_KEYS) known.clear();
  known.set(address, key.precompute(TABLE_BITS));
  return true;
}
