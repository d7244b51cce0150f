import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { Environment } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { FILE_MODE, flush } from '../home/files.ts';
import { decrypt, encrypt } from '../keys/gcm.ts';
import { deriveKey, isCost, newSalt } from '../keys/passphrase.ts';

/** Version of the file that this program writes and the newest that it reads. */
const BACKUP_VERSION = 1;

const HeaderFields = z.strictObject({
  format: z.literal('bursar-backup'),
  version: z.literal(BACKUP_VERSION),
  environment: Environment,
  /** Milliseconds since the epoch. */
  createdAt: z.number().int().nonnegative(),
  kdf: z.strictObject({ name: z.literal('scrypt'), N: z.number().refine(isCost), r: z.literal(8), p: z.literal(1), salt: z.base64() }),
  /** A known text under the passphrase: tells a wrong passphrase from a right one. */
  check: z.base64(),
});
/** The checksum tells a damaged header from a wrong passphrase; it protects against nothing else. */
const Header = HeaderFields.extend({ sha256: z.string() });
export type BackupHeader = z.infer<typeof HeaderFields>;

/** The first line of a file is its header, at most this long; what follows are chunks. */
const MOST_HEADER_BYTES = 4096;
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const CHECK_TEXT = Buffer.from('bursar backup');

const subKey = (key: Uint8Array, use: 'check' | 'content'): Buffer => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `bursar backup ${use} v1`, 32));
const corrupt = (path: string, why: string, cause?: unknown) => new BursarError('BACKUP_CORRUPT', `The backup ${path} ${why}.`, { context: { path }, cause });

/**
 * Chunks are AES-256-GCM under a key that no other file has, so a counter is a nonce; its last byte marks the last chunk, so that a file that
 * was cut off between two chunks does not pass (the STREAM construction). Each is bound to the header.
 */
const nonceOf = (number: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
};

export interface BackupWriter {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Writes an encrypted file under a passphrase in one step: `fill` gives its content piece by piece, and a file stands under its name only when
 * it is whole and on the disk. Never replaces one. Throws `INPUT_INVALID` where a file is there, and what `fill` throws. Returns its size.
 */
export async function writeBackupFile(path: string, options: { readonly passphrase: string; readonly cost: number; readonly environment: Environment; readonly createdAt: number }, fill: (writer: BackupWriter) => Promise<void>): Promise<number> {
  const { passphrase, cost, environment, createdAt } = options;
  if (existsSync(path)) throw exists(path);
  const salt = newSalt();
  const key = await deriveKey(passphrase, salt, cost);
  const [checkKey, contentKey] = [subKey(key, 'check'), subKey(key, 'content')];
  key.fill(0);
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  let file: FileHandle | undefined;
  try {
    const unchecked = { format: 'bursar-backup', version: BACKUP_VERSION, environment, createdAt, kdf: { name: 'scrypt', N: cost, r: 8, p: 1, salt: salt.toString('base64') } } as const;
    const fields: BackupHeader = { ...unchecked, check: encrypt(checkKey, CHECK_TEXT, JSON.stringify(unchecked)).toString('base64') };
    const line = Buffer.from(`${JSON.stringify({ ...fields, sha256: checksum(fields) })}\n`);
    file = await openNew(draft);
    await file.writeFile(line);
    const chunks = chunkWriter(file, contentKey, line);
    await fill({ write: (bytes) => chunks.write(bytes) });
    const size = line.length + (await chunks.end());
    await file.sync();
    await file.close();
    file = undefined;
    if (existsSync(path)) throw exists(path);
    await rename(draft, path);
    flush(dirname(path));
    return size;
  } catch (error) {
    await file?.close();
    await rm(draft, { force: true });
    throw error;
  } finally {
    checkKey.fill(0);
    contentKey.fill(0);
  }
}

const exists = (path: string) => new BursarError('INPUT_INVALID', `There is a file ${path} already.`, { hint: 'Give another name; nothing was written.', context: { field: 'path' } });

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', FILE_MODE);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG'].includes(code)) {
      throw new BursarError('INPUT_INVALID', `No file can be written in ${dirname(path)} (${code}).`, { hint: 'Give another folder; nothing was written.', context: { field: 'path' }, cause });
    }
    throw cause;
  }
}

function chunkWriter(file: FileHandle, key: Uint8Array, header: Uint8Array) {
  const aad = createHash('sha256').update(header).digest();
  const held = Buffer.alloc(CHUNK_BYTES);
  let filled = 0;
  let number = 0;
  let size = 0;
  const put = async (isLast: boolean): Promise<void> => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast), { authTagLength: TAG_BYTES });
    cipher.setAAD(aad);
    const sealed = Buffer.concat([cipher.update(held.subarray(0, filled)), cipher.final(), cipher.getAuthTag()]);
    held.fill(0);
    filled = 0;
    size += sealed.length;
    await file.writeFile(sealed);
  };
  return {
    async write(bytes: Uint8Array): Promise<void> {
      for (let at = 0; at < bytes.length; ) {
        // Only once more is to come is a full chunk known not to be the last one.
        if (filled === CHUNK_BYTES) await put(false);
        const part = bytes.subarray(at, at + CHUNK_BYTES - filled);
        held.set(part, filled);
        filled += part.length;
        at += part.length;
      }
    },
    async end(): Promise<number> {
      await put(true);
      return size;
    },
  };
}

/** A backup whose header was read. */
export interface BackupFile {
  readonly header: BackupHeader;
  /** The key of the content, for the caller to wipe; undefined where the passphrase is another one. */
  unlock(passphrase: string): Promise<Uint8Array | undefined>;
  /** Gives the content piece by piece, each authenticated; throws `BACKUP_CORRUPT` at the first that is not as it was written, or is missing. */
  read(key: Uint8Array): AsyncGenerator<Uint8Array>;
}

/** Reads the header of a backup. Throws `BACKUP_CORRUPT`, `BACKUP_TOO_NEW`, `NOT_FOUND`. */
export async function openBackupFile(path: string): Promise<BackupFile> {
  const { line, size } = await readHeaderLine(path);
  let json: unknown;
  try {
    json = JSON.parse(line.toString());
  } catch (error) {
    throw corrupt(path, 'is damaged at its beginning, or is no backup of Bursar', error);
  }
  const named = z.object({ format: z.literal('bursar-backup'), version: z.number() }).safeParse(json).data;
  if (!named) throw corrupt(path, 'is damaged at its beginning, or is no backup of Bursar');
  if (named.version > BACKUP_VERSION) {
    throw new BursarError('BACKUP_TOO_NEW', `The backup ${path} is of version ${named.version}; this Bursar knows ${BACKUP_VERSION}.`, { context: { path, version: String(named.version), known: String(BACKUP_VERSION) } });
  }
  const parsed = Header.safeParse(json);
  if (!parsed.success) throw corrupt(path, 'is damaged at its beginning', parsed.error);
  const { sha256, ...header } = parsed.data;
  if (sha256 !== checksum(header)) throw corrupt(path, 'is damaged at its beginning');
  return {
    header,
    async unlock(passphrase) {
      const { check, ...unchecked } = header;
      const key = await deriveKey(passphrase, Buffer.from(header.kdf.salt, 'base64'), header.kdf.N);
      const checkKey = subKey(key, 'check');
      const right = decrypt(checkKey, Buffer.from(check, 'base64'), JSON.stringify(unchecked))?.equals(CHECK_TEXT) === true;
      const contentKey = right ? subKey(key, 'content') : undefined;
      for (const bytes of [key, checkKey]) bytes.fill(0);
      return contentKey;
    },
    read: (key) => readChunks(path, key, line, size),
  };
}

async function readHeaderLine(path: string): Promise<{ line: Buffer; size: number }> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (cause) {
    throw new BursarError('NOT_FOUND', `The backup ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unreadable'}).`, { hint: 'Check its name.', cause });
  }
  try {
    const start = Buffer.alloc(MOST_HEADER_BYTES);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const end = start.subarray(0, bytesRead).indexOf('\n');
    if (end < 0) throw corrupt(path, 'is damaged at its beginning, or is no backup of Bursar');
    return { line: start.subarray(0, end + 1), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function* readChunks(path: string, key: Uint8Array, header: Buffer, size: number): AsyncGenerator<Uint8Array> {
  const aad = createHash('sha256').update(header).digest();
  const file = await open(path, 'r');
  const sealed = Buffer.alloc(CHUNK_BYTES + TAG_BYTES);
  try {
    let at = header.length;
    for (let number = 0; number === 0 || at < size; number += 1) {
      const { bytesRead } = await file.read(sealed, 0, sealed.length, at);
      at += bytesRead;
      const plain = openChunk(key, sealed.subarray(0, bytesRead), nonceOf(number, at >= size), aad);
      if (!plain) throw corrupt(path, at >= size ? 'was cut off, or changed near its end' : `was changed, within its ${number + 1}. part of 64 KiB`);
      yield plain;
      plain.fill(0);
    }
  } finally {
    await file.close();
  }
}

function openChunk(key: Uint8Array, sealed: Uint8Array, nonce: Uint8Array, aad: Uint8Array): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return undefined;
  }
}

const checksum = ({ format, version, environment, createdAt, kdf, check }: BackupHeader): string =>
  createHash('sha256').update(JSON.stringify([format, version, environment, createdAt, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, check])).digest('hex');
