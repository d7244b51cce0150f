import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { Config, writeConfig } from '../home/config.ts';
import { FILE_MODE, FOLDER_MODE, flush } from '../home/files.ts';
import { homePaths } from '../home/home.ts';
import { gateFor } from '../keys/open-keys.ts';
import { createKeychain, keychainWorks, type Keychain } from '../keys/keychain.ts';
import { createAttempts, DEFAULT_COST, type Attempts } from '../keys/passphrase.ts';
import type { SecretItem } from '../keys/secret-store.ts';
import { restoredAnchor } from '../store/anchor.ts';
import { openDatabase } from '../store/database.ts';
import { MIGRATIONS } from '../store/migrations.ts';
import { openBackupFile, type BackupFile } from './backup-file.ts';
import { readEntries, type EntrySink } from './entries.ts';
import { draftOf, removeDrafts } from './restore-leftovers.ts';

const Manifest = z.object({ version: z.string(), schema: z.int().nonnegative(), createdAt: z.number(), sealed: z.boolean().default(false) });
const KeyItems = z.record(z.string().regex(/^(seed|seed:.+|data-key|integrity|account:.+)$/), z.base64()).refine((items) => 'seed' in items && 'data-key' in items, 'has no seed or no data key');

/** What a small entry may have at most: keys and configuration are read into memory. */
const MOST_SMALL_BYTES = 16 * 1024 * 1024;

/** A backup that opened under its passphrase and is whole. */
export interface VerifiedBackup {
  readonly environment: Environment;
  /** When it was made (ms). */
  readonly createdAt: number;
  /** The Bursar that made it. */
  readonly version: string;
  /** Whether the keychain's items also lay under the passphrase. */
  readonly sealed: boolean;
  readonly file: BackupFile;
  readonly config: Config;
  /** Base64 by item. */
  readonly keys: Readonly<Record<string, string>>;
  /** Key of the content. */
  readonly key: Uint8Array;
}

/**
 * Opens a backup and reads all of it once: every byte is authentic then. Nothing is written. Throws `BACKUP_CORRUPT`, `BACKUP_TOO_NEW`,
 * `DATABASE_TOO_NEW`, `NOT_FOUND`, `PASSPHRASE_WRONG`, later each time where `attempts` is the same.
 */
export async function verifyBackup(path: string, passphrase: string, attempts: Attempts = createAttempts()): Promise<VerifiedBackup> {
  const file = await openBackupFile(path);
  let key: Uint8Array | undefined;
  await attempts.run(async () => (key = await file.unlock(passphrase)) !== undefined);
  const small = smallEntries();
  await readEntries(path, file.read(key!), small);
  const corrupt = (what: string, cause: unknown) => new BursarError('BACKUP_CORRUPT', `The backup ${path} holds ${what} that cannot be read.`, { context: { path }, cause });
  const read = <T>(name: string, what: string, schema: z.ZodType<T>): T => {
    try {
      return schema.parse(JSON.parse(small.text(name)));
    } catch (error) {
      throw corrupt(what, error);
    }
  };
  const manifest = read('manifest', 'a description', Manifest);
  if (manifest.schema > MIGRATIONS.length) {
    throw new BursarError('DATABASE_TOO_NEW', `The database in the backup ${path} has schema version ${manifest.schema}; this Bursar knows ${MIGRATIONS.length}.`, {
      context: { path, version: String(manifest.schema), known: String(MIGRATIONS.length) },
      hint: 'Update Bursar; nothing was restored.',
    });
  }
  const config = read('config', 'a configuration', Config);
  if (config.environment !== file.header.environment) throw corrupt('a configuration', undefined);
  return { environment: config.environment, createdAt: file.header.createdAt, version: manifest.version, sealed: manifest.sealed, file, config, keys: read('keys', 'keys', KeyItems), key: key! };
}

/** Keeps what is small enough to be read as a text. */
function smallEntries(): EntrySink & { text(name: string): string } {
  const pieces = new Map<string, Buffer[]>();
  let current: Buffer[] | undefined;
  return {
    text: (name) => Buffer.concat(pieces.get(name) ?? []).toString(),
    begin: (name, size) => {
      current = name !== 'database' && size <= MOST_SMALL_BYTES ? [] : undefined;
      if (current) pieces.set(name, current);
    },
    take: (bytes) => void current?.push(Buffer.from(bytes)),
  };
}

export interface RestoreOptions {
  readonly backup: VerifiedBackup;
  /** Path of the backup, for its errors. */
  readonly path: string;
  /** The data folder: not there yet, or empty. */
  readonly folder: string;
  /** The one that opened the backup; it is the owner's passphrase of the new folder. */
  readonly passphrase: string;
  /** Takes a vault although a keychain may be there. */
  readonly preferVault?: boolean;
  readonly keychain?: (homeId: string) => Keychain;
  readonly cost?: number;
}

/**
 * Makes a data folder out of a backup, in one step: until everything is written and looked at, nothing stands under its name. The ledger is
 * marked as restored: nothing is paid before its owner has accepted that payments made after the backup are not in it. Returns where the keys
 * lie. Throws `HOME_NOT_EMPTY`, `BACKUP_CORRUPT`, `DATABASE_CORRUPT`, `DATABASE_TOO_NEW`.
 */
export async function restoreBackup({ backup, path, folder, passphrase, preferVault = false, keychain: keychainOf = createKeychain, cost = DEFAULT_COST }: RestoreOptions): Promise<{ readonly backend: 'keychain' | 'vault' }> {
  requireEmpty(folder);
  await removeDrafts(folder, keychainOf);
  // A folder of its own: the keychain items of the one that was backed up may still be there.
  const homeId = randomBytes(8).toString('hex');
  const draft = draftOf(folder, homeId);
  const paths = homePaths(draft);
  const keychain = keychainOf(homeId);
  const backend = !preferVault && (await keychainWorks(keychain)) ? 'keychain' : 'vault';
  const written: SecretItem[] = [];
  mkdirSync(dirname(folder), { recursive: true, mode: FOLDER_MODE });
  mkdirSync(draft, { mode: FOLDER_MODE });
  try {
    await extractDatabase(path, backup, paths.database);
    // Reads it through, and brings it up to date.
    openDatabase(paths.database).close();
    const gate = gateFor({ environment: backup.environment, paths }, backend, keychain, cost);
    await gate.start(false);
    written.push('owner');
    await gate.setPassphrase(passphrase);
    for (const [item, text] of Object.entries(backup.keys) as [SecretItem, string][]) {
      const secret = Buffer.from(text, 'base64');
      const kept = item === 'integrity' ? restoredAnchor(secret, backup.createdAt) : secret;
      written.push(item);
      await gate.secrets.set(item, kept);
      secret.fill(0);
    }
    if (backup.sealed) {
      written.push('seal');
      await gate.seal?.put(passphrase, Object.keys(backup.keys) as SecretItem[]);
    }
    gate.close();
    writeConfig(paths.config, { ...backup.config, homeId, keys: { backend, created: true } });
    requireEmpty(folder);
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(draft, folder);
    flush(dirname(folder));
    return { backend };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (backend === 'keychain') for (const item of written) await keychain.delete(item).catch(() => undefined);
    throw error;
  }
}

async function extractDatabase(path: string, { file, key }: VerifiedBackup, target: string): Promise<void> {
  const out = openSync(target, 'wx', FILE_MODE);
  try {
    let isDatabase = false;
    await readEntries(path, file.read(key), {
      begin: (name) => {
        isDatabase = name === 'database';
      },
      take: (bytes) => {
        if (!isDatabase) return;
        for (let at = 0; at < bytes.length; ) at += writeSync(out, bytes, at);
      },
    });
    fsyncSync(out);
  } finally {
    closeSync(out);
  }
}

/** Throws `HOME_NOT_EMPTY`. */
export function requireEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new BursarError('HOME_NOT_EMPTY', `The folder ${folder} is not empty.`, { context: { home: folder } });
}
