import { expect, it } from 'vitest';
import { createActivityLog } from '../../../src/main/adapters/store/activity.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import { recordActs } from '../../../src/main/rpc/record-acts.ts';
import type { Act } from '../../../src/main/rpc/router.ts';
import { recordingLog } from '../../support/rpc/contract-fakes.ts';
import { openStore } from './fixtures.ts';

function openLog() {
  const { db, clock } = openStore();
  const activity = createActivityLog(db);
  let changes = 0;
  const record = recordActs({ activity, clock, log: recordingLog(), changed: () => (changes += 1) });
  const act = (route: Act['route'], input: unknown = {}, outcome: Act['outcome'] = '', answer?: unknown) => {
    clock.at += 1000;
    record({ route, input, outcome, answer, caller: { surface: 'dashboard', connection: 'c', host: 'headless' } });
  };
  return { db, clock, activity, act, changes: () => changes, all: () => activity.page({ offset: 0, limit: 100 }).entries };
}

it('forgets an act or a wrong passphrase, or writes down what has a record of its own', () => {
  const { act, all, changes } = openLog();
  act('clients.add', { name: 'cursor', credential: 'key' });
  act('owner.unlock', { passphrase: 'wrong horse' }, 'PASSPHRASE_WRONG');
  act('clients.add', { name: 'other' }, 'INPUT_INVALID');
  act('policy.set', { basedOn: 1 });
  act('sends.send', {});
  expect(all().map(({ act: route, subject, outcome, author }) => [route, subject, outcome, author])).toEqual([
    ['owner.unlock', '', 'PASSPHRASE_WRONG', 'owner, dashboard'],
    ['clients.add', 'cursor', '', 'owner, dashboard'],
  ]);
  expect(changes()).toBe(2);
});

it('writes a secret down, or the name of a contact that lies sealed elsewhere (I6)', () => {
  const { act, db } = openLog();
  act('contacts.add', { name: 'Ada Lovelace', email: 'ada@example.com' });
  act('contacts.add', { name: 'Ada Lovelace' }, '', { number: 2, name: 'Ada Lovelace', email: '', phone: '', note: '', addresses: [], warnings: [], createdAt: 1 });
  act('contacts.edit', { number: 3, name: 'Ada Lovelace' });
  act('accounts.importMnemonic', { label: 'Old', words: 'abandon abandon about' });
  act('backup.create', { path: '/home/ada/b', passphrase: 'correct horse' });
  act('upstreams.add', { name: 'weather', transport: { kind: 'http', url: 'https://x', headers: { authorization: 'Bearer secret' } } });
  const stored = JSON.stringify(db.prepare('SELECT * FROM activity').all());
  for (const secret of ['Ada', 'ada@example.com', 'abandon', 'correct horse', 'Bearer']) expect(stored).not.toContain(secret);
  expect(db.prepare('SELECT subject FROM activity ORDER BY seq').pluck().all()).toEqual(['', '2', '3', 'Old', '/home/ada/b', 'weather']);
});

it('shows old entries first, loses one between two pages, or leaves the policy’s versions out', () => {
  const { db, clock, act, activity } = openLog();
  act('clients.add', { name: 'one' });
  clock.at += 1000;
  createPolicies(db, clock, { timeZone: 'UTC' });
  act('clients.add', { name: 'two' });
  const first = activity.page({ offset: 0, limit: 2 });
  expect([first.entries.map(({ subject, act: route }) => [route, subject]), first.more]).toEqual([[['clients.add', 'two'], ['policy.version', '1']], true]);
  const second = activity.page({ offset: 2, limit: 2 });
  expect([second.entries.map(({ subject }) => subject), second.more]).toEqual([['one'], false]);
});

it('lets an entry be changed or removed', () => {
  const { db, act } = openLog();
  act('owner.lock');
  expect(() => db.exec(`UPDATE activity SET author = 'nobody'`)).toThrow(/append-only/);
  expect(() => db.exec('DELETE FROM activity')).toThrow(/append-only/);
});
