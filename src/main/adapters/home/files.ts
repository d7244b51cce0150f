import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Mode of every file that Bursar keeps: its owner alone. Windows ignores it; there the user's profile folder protects. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/**
 * Replaces a file in one step: whoever reads it, also after a power cut, finds the old text or the new one, never a part.
 * The file is readable by its owner alone.
 */
export function writeFileAtomically(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
  const file = openSync(draft, 'wx', FILE_MODE);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } catch (error) {
    closeSync(file);
    rmSync(draft, { force: true });
    throw error;
  }
  closeSync(file);
  renameSync(draft, path);
  flush(dirname(path));
}

/** Flushes a file or folder to the disk. Does nothing on Windows, where a folder has no handle to flush and NTFS journals renames. */
export function flush(path: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
