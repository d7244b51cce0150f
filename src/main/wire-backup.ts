import type { Clock } from '../core/ports.ts';
import { createBackup } from './adapters/backup/create-backup.ts';
import type { Home } from './adapters/home/home.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Db } from './adapters/store/database.ts';
import { backupHandlers } from './rpc/handlers/backup.ts';

export interface BackupParts {
  readonly home: Home;
  readonly db: Db;
  readonly wallet: Wallet;
  readonly clock: Clock;
  readonly version: string;
}

/** The routes that back a data folder up; one backup is made at a time. */
export function wireBackup({ home, db, wallet, clock, version }: BackupParts): ReturnType<typeof backupHandlers> {
  let last: Promise<unknown> = Promise.resolve();
  return backupHandlers({
    verifyPassphrase: (passphrase) => wallet.verifyPassphrase(passphrase),
    create(path, passphrase, now) {
      const made = last.then(() => createBackup({ home, db, wallet, path, passphrase, version, now }));
      last = made.catch(() => undefined);
      return made;
    },
    now: () => clock.now(),
    made: (backedUpAt) => void home.update({ backedUpAt }),
    lastAt: () => home.config().backedUpAt,
  });
}
