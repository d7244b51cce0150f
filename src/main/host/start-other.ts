import { spawn } from 'node:child_process';
import type { Environment } from '../../shared/contract/app.ts';

/** How this program is started: with what, and with which words before those that choose the data folder. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts the program once more for another kind of money, which has a data folder, a tray icon and windows of its own. Where it runs
 * already, that one comes forward. Rejects where the program cannot be started.
 */
export const startOther =
  ({ command, args, env }: Program) =>
  (environment: Environment): Promise<void> => {
    // A folder that was named for this one is not the other's.
    const { BURSAR_HOME: _own, ...rest } = process.env;
    const child = spawn(command, [...args, '--network', environment], { detached: true, stdio: 'ignore', env: { ...rest, ...env } });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
    return promise;
  };
