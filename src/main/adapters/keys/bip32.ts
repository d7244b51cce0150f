import { createECDH, createHmac, hash } from 'node:crypto';

/** Order of the group of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HARDENED = 0x80000000;

interface Node {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

const split = (bytes: Buffer): Node => ({ key: bytes.subarray(0, 32), chainCode: bytes.subarray(32) });
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/**
 * The private key at a path such as `m/44'/60'/0'/0/0` (BIP-32 on secp256k1). Unlike a general library it computes a public key only where the
 * next step needs one, and natively: this runs before every signature. The caller wipes the key. Throws a RangeError on a path or, once in
 * 2^127, a key that BIP-32 calls invalid.
 */
export function bip32PrivateKey(seed: Uint8Array, path: string): Uint8Array {
  if (!/^m(\/\d{1,10}'?)*$/.test(path)) throw new RangeError(`${path} is no derivation path.`);
  let node = split(createHmac('sha512', 'Bitcoin seed').update(seed).digest());
  for (const step of path.split('/').slice(1)) {
    const parent = node;
    node = child(parent, Number.parseInt(step, 10) + (step.endsWith("'") ? HARDENED : 0));
    parent.key.fill(0);
    parent.chainCode.fill(0);
  }
  const key = Uint8Array.from(node.key);
  node.key.fill(0);
  return key;
}

function child({ key, chainCode }: Node, index: number): Node {
  const hmac = createHmac('sha512', chainCode);
  if (index >= HARDENED) hmac.update(Buffer.of(0)).update(key);
  else hmac.update(publicKey(key));
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index);
  const derived = split(hmac.update(number).digest());
  const sum = (numberOf(derived.key) + numberOf(key)) % ORDER;
  if (numberOf(derived.key) >= ORDER || sum === 0n) throw new RangeError('The derived key is invalid.');
  derived.key.write(sum.toString(16).padStart(64, '0'), 'hex');
  return derived;
}

/** Public keys that are kept: those of the nodes above the few accounts of a wallet. */
const MOST_KEPT = 64;

/** By the hash of the private key, from which nothing can be learned: one costs as much as a signature, and the same few are asked for. */
const publicKeys = new Map<string, Buffer>();

/** Compressed, 33 bytes. */
function publicKey(key: Uint8Array): Buffer {
  const name = hash('sha256', key, 'hex');
  const known = publicKeys.get(name);
  if (known) return known;
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  const found = curve.getPublicKey(null, 'compressed');
  if (publicKeys.size >= MOST_KEPT) publicKeys.clear();
  publicKeys.set(name, found);
  return found;
}
