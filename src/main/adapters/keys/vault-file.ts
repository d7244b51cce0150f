import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import { writeFileAtomically } from '../home/files.ts';
import { isCost } from './passphrase.ts';

const Base64 = z.base64();

const Header = z.strictObject({
  format: z.literal('bursar-vault'),
  version: z.literal(1),
  kdf: z.strictObject({ name: z.literal('scrypt'), N: z.number().refine(isCost), r: z.literal(8), p: z.literal(1), salt: Base64 }),
});

const VaultContent = Header.extend({
  /** A known text under the passphrase's key: tells a wrong passphrase from a right one. */
  check: Base64,
  /** Each item under the passphrase's key, bound to the header and its own name. */
  items: z.record(z.string(), Base64),
});
export type VaultContent = z.infer<typeof VaultContent>;

/** The checksum tells a damaged file from a wrong passphrase; it protects against nothing else. */
const VaultFile = VaultContent.extend({ sha256: z.string() });

/** A vault without items, under a salt of its own and scrypt's N. */
export const emptyVault = (salt: Uint8Array, cost: number): VaultContent => ({
  format: 'bursar-vault',
  version: 1,
  kdf: { name: 'scrypt', N: cost, r: 8, p: 1, salt: Buffer.from(salt).toString('base64') },
  check: '',
  items: {},
});

/** What an item is bound to: it does not open under another name or in another vault. */
export const itemContext = ({ format, version, kdf }: VaultContent, name: string): string =>
  JSON.stringify([format, version, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, name]);

/** Reads a vault. Throws `VAULT_CORRUPT` when it is missing or damaged; nothing is changed. */
export function readVault(path: string): VaultContent {
  if (!existsSync(path)) throw vaultCorrupt(path, 'is missing');
  let parsed: z.infer<typeof VaultFile>;
  try {
    parsed = VaultFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw vaultCorrupt(path, 'is damaged, or of a newer Bursar', error);
  }
  const { sha256, ...content } = parsed;
  if (sha256 !== checksum(content)) throw vaultCorrupt(path, 'is damaged');
  return content;
}

/** Replaces a vault in one step, durable when it returns. */
export const writeVault = (path: string, content: VaultContent): void =>
  writeFileAtomically(path, `${JSON.stringify({ ...content, sha256: checksum(content) }, null, 2)}\n`);

export const vaultCorrupt = (path: string, why: string, cause?: unknown): BursarError =>
  new BursarError('VAULT_CORRUPT', `The vault ${path} ${why}.`, { context: { path }, cause });

function checksum({ format, version, kdf, check, items }: VaultContent): string {
  const sorted = Object.keys(items).toSorted().map((name) => [name, items[name]]);
  return createHash('sha256').update(JSON.stringify([format, version, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, check, sorted])).digest('hex');
}
