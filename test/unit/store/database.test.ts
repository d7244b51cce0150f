import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type Db } from '../../../src/main/adapters/store/database.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { MIGRATIONS } from '../../../src/main/adapters/store/migrations.ts';
import { created, dayCap, handClock, newPayment, policyOf, temporaryFolder, use } from './fixtures.ts';

const newPath = () => join(temporaryFolder(), 'bursar.db');

function open(path: string, migrations = MIGRATIONS): Db {
  const db = openDatabase(path, migrations);
  onTestFinished(() => void db.close());
  return db;
}

/** A closed database with one payment in it. */
function filled(): string {
  const path = newPath();
  const db = openDatabase(path);
  createJournal(db, handClock()).atomically((tx) => tx.insert(newPayment('p1'), [], created));
  db.close();
  return path;
}

/** Names and bytes of everything in the folder of a file. */
const snapshot = (path: string) => readdirSync(dirname(path)).toSorted().map((name) => [name, readFileSync(join(dirname(path), name)).toString('base64')]);

function expectUntouched(path: string, code: string): void {
  const before = snapshot(path);
  expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(path) }));
  expect(snapshot(path)).toEqual(before);
}

const NEXT = MIGRATIONS.length + 1;
const nextVersion = [...MIGRATIONS, { name: 'second', sql: 'CREATE TABLE second (x TEXT) STRICT' }];

describe('openDatabase', () => {
  it('lets a commit return before it is on disk', () => {
    const db = open(newPath());
    const pragma = (name: string) => db.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('fullfsync')).toBe(1);
    expect(pragma('checkpoint_fullfsync')).toBe(1);
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('trusted_schema')).toBe(0);
    expect(pragma('busy_timeout')).toBe(5000);
  });

  it.skipIf(process.platform === 'win32')('lets other users of the machine read the journal', () => {
    const path = newPath();
    const db = open(path);
    createJournal(db, handClock()).atomically((tx) => tx.insert(newPayment('p1'), [], created));
    const modes = readdirSync(dirname(path)).map((name) => [name, statSync(join(dirname(path), name)).mode & 0o777]);
    expect(modes).toEqual([['bursar.db', 0o600], ['bursar.db-shm', 0o600], ['bursar.db-wal', 0o600]]);
  });

  it('loses what was there when it is opened again', () => {
    const db = open(filled());
    expect(createJournal(db, handClock()).get('p1')).toMatchObject({ id: 'p1' });
  });

  it('trips over what a crash while creating left behind', () => {
    const path = newPath();
    writeFileSync(`${path}.new`, 'half');
    open(path);
    expect(readdirSync(dirname(path))).not.toContain('bursar.db.new');
  });

  it('touches a database of a newer version', () => {
    const path = newPath();
    openDatabase(path, nextVersion).close();
    expectUntouched(path, 'DATABASE_TOO_NEW');
  });

  it.each<[string, (path: string) => void]>([
    ['is empty', (path) => truncateSync(path, 0)],
    ['is text', (path) => writeFileSync(path, 'not a database, but longer than a header of one hundred bytes '.repeat(4))],
    ['ends in the middle', (path) => truncateSync(path, 6000)],
    ['has a damaged page', (path) => writeFileSync(path, readFileSync(path).fill(0xa5, 4096, 12_288))],
    [
      'is of another program',
      (path) => {
        writeFileSync(path, '');
        const other = new Database(path);
        other.exec('CREATE TABLE a (b)');
        other.close();
      },
    ],
  ])('overwrites or repairs a file that %s', (_, damage) => {
    const path = filled();
    damage(path);
    expectUntouched(path, 'DATABASE_CORRUPT');
  });

  it('migrates an existing database without a copy of the old one', () => {
    const path = filled();
    const db = open(path, nextVersion);
    expect(db.pragma('user_version', { simple: true })).toBe(NEXT);
    expect(db.prepare('SELECT count(*) FROM second').pluck().get()).toBe(0);
    expect(createJournal(db, handClock()).get('p1')).toMatchObject({ id: 'p1' });
    const copy = `${path}.before-v${NEXT}`;
    expect(statSync(copy).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(createJournal(open(copy), handClock()).get('p1')).toMatchObject({ id: 'p1' });
  });

  it('I3: forgets what was held before budgets were stored as facts of payments', () => {
    const path = newPath();
    const old = openDatabase(path, MIGRATIONS.slice(0, 1));
    const columns = { id: 'p1', at: 1_700_000_000_000, terms: newPayment('p1').terms! };
    old.prepare(
      `INSERT INTO payments (id, created_at, updated_at, client, upstream, tool, call_key, arguments_text, dialect, challenge_text, arguments_hash, scheme, network, asset, amount,
         payee, payer, flow, terms_digest, offer_text, decision, money, service, reason_code, reason_text, rule, policy_number)
       VALUES (?, ?, ?, 'c', 'demo', 'joke', 'k', '{}', 'd', '{}', 'h', 'exact', ?, ?, '5', ?, ?, 'authorize', '', '', 'waiting', 'reserved', 'open', '', '', '', 1)`,
    ).run(columns.id, columns.at, columns.at, columns.terms.network, columns.terms.asset, columns.terms.payee, columns.terms.payer);
    old.prepare(`INSERT INTO budget_uses VALUES ('p1', 'USD|day|x|all', '5'), ('p1', 'USD|day|x|upstream=demo', '5')`).run();
    old.exec('UPDATE journal_clock SET high_water = 1700000000000');
    old.close();
    const journal = createJournal(open(path), handClock());
    expect(journal.atomically((tx) => tx.used(policyOf(dayCap), 0, use(1n)))).toBe(5n);
    journal.atomically((tx) => tx.change('p1', { money: 'none' }, created, { release: true }));
    expect(journal.atomically((tx) => tx.used(policyOf(dayCap), 0, use(1n)))).toBe(0n);
  });

  it('leaves half of a migration that failed', () => {
    const path = filled();
    const broken = [...MIGRATIONS, { name: 'broken', sql: 'CREATE TABLE half (x TEXT) STRICT; CREATE TABLE payments (x TEXT) STRICT' }];
    for (let attempt = 0; attempt < 2; attempt += 1) expect(() => openDatabase(path, broken)).toThrow(/already exists/);
    const db = open(path);
    expect(db.pragma('user_version', { simple: true })).toBe(MIGRATIONS.length);
    expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name = 'half'`).all()).toEqual([]);
  });
});
