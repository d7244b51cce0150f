import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

/** Runs one of `scripts/` to its end. Rejects with its own words where it failed, unless it printed its report all the same and `reports` says that it may. */
export const runScript = (name: string, args: readonly string[] = [], { reports = false } = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [join(scripts, name), ...args], { cwd: join(scripts, '..'), maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error === null || (reports && stdout !== '')) resolve(stdout);
      else reject(new Error(`${name} failed. ${stdout}${stderr}`.trim()));
    });
  });
