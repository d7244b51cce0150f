import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createHistory } from '../../../src/main/adapters/store/history.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { created, dayCap, newPayment, openStore, policyOf, temporaryFolder, use } from './fixtures.ts';

it('admits more than the cap when 500 calls come at once (I3)', async () => {
  const { journal } = openStore();
  const policy = policyOf(dayCap);
  const call = async (number: number) => {
    await new Promise(setImmediate);
    return journal.atomically((tx) => {
      if (tx.used(policy, 0, use(1n)) >= 10n) return false;
      tx.insert(newPayment(`p${number}`), [use(1n)], created);
      return true;
    });
  };
  const admitted = await Promise.all(Array.from({ length: 500 }, (_, number) => call(number)));
  expect(admitted.filter(Boolean)).toHaveLength(10);
  expect(journal.unresolved()).toHaveLength(10);
});

it('admits more than the cap when several processes write at once, or fails because the database is busy (I3)', { timeout: 30_000 }, async () => {
  const path = join(temporaryFolder(), 'bursar.db');
  const db = openDatabase(path);
  onTestFinished(() => void db.close());
  const writers = ['a', 'b', 'c'].map((name) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'cap-writer.ts'), path, name, '300'], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ready: once(child.stdout, 'data'), exit: once(child, 'exit') };
  });
  await Promise.all(writers.map(({ ready }) => ready));
  for (const { child } of writers) child.stdin.end('go');
  const outputs = await Promise.all(writers.map(async ({ child }) => Number((await child.stdout.setEncoding('utf8').toArray()).join(''))));
  expect(await Promise.all(writers.map(async ({ exit }) => (await exit)[0]))).toEqual([0, 0, 0]);
  expect(outputs.reduce((sum, got) => sum + got, 0)).toBe(300);
  expect(createJournal(db, Date).unresolved()).toHaveLength(300);
  expect(createHistory(db).spentSince(0)).toHaveLength(300);
});
