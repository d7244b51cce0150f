import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { handClock, temporaryFolder } from './fixtures.ts';

it('loses a committed row, or half of one, when the process is killed while it writes (I4)', { timeout: 30_000 }, async () => {
  const path = join(temporaryFolder(), 'bursar.db');
  const child = spawn(process.execPath, [join(import.meta.dirname, 'crash-writer.ts'), path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const committed: string[] = [];
  for await (const id of createInterface({ input: child.stdout })) {
    committed.push(id);
    if (committed.length === 50) child.kill('SIGKILL');
  }
  await exit;
  expect(child.signalCode).toBe('SIGKILL');

  const db = openDatabase(path);
  onTestFinished(() => void db.close());
  const journal = createJournal(db, handClock());
  expect(committed.filter((id) => !journal.get(id))).toEqual([]);
  // The last row may have been committed without being printed, and is whole then.
  const rows = journal.unresolved();
  expect(rows.length - committed.length).toBeLessThanOrEqual(1);
  expect(createHistory(db).spentSince(0).map(({ usd }) => usd)).toEqual(rows.map(() => 7n));
  expect(rows.map(({ id }) => createHistory(db).timeline(id).length)).toEqual(rows.map(() => 1));
});
