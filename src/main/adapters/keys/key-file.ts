import { createDecipheriv, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { issueWords, firstIssue } from '../../../shared/errors/issue-words.ts';

const derive = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** Base64, as the SDK writes it, or hex, as others write the same form. */
const Bytes = z.string().max(1024).regex(/^(?:[0-9a-fA-F]{2})+$|^[A-Za-z0-9+/]+={0,2}$/, 'is neither base64 nor hex').transform((text) => Buffer.from(text, /^(?:[0-9a-fA-F]{2})+$/.test(text) ? 'hex' : 'base64'));

const Cost = z.strictObject({ N: z.int().min(2 ** 10).max(2 ** 20).refine((n) => Number.isInteger(Math.log2(n)), 'is no power of two'), r: z.int().min(1).max(16), p: z.int().min(1).max(4) });
type Cost = z.infer<typeof Cost>;

/**
 * Version 1 of the encrypted keypair files of `@ozskr/agent-wallet-sdk`: scrypt and AES-256-GCM over the 64 bytes of a Solana keypair. The
 * files do not say their scrypt cost; one that does (`scrypt`) is believed. `tag` is another name for `authTag`.
 */
const KeyFile = z
  .object({ version: z.literal(1), salt: Bytes, iv: Bytes, ciphertext: Bytes, authTag: Bytes.optional(), tag: Bytes.optional(), scrypt: Cost.optional() })
  .refine(({ authTag, tag }) => authTag !== undefined || tag !== undefined, { path: ['authTag'], error: 'is missing' });

/** The costs that the SDK writes with: 2^14 in its tests, 2^20 otherwise; and what lies between. Cheap ones first, since the tag says which is right. */
const USUAL_COSTS: readonly Cost[] = [14, 15, 16, 17, 18, 20].map((bits) => ({ N: 2 ** bits, r: 8, p: 1 }));

const KEY_BYTES = 32;
const TAG_BYTES = 16;

/** True for a text that is meant as such a file. */
export const isKeyFile = (text: string): boolean => text.trimStart().startsWith('{');

/**
 * Opens an encrypted keypair file: the 64 bytes of a Solana keypair, or the 32 of its seed, for the caller to wipe. Throws `KEY_INVALID` where
 * it is no such file, `KEY_FILE_UNSUPPORTED` for another version, and `PASSPHRASE_WRONG`, which a damaged file looks like too. A file of
 * production cost takes four seconds and 1 GiB of memory.
 */
export async function openKeyFile(text: string, passphrase: string): Promise<Uint8Array> {
  const file = readKeyFile(text);
  for (const cost of file.scrypt ? [file.scrypt] : USUAL_COSTS) {
    const key = await derive(passphrase, file.salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r });
    const plain = open(key, file);
    key.fill(0);
    if (plain) return plain;
  }
  throw new BursarError('PASSPHRASE_WRONG', 'The key file does not open: the passphrase is another one, or the file is damaged.', { hint: 'Nothing was imported. Try again with the passphrase that the file was made with.' });
}

function readKeyFile(text: string) {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new BursarError('KEY_INVALID', 'The key file cannot be read: it is not whole JSON.', { hint: 'It may have been cut off. Copy it anew.' });
  }
  const version = z.object({ version: z.union([z.number(), z.string()]) }).safeParse(json).data?.version;
  if (version !== undefined && version !== 1) {
    throw new BursarError('KEY_FILE_UNSUPPORTED', `The key file is of version ${String(version).slice(0, 20)}, and Bursar reads version 1.`, { context: { version: String(version).slice(0, 20) } });
  }
  const parsed = KeyFile.safeParse(json, { error: issueWords });
  if (!parsed.success) {
    const { field, words } = firstIssue(parsed.error);
    throw new BursarError('KEY_INVALID', `The key file cannot be read${field && ` at ${field}`}: ${words}.`);
  }
  const { authTag = parsed.data.tag!, ...file } = parsed.data;
  if (authTag.length !== TAG_BYTES) throw new BursarError('KEY_INVALID', 'The key file cannot be read at authTag: it has to have 16 bytes.');
  return { ...file, authTag };
}

function open(key: Uint8Array, { iv, ciphertext, authTag }: { readonly iv: Buffer; readonly ciphertext: Buffer; readonly authTag: Buffer }): Uint8Array | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(authTag);
  const plain = decipher.update(ciphertext);
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return undefined;
  }
}
