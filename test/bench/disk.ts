import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder on the disk that the application's data is on in this run. */
export const folderOnDisk = (): string => mkdtempSync(join(tmpdir(), 'bursar-bench-'));

/** Appends one page and flushes it, as a commit of the journal does; gives a function for each next time. */
export function fsyncProbe(folder: string): { flush(): void; close(): void } {
  const path = join(folder, 'fsync-probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  return {
    flush() {
      writeSync(file, page);
      fsyncSync(file);
    },
    close() {
      closeSync(file);
      rmSync(path);
    },
  };
}

/** Type of the file system that holds a folder (Linux; elsewhere `unknown`). */
export function filesystemOf(folder: string): string {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, point = '']) => folder === point || folder.startsWith(point.endsWith('/') ? point : `${point}/`));
    return mounts.toSorted((a, b) => (b[1]?.length ?? 0) - (a[1]?.length ?? 0))[0]?.[2] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
