import { createECDH, hash } from 'node:crypto';

/** Order of the group of secp256k1, 32 bytes. */
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
const HARDENED = 0x80000000;

interface Node {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

const split = (bytes: Buffer): Node => ({ key: bytes.subarray(0, 32), chainCode: bytes.subarray(32) });

/**
 * The private key at a path such as `m/44'/60'/0'/0/0` (BIP-32 on secp256k1). Unlike a general library it computes a public key only where the
 * next step needs one, and keeps secrets in bytes alone, which it wipes: this runs before every signature. The caller wipes the key. Throws a
 * RangeError on a path or, once in 2^127, a key that BIP-32 calls invalid.
 */
export function bip32PrivateKey(seed: Uint8Array, path: string): Uint8Array {
  if (!/^m(\/\d{1,10}'?)*$/.test(path)) throw new RangeError(`${path} is no derivation path.`);
  let node = split(hmacSha512(Buffer.from('Bitcoin seed'), seed));
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
  const data = Buffer.alloc(37);
  data.set(index >= HARDENED ? key : publicKey(key), index >= HARDENED ? 1 : 0);
  data.writeUInt32BE(index, 33);
  const derived = split(hmacSha512(chainCode, data));
  data.fill(0);
  if (derived.key.compare(ORDER) >= 0) throw new RangeError('The derived key is invalid.');
  addModOrder(derived.key, key);
  if (derived.key.every((byte) => byte === 0)) throw new RangeError('The derived key is invalid.');
  return derived;
}

/** Adds a number below the order to another one in its place, modulo the order. */
function addModOrder(sum: Buffer, addend: Uint8Array): void {
  let carry = 0;
  for (let place = 31; place >= 0; place--) {
    carry += sum[place]! + addend[place]!;
    sum[place] = carry & 0xff;
    carry >>= 8;
  }
  if (carry === 0 && sum.compare(ORDER) < 0) return;
  let borrow = 0;
  for (let place = 31; place >= 0; place--) {
    borrow += sum[place]! - ORDER[place]!;
    sum[place] = borrow & 0xff;
    borrow >>= 8;
  }
}

const BLOCK_BYTES = 128;

/** HMAC (RFC 2104) of two one-shot hashes: `createHmac` under a key in bytes takes as long as ten of them. The key has at most one block. */
function hmacSha512(key: Uint8Array, data: Uint8Array): Buffer {
  const inner = Buffer.alloc(BLOCK_BYTES + data.length, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + 64, 0x5c);
  for (let place = 0; place < key.length; place++) {
    inner[place] = 0x36 ^ key[place]!;
    outer[place] = 0x5c ^ key[place]!;
  }
  inner.set(data, BLOCK_BYTES);
  const digest = hash('sha512', inner, 'buffer');
  outer.set(digest, BLOCK_BYTES);
  const mac = hash('sha512', outer, 'buffer');
  for (const secret of [inner, outer, digest]) secret.fill(0);
  return mac;
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
