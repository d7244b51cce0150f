import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { BursarError } from '../../../shared/errors/errors.ts';
import { FILE_MODE, FOLDER_MODE, writeFileAtomically } from './files.ts';

/** The engine's hold on a data folder. */
export interface EngineLock {
  release(): void;
}

/** Keeps the connections of held locks reachable: collected as garbage, one would be closed and its lock be gone. */
const held = new Set<Database.Database>();

/**
 * Takes the lock of a data folder: an exclusive SQLite transaction, that is a lock of the operating system, which is gone with the
 * process however it ends. Throws `HOME_IN_USE` with the holder's pid where it is known.
 */
export function lockEngine(home: string): EngineLock {
  const folder = join(home, 'run');
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const lockPath = join(folder, 'engine.lock.db');
  const pidPath = join(folder, 'engine.pid');
  createOnce(lockPath);
  const db = new Database(lockPath, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) throw error;
    const pid = readPid(pidPath);
    const holder = pid === undefined ? 'Another Bursar' : `Another Bursar (process ${pid})`;
    throw new BursarError('HOME_IN_USE', `${holder} uses the data folder ${home}.`, { context: { home, ...(pid !== undefined && { pid }) } });
  }
  held.add(db);
  writeFileAtomically(pidPath, String(process.pid));
  return {
    release() {
      if (!db.open) return;
      rmSync(pidPath, { force: true });
      db.close();
      held.delete(db);
    },
  };
}

/**
 * An existing lock file must not be opened past SQLite: POSIX drops all locks that a process has on a file as soon as it closes any
 * descriptor of it. `wx` fails before opening.
 */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

function readPid(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return /^\d{1,10}$/.test(text) ? text : undefined;
  } catch {
    // The holder may be between taking the lock and writing its pid.
    return undefined;
  }
}
