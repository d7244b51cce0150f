import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, readFile, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { BursarError } from '../../shared/errors/errors.ts';

/** A client's configuration file as it lies on disk. */
export interface ConfigFile {
  /** Where the bytes are: symbolic links followed. */
  readonly path: string;
  /** False where the file is not there yet; then `bytes` is empty. */
  readonly exists: boolean;
  readonly bytes: Buffer;
  /** Permission bits, for the file that takes its place. */
  readonly mode: number;
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Turns "not there" into `undefined`; every other failure stays one. */
async function ifThere<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The file behind a symbolic link, also one whose target has yet to be created: a link is never replaced by a file. */
async function target(path: string): Promise<string> {
  const real = await ifThere(realpath(path));
  if (real !== undefined) return real;
  const info = await ifThere(lstat(path));
  return info?.isSymbolicLink() ? resolve(dirname(path), await readlink(path)) : path;
}

/** True when there is something at the path. */
export const isThere = async (path: string): Promise<boolean> => (await ifThere(stat(path))) !== undefined;

/** Reads the file; one that does not exist yet is read as empty, to be created for the user alone. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const real = await target(path);
  const bytes = await ifThere(readFile(real));
  if (bytes === undefined) return { path: real, exists: false, bytes: Buffer.alloc(0), mode: 0o600 };
  const { mode } = await stat(real);
  return { path: real, exists: true, bytes, mode: mode & 0o777 };
}

/** The file's text. Throws `CLIENT_CONFIG_MALFORMED` where it is not UTF-8. A byte order mark stays in the text. */
export function textOf({ path, bytes }: ConfigFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new BursarError('CLIENT_CONFIG_MALFORMED', `${path} is not UTF-8 text.`, { cause });
  }
}

const BACKUP = '.bursar-backup-';

const forbidden = (path: string, cause?: unknown) =>
  new BursarError('FORBIDDEN', `${path} cannot be written.`, { hint: 'Make the file and its folder writable, then try again.', cause });

/** Names the file where the system refuses a write; every other failure stays as it is. */
async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ['EACCES', 'EPERM', 'EROFS'].includes(String(codeOf(error))) ? forbidden(path, error) : error;
  }
}

/** Copies the bytes to `<file>.bursar-backup-<time>` beside the file, never over another backup. Gives its path. */
export async function backUp(file: ConfigFile, now: Date): Promise<string> {
  const path = `${file.path}${BACKUP}${now.toISOString().replaceAll(/[-:.]/g, '')}`;
  await writing(file.path, () => writeFile(path, file.bytes, { flag: 'wx', mode: file.mode }));
  return path;
}

/** The backups beside the file, oldest first. */
export async function backupsOf(file: ConfigFile): Promise<readonly { readonly path: string; readonly bytes: Buffer }[]> {
  const folder = dirname(file.path);
  const names = (await readdir(folder)).filter((name) => name.startsWith(basename(file.path) + BACKUP)).toSorted();
  return Promise.all(names.map(async (name) => ({ path: join(folder, name), bytes: await readFile(join(folder, name)) })));
}

/** Throws `APPROVAL_STALE` unless the file on disk is still the one that was read. */
async function assertUnchanged(file: ConfigFile): Promise<void> {
  const now = await readConfigFile(file.path);
  if (now.exists === file.exists && now.bytes.equals(file.bytes)) return;
  throw new BursarError('APPROVAL_STALE', `${file.path} changed in the meantime.`, { hint: 'Look at the preview again.' });
}

/** Throws `FORBIDDEN` for a file that its owner has made read-only; a rename would go over it without a word. */
export function assertWritable(file: ConfigFile): void {
  if (!file.exists || (file.mode & 0o200) !== 0) return;
  throw forbidden(file.path);
}

/** Writes and syncs the bytes to a file of their own. */
async function writeDraft(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.chmod(mode);
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Puts new bytes in the file's place: written beside it under the same mode, renamed, read back. A crash leaves the old file
 * or the new one. Throws `APPROVAL_STALE` where the file changed since it was read or right after, `FORBIDDEN`.
 */
export async function replaceConfigFile(file: ConfigFile, bytes: Uint8Array): Promise<void> {
  assertWritable(file);
  const draft = `${file.path}.${randomUUID()}.tmp`;
  try {
    await writing(file.path, () => writeDraft(draft, bytes, file.mode));
    await assertUnchanged(file);
    await writing(file.path, () => rename(draft, file.path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (!(await readFile(file.path)).equals(bytes)) {
    throw new BursarError('APPROVAL_STALE', `${file.path} was changed by another program right after it was written.`, { hint: 'Look at the preview again.' });
  }
}

/** Removes a file that Bursar created. Throws `APPROVAL_STALE` where it changed since it was read. */
export async function removeConfigFile(file: ConfigFile): Promise<void> {
  assertWritable(file);
  await assertUnchanged(file);
  await writing(file.path, () => rm(file.path));
}
