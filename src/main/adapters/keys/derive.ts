import { createPrivateKey, createPublicKey, pbkdf2Sync, randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { bytesToHex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { KeyNamespace } from '../../../core/registry/networks.ts';
import { bip32PrivateKey } from './bip32.ts';

/** The account of a number, from 0: BIP-44 for EVM, and Solana wallets' form of SLIP-0010. */
export const derivationPath = (namespace: KeyNamespace, index: number): string => (namespace === 'eip155' ? `m/44'/60'/0'/0/${index}` : `m/44'/501'/${index}'/0'`);

/** PKCS #8 wrapping of an Ed25519 seed (RFC 8410). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const ENTROPY_BYTES = 16;
const SEED_BYTES = 64;

/**
 * A wallet's seed: the entropy behind its BIP-39 words (16 bytes for twelve, 32 for twenty-four), which are what an owner writes down, and
 * the 64 bytes that PBKDF2 stretches them to (no BIP-39 passphrase), from which accounts derive. Both are kept, since stretching takes
 * longer than a signature.
 */
export function createSeed(entropy: Uint8Array = randomBytes(ENTROPY_BYTES)): Uint8Array {
  return Buffer.concat([entropy, pbkdf2Sync(entropyToMnemonic(entropy, wordlist), 'mnemonic', 2048, SEED_BYTES, 'sha512')]);
}

/** The BIP-39 entropy in a seed of {@link createSeed}: a view of its bytes. */
export const entropyOf = (seed: Uint8Array): Uint8Array => seed.subarray(0, seed.length - SEED_BYTES);

/** The 32-byte private key at a path under a seed of {@link createSeed}. The caller wipes it. */
export function derivePrivateKey(seed: Uint8Array, namespace: KeyNamespace, path: string): Uint8Array {
  const stretched = seed.subarray(-SEED_BYTES);
  if (namespace === 'eip155') return bip32PrivateKey(stretched, path);
  const master = Slip10Key.fromMasterSeed(stretched);
  const child = master.derive(path);
  const key = Uint8Array.from(child.privateKey);
  for (const each of [master, child]) each.privateKey?.fill(0);
  return key;
}

/** The address of a private key: EIP-55 or base58. Throws on a scalar that is not of secp256k1. */
export function addressOfKey(namespace: KeyNamespace, privateKey: Uint8Array): string {
  return namespace === 'eip155' ? privateKeyToAddress(bytesToHex(privateKey)) : base58.encode(ed25519PublicKey(privateKey));
}

/** The 32-byte public key of an Ed25519 seed. */
export function ed25519PublicKey(seed: Uint8Array): Uint8Array {
  const der = Buffer.concat([ED25519_PKCS8, seed]);
  try {
    const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' });
    return Buffer.from(x!, 'base64url');
  } finally {
    der.fill(0);
  }
}
