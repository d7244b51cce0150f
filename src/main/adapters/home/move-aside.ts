import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { FOLDER_MODE, flush, writeFileAtomically } from './files.ts';

/** Electron's own profile lies in the folder and is open until the process is gone. It has no keys and no ledger. */
const PROFILE = 'electron';
/** Holds the lock, which is held until the folder is empty, and what each start writes anew. */
const RUN = 'run';
/** Says where the rest of a folder has to go that a crash left in two places. */
const MARKER = 'moving-to';

/** What makes up a data folder, in the order in which it goes: what a start looks for first is there until the end. */
export const contentsOf = (folder: string): readonly string[] => {
  const last = (name: string): number => Number(name === 'config.json');
  return readdirSync(folder).filter((name) => name !== PROFILE && name !== RUN && name !== MARKER).toSorted((a, b) => last(a) - last(b));
};

/** Removes what each start writes anew, the lock with it. On Windows the lock that is held stays. */
export function removeRun(folder: string): void {
  try {
    rmSync(join(folder, RUN), { recursive: true, force: true });
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  }
}

/**
 * Moves a data folder to a place beside it that is not there yet; its lock has to be held. In one step where that can be. Else piece by piece, and what a
 * crash leaves is moved by {@link finishMove} at the next start: nothing is ever read of half a folder.
 */
export function moveAside(folder: string, place: string): void {
  if (process.platform !== 'win32' && !existsSync(join(folder, PROFILE))) return renameSync(folder, place);
  writeFileAtomically(join(folder, MARKER), basename(place));
  finishMove(folder);
  removeRun(folder);
}

/** Goes on with a move that was begun; does nothing where none was. */
export function finishMove(folder: string): void {
  const marker = join(folder, MARKER);
  if (!existsSync(marker)) return;
  const name = readFileSync(marker, 'utf8');
  if (!name.startsWith(`${basename(folder)}-kept-`) || basename(name) !== name) return;
  const place = join(dirname(folder), name);
  mkdirSync(place, { recursive: true, mode: FOLDER_MODE });
  for (const piece of contentsOf(folder)) renameSync(join(folder, piece), join(place, piece));
  flush(place);
  rmSync(marker);
  flush(folder);
}

/** True where a move was begun and not ended. */
export const isMoving = (folder: string): boolean => existsSync(join(folder, MARKER));
