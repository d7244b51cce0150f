import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../../shared/contract/app.ts';
import { contentsOf, moveAside, removeRun } from '../adapters/home/move-aside.ts';

/** What empties a data folder once nothing but its lock is held any more. */
export interface Reset {
  /** Where everything is kept; empty where it is deleted. */
  readonly keptIn: string;
  run(): Promise<void>;
}

export interface ResetOptions {
  readonly folder: string;
  readonly environment: Environment;
  readonly now: number;
  /** Takes the keys of play money out of the keychain. */
  readonly forgetKeys: () => Promise<void>;
}

/**
 * Plans to empty a data folder. Play money is deleted, its keys too. Any other folder is moved beside, under the day: ledger, vault and
 * configuration together, so that moving it back brings everything back, also keys that lie in the keychain under the folder's id.
 */
export function planReset({ folder, environment, now, forgetKeys }: ResetOptions): Reset {
  if (environment === 'sandbox') {
    return {
      keptIn: '',
      async run() {
        // First the keys: where the keychain refuses, nothing is gone yet.
        await forgetKeys();
        for (const name of contentsOf(folder)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
        removeRun(folder);
      },
    };
  }
  const keptIn = freePlace(folder, new Date(now).toISOString().slice(0, 10));
  return { keptIn, run: async () => moveAside(folder, keptIn) };
}

function freePlace(folder: string, day: string): string {
  for (let number = 1; ; number += 1) {
    const place = join(dirname(folder), `${basename(folder)}-kept-${day}${number === 1 ? '' : `-${number}`}`);
    if (!existsSync(place)) return place;
  }
}
