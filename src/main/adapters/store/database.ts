import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { BursarError } from '../../../shared/errors/errors.ts';
import { FILE_MODE, flush } from '../home/files.ts';
import { MIGRATIONS, type Migration } from './migrations.ts';

export type Db = Database.Database;

/** `PRAGMA application_id` of a Bursar database: "Brsr". */
const APPLICATION_ID = 0x42727372;

/** A larger file is not read through at every start: that would take seconds. The audit reads all of its rows while Bursar runs. */
const QUICK_CHECK_LIMIT_BYTES = 64 * 1024 * 1024;
const MAGIC = 'SQLite format 3\0';

const corrupt = (path: string, why: string, cause?: unknown) =>
  new BursarError('DATABASE_CORRUPT', `The database ${path} ${why}.`, { context: { path }, cause });

/**
 * Opens the database, creating or migrating it. An existing file is looked at read-only first and left exactly as it was unless it is
 * whole and not newer than this program; before migrating, a copy is put beside it (`….before-v2`).
 * The engine lock of the data folder has to be held. Throws `DATABASE_TOO_NEW`, `DATABASE_CORRUPT`.
 */
export function openDatabase(path: string, migrations: readonly Migration[] = MIGRATIONS): Db {
  if (!existsSync(path)) create(path, migrations);
  const version = inspect(path, migrations.length);
  chmodSync(path, FILE_MODE);
  const db = new Database(path);
  try {
    configure(db);
    if (version < migrations.length) {
      backup(db, `${path}.before-v${migrations.length}`);
      migrate(db, migrations);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Throws `DATABASE_CORRUPT` where there is no database: what was spent must not be forgotten because a file went missing (I3). `hint` says how the owner goes on. */
export function requireDatabase(path: string, hint: string): void {
  if (existsSync(path)) return;
  throw new BursarError('DATABASE_CORRUPT', `The ledger ${path} is missing, although the keys of this data folder are there.`, { context: { path }, hint });
}

/** A new database appears under its name only when it is complete, so a file of that name is never half made. */
function create(path: string, migrations: readonly Migration[]): void {
  const draft = `${path}.new`;
  removeWithSideFiles(draft);
  closeSync(openSync(draft, 'wx', FILE_MODE));
  const db = new Database(draft);
  try {
    configure(db);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    migrate(db, migrations);
  } finally {
    db.close();
  }
  // SQLite would play the journal of a lost database into the new one.
  for (const suffix of ['-wal', '-shm', '-journal']) if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.lost${suffix}`);
  renameSync(draft, path);
  flush(dirname(path));
}

/** The file's schema version, from a read-only look that leaves no trace. */
function inspect(path: string, known: number): number {
  if (!hasMagic(path)) throw corrupt(path, 'is not an SQLite file');
  const made = ['-wal', '-shm'].map((suffix) => path + suffix).filter((side) => !existsSync(side));
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true });
    try {
      db.pragma('trusted_schema = OFF');
      const version = Number(db.pragma('user_version', { simple: true }));
      if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw corrupt(path, 'was not made by Bursar');
      if (version > known) {
        throw new BursarError('DATABASE_TOO_NEW', `The database ${path} has schema version ${version}; this Bursar knows ${known}.`, {
          context: { path, version: String(version), known: String(known) },
        });
      }
      const found = statSync(path).size > QUICK_CHECK_LIMIT_BYTES ? 'ok' : db.pragma('quick_check(1)', { simple: true });
      if (found !== 'ok') throw corrupt(path, `is damaged: ${String(found).split('\n')[0]}`);
      return version;
    } finally {
      db.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].some((code) => error.code.startsWith(code))) {
      throw corrupt(path, 'is damaged', error);
    }
    throw error;
  } finally {
    for (const side of made) rmSync(side, { force: true });
  }
}

function configure(db: Db): void {
  db.pragma('busy_timeout = 5000');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  // Four times SQLite's own distance: a commit that moves the log into the file takes several ms, and a payment waits for it.
  db.pragma('wal_autocheckpoint = 4000');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = OFF');
  // Elsewhere these two do nothing; on macOS a plain fsync leaves data in the drive's cache (I4).
  db.pragma('fullfsync = ON');
  db.pragma('checkpoint_fullfsync = ON');
}

function migrate(db: Db, migrations: readonly Migration[]): void {
  const from = Number(db.pragma('user_version', { simple: true }));
  for (const [index, migration] of migrations.entries()) {
    if (index < from) continue;
    db.transaction(() => {
      db.exec(migration.sql);
      migration.run?.(db);
      db.pragma(`user_version = ${index + 1}`);
    }).immediate();
  }
}

function backup(db: Db, target: string): void {
  removeWithSideFiles(target);
  closeSync(openSync(target, 'wx', FILE_MODE));
  db.prepare('VACUUM INTO ?').run(target);
  flush(target);
  flush(dirname(target));
}

function hasMagic(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(MAGIC.length);
    return readSync(file, head, 0, head.length, 0) === head.length && head.toString('latin1') === MAGIC;
  } finally {
    closeSync(file);
  }
}

function removeWithSideFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
