import { base58 } from '@scure/base';
import type { KeyNamespace } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { addressOfKey, ed25519PublicKey } from './derive.ts';
import { isKeyFile, openKeyFile } from './key-file.ts';

const KEY_BYTES = 32;
const KEYPAIR_BYTES = 64;

/** No message repeats a part of what was given: it may be the secret of another wallet. */
const invalid = (why: string) => new BursarError('KEY_INVALID', `The key cannot be used: ${why}.`);

/**
 * Reads a private key as other wallets write it: hex for `eip155` (`0x` optional); for `solana` a keypair file (JSON array of 64 bytes)
 * or base58 of the keypair or of its 32-byte seed. Returns 32 bytes, for the caller to wipe. Throws `KEY_INVALID`.
 */
export function parsePrivateKey(namespace: KeyNamespace, text: string): Uint8Array {
  const trimmed = text.trim();
  if (namespace === 'eip155') return parseEvmKey(trimmed);
  return trimmed.startsWith('[') ? seedOfKeypair(parseByteArray(trimmed)) : parseBase58(trimmed);
}

/**
 * As {@link parsePrivateKey}, and for `solana` also an encrypted keypair file under `filePassphrase`. Throws `KEY_INVALID`, and what
 * {@link openKeyFile} throws.
 */
export async function readPrivateKey(namespace: KeyNamespace, text: string, filePassphrase: string | undefined): Promise<Uint8Array> {
  if (!isKeyFile(text)) return parsePrivateKey(namespace, text);
  if (namespace !== 'solana') throw invalid('it is a key file, and Bursar reads such files for Solana alone');
  if (filePassphrase === undefined) throw new BursarError('KEY_INVALID', 'The key file is encrypted, and its passphrase was not given.', { hint: 'Give the passphrase that it was made with.' });
  const opened = await openKeyFile(text, filePassphrase);
  if (opened.length === KEY_BYTES) return opened;
  if (opened.length === KEYPAIR_BYTES) return seedOfKeypair(opened);
  opened.fill(0);
  throw invalid(`the key file holds ${opened.length} bytes, and a keypair has 64`);
}

function parseEvmKey(text: string): Uint8Array {
  const hex = text.replace(/^0x/i, '');
  if (/[^0-9a-f]/i.test(hex)) throw invalid('it has characters other than 0-9 and a-f');
  if (hex.length !== KEY_BYTES * 2) throw invalid(`it has ${hex.length} hex digits and needs 64`);
  const key = Buffer.from(hex, 'hex');
  try {
    addressOfKey('eip155', key);
  } catch {
    throw invalid('it is zero or too large for a private key');
  }
  return key;
}

function parseByteArray(text: string): Uint8Array {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('it begins like a keypair file but is not a JSON array');
  }
  if (!Array.isArray(json) || !json.every((item) => Number.isInteger(item) && item >= 0 && item <= 255)) {
    throw invalid('the array has something other than whole numbers from 0 to 255');
  }
  if (json.length !== KEYPAIR_BYTES) throw invalid(`the array has ${json.length} numbers and needs 64`);
  return Uint8Array.from(json.map(Number));
}

function parseBase58(text: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = base58.decode(text);
  } catch {
    throw invalid('it is neither base58 nor a JSON array');
  }
  if (bytes.length === KEY_BYTES) return bytes;
  if (bytes.length !== KEYPAIR_BYTES) throw invalid(`it has ${bytes.length} bytes and needs 64, or 32`);
  return seedOfKeypair(bytes);
}

/** The seed of a keypair whose public half has to be the seed's own: a mixed-up pair would pay from an account that nobody sees. */
function seedOfKeypair(keypair: Uint8Array): Uint8Array {
  const seed = Uint8Array.from(keypair.subarray(0, KEY_BYTES));
  const matches = Buffer.compare(ed25519PublicKey(seed), keypair.subarray(KEY_BYTES)) === 0;
  keypair.fill(0);
  if (matches) return seed;
  seed.fill(0);
  throw invalid('its public half does not belong to its private half');
}
