import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock, Journal } from '../../../src/core/ports.ts';
import { openDatabase, type Db } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that a test moves by hand. */
export const handClock = (at = 1_700_000_000_000): Pick<Clock, 'now'> & { at: number } => ({
  at,
  now() {
    return this.at;
  },
});

export interface Store {
  readonly db: Db;
  readonly path: string;
  readonly journal: Journal;
  readonly clock: Pick<Clock, 'now'> & { at: number };
}

/** A journal on a real file. */
export function openStore(): Store {
  const path = join(temporaryFolder(), 'bursar.db');
  const db = openDatabase(path);
  onTestFinished(() => void db.close());
  const clock = handClock();
  return { db, path, journal: createJournal(db, clock), clock };
}

export { created, dayCap, newPayment, policyOf, use, USDC } from './payments.ts';
