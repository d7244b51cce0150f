import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ClientRegistration } from '../../shared/contract/clients.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { isInstalled, requireInstalled, type ClientFile } from './client-file.ts';
import { assertWritable, backUp, backupsOf, readConfigFile, removeConfigFile, replaceConfigFile, textOf, type ConfigFile } from './config-file.ts';
import { isOwn, OWN_PREFIX, ownEntries, withOwnEntries } from './config-text.ts';
import type { ConfigShape, Entries } from './formats/config-format.ts';

/** A change to a client's file as the owner is shown it. */
export interface FilePreview {
  readonly path: string;
  /** The file's text; empty where there is none yet. */
  readonly before: string;
  readonly after: string;
  /** Stands for this very change, the bytes before and after: what makes the change must be given it. */
  readonly digest: string;
}

/** What is known about the client whose configuration lies in a file. */
export type ClientState = Pick<ClientRegistration, 'state' | 'undoable'>;

function assertNames(entries: Entries): void {
  const stray = Object.keys(entries).find((name) => !isOwn(name));
  if (stray !== undefined) throw new BursarError('INPUT_INVALID', `The entry ${stray} does not begin with ${OWN_PREFIX}.`);
}

function previewOf(file: ConfigFile, path: string, change: (text: string) => string): FilePreview {
  const before = textOf(file);
  const after = change(before);
  const digest = createHash('sha256').update(file.exists ? 'file' : 'none').update('\0').update(file.bytes).update('\0').update(after).digest('hex');
  return { path, before, after, digest };
}

/** The file before and after a change. Nothing is written. Throws `NOT_FOUND` without the client, `CLIENT_CONFIG_MALFORMED`. */
export async function previewChange(client: ClientFile, change: (text: string) => string): Promise<FilePreview> {
  await requireInstalled(client);
  return previewOf(await readConfigFile(client.path), client.path, change);
}

/**
 * Makes the change that was previewed, after a backup beside the file. Throws `APPROVAL_STALE` where file or change are no longer
 * those of the preview, `FORBIDDEN` for a file or folder that cannot be written, and what {@link previewChange} throws.
 */
export async function makeChange(client: ClientFile, change: (text: string) => string, digest: string, now: Date): Promise<void> {
  await requireInstalled(client);
  const file = await readConfigFile(client.path);
  const preview = previewOf(file, client.path, change);
  if (preview.digest !== digest) throw new BursarError('APPROVAL_STALE', `${client.path} is not what was shown any more.`, { hint: 'Look at the preview again.' });
  assertWritable(file);
  if (preview.after === preview.before) return;
  if (file.exists) await backUp(file, now);
  await replaceConfigFile(file, Buffer.from(preview.after));
}

/**
 * `absent`: there is no sign of the client. `registered`: Bursar's entries are just the given ones; any other set of them,
 * for example with an older path, is `unregistered`. `undoable` while there are entries of Bursar's. Nothing is written.
 */
export async function detectClient(client: ClientFile, wanted: Entries): Promise<ClientState> {
  if (!(await isInstalled(client))) return { state: 'absent', undoable: false };
  try {
    const own = ownEntries(textOf(await readConfigFile(client.path)), client.shape);
    const undoable = Object.keys(own).length > 0;
    return { state: undoable && isDeepStrictEqual(own, wanted) ? 'registered' : 'unregistered', undoable };
  } catch (error) {
    if (isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) return { state: 'malformed', undoable: false };
    throw error;
  }
}

const registering = (client: ClientFile, wanted: Entries) => {
  assertNames(wanted);
  return (text: string) => withOwnEntries(text, wanted, client.shape);
};

/** What {@link register} would change. Throws as {@link previewChange} does, and `INPUT_INVALID` for a name that is not Bursar's. */
export const previewRegistration = async (client: ClientFile, wanted: Entries): Promise<FilePreview> => previewChange(client, registering(client, wanted));

/** Writes Bursar's entries as they were previewed. Throws as {@link makeChange} does. */
export async function register(client: ClientFile, wanted: Entries, digest: string, now: Date): Promise<ClientState> {
  await makeChange(client, registering(client, wanted), digest, now);
  return detectClient(client, wanted);
}

/** True when the current text is that backup plus Bursar's entries and nothing else. */
function isOnlyOurs(backup: ConfigFile, current: string, own: Entries, shape: ConfigShape): boolean {
  try {
    const earlier = textOf(backup);
    return Object.keys(ownEntries(earlier, shape)).length === 0 && withOwnEntries(earlier, own, shape) === current;
  } catch (error) {
    if (isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) return false;
    throw error;
  }
}

/**
 * Takes Bursar's entries out again. Where nothing else changed since, the backup is put back byte for byte (and used up), or
 * the file that Bursar created is removed; otherwise only the entries go, after a backup. Without entries nothing happens.
 * Throws `CLIENT_CONFIG_MALFORMED`, `APPROVAL_STALE`, `FORBIDDEN`, `NOT_FOUND`.
 */
export async function undoRegistration(client: ClientFile, now: Date): Promise<void> {
  await requireInstalled(client);
  const { shape } = client;
  const file = await readConfigFile(client.path);
  const current = textOf(file);
  const own = ownEntries(current, shape);
  if (Object.keys(own).length === 0) return;
  const backups = await backupsOf(file);
  const used = backups.findIndex(({ bytes }) => isOnlyOurs({ ...file, bytes }, current, own, shape));
  const backup = backups[used];
  if (backup) {
    await replaceConfigFile(file, backup.bytes);
    await Promise.all(backups.slice(used).map((each) => rm(each.path)));
  } else if (current === withOwnEntries('', own, shape)) {
    await removeConfigFile(file);
  } else {
    assertWritable(file);
    await backUp(file, now);
    await replaceConfigFile(file, Buffer.from(withOwnEntries(current, {}, shape)));
  }
}
