import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ClientRegistration } from '../../shared/contract/clients.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { assertWritable, backUp, backupsOf, hasFolderOf, readConfigFile, removeConfigFile, replaceConfigFile, textOf, type ConfigFile } from './config-file.ts';
import { OWN_PREFIX, ownEntries, withOwnEntries, type Registrations } from './config-text.ts';

/** A change to a client's file as the owner is shown it. */
export interface RegistrationPreview {
  readonly path: string;
  /** The file's text; empty where there is none yet. */
  readonly before: string;
  readonly after: string;
  /** Stands for this very change, the bytes before and after: what {@link register} must be given to make it. */
  readonly digest: string;
}

/** What is known about the client whose configuration lies at a path. */
export type ClientState = Pick<ClientRegistration, 'state' | 'undoable'>;

const absent = (path: string) => new BursarError('NOT_FOUND', `The folder of ${path} is not there.`, { hint: 'Start the client once, then try again.' });

function assertNames(registrations: Registrations): void {
  const stray = Object.keys(registrations).find((name) => !name.startsWith(OWN_PREFIX));
  if (stray !== undefined) throw new BursarError('INPUT_INVALID', `The entry ${stray} does not begin with ${OWN_PREFIX}.`);
}

function plan(file: ConfigFile, registrations: Registrations) {
  assertNames(registrations);
  const before = textOf(file);
  const after = withOwnEntries(before, registrations);
  const digest = createHash('sha256').update(file.exists ? 'file' : 'none').update('\0').update(file.bytes).update('\0').update(after).digest('hex');
  return { before, after, digest };
}

/**
 * `absent`: the client's folder is not there. `registered`: Bursar's entries are just the given ones; any other set of them,
 * for example with an older path, is `unregistered`. `undoable` while there are entries of Bursar's. Nothing is written.
 */
export async function detectClient(path: string, registrations: Registrations): Promise<ClientState> {
  if (!(await hasFolderOf(path))) return { state: 'absent', undoable: false };
  try {
    const own = ownEntries(textOf(await readConfigFile(path)));
    const undoable = Object.keys(own).length > 0;
    return { state: undoable && isDeepStrictEqual(own, registrations) ? 'registered' : 'unregistered', undoable };
  } catch (error) {
    if (isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) return { state: 'malformed', undoable: false };
    throw error;
  }
}

/** The value of a variable that Bursar's entries in the file have; undefined where there is none, or the file cannot be read. */
export async function registeredVariable(path: string, name: string): Promise<string | undefined> {
  try {
    const [entry] = Object.values(ownEntries(textOf(await readConfigFile(path))));
    const value = (entry as { readonly env?: Readonly<Record<string, unknown>> } | undefined)?.env?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (isBursarError(error, 'CLIENT_CONFIG_MALFORMED')) return undefined;
    throw error;
  }
}

/** The file before and after. Nothing is written. Throws `NOT_FOUND` without the client's folder, `CLIENT_CONFIG_MALFORMED`. */
export async function previewRegistration(path: string, registrations: Registrations): Promise<RegistrationPreview> {
  if (!(await hasFolderOf(path))) throw absent(path);
  return { path, ...plan(await readConfigFile(path), registrations) };
}

/**
 * Makes the change that was previewed, after a backup beside the file. Throws `APPROVAL_STALE` where file or registrations
 * are no longer those of the preview, `FORBIDDEN` for a file or folder that cannot be written, and what {@link previewRegistration} throws.
 */
export async function register(path: string, registrations: Registrations, digest: string, now: Date): Promise<ClientState> {
  if (!(await hasFolderOf(path))) throw absent(path);
  const file = await readConfigFile(path);
  const change = plan(file, registrations);
  if (change.digest !== digest) throw new BursarError('APPROVAL_STALE', `${path} is not what was shown any more.`, { hint: 'Look at the preview again.' });
  assertWritable(file);
  if (change.after !== change.before) {
    if (file.exists) await backUp(file, now);
    await replaceConfigFile(file, Buffer.from(change.after));
  }
  return detectClient(path, registrations);
}

/** True when the current text is that backup plus Bursar's entries and nothing else. */
function isOnlyOurs(backup: ConfigFile, current: string, own: Readonly<Record<string, unknown>>): boolean {
  try {
    const earlier = textOf(backup);
    return Object.keys(ownEntries(earlier)).length === 0 && withOwnEntries(earlier, own) === current;
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
export async function undoRegistration(path: string, registrations: Registrations, now: Date): Promise<ClientState> {
  if (!(await hasFolderOf(path))) throw absent(path);
  const file = await readConfigFile(path);
  const current = textOf(file);
  const own = ownEntries(current);
  if (Object.keys(own).length > 0) {
    const backups = await backupsOf(file);
    const used = backups.findIndex(({ bytes }) => isOnlyOurs({ ...file, bytes }, current, own));
    const backup = backups[used];
    if (backup) {
      await replaceConfigFile(file, backup.bytes);
      await Promise.all(backups.slice(used).map((each) => rm(each.path)));
    } else if (current === withOwnEntries('', own)) {
      await removeConfigFile(file);
    } else {
      assertWritable(file);
      await backUp(file, now);
      await replaceConfigFile(file, Buffer.from(withOwnEntries(current, {})));
    }
  }
  return detectClient(path, registrations);
}
