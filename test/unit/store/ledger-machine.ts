import { randomBytes } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { createLedgerKeys } from '../../../src/main/adapters/keys/ledger-keys.ts';
import { openDatabase, type Db } from '../../../src/main/adapters/store/database.ts';
import { createIntegrity, type LedgerIntegrity } from '../../../src/main/adapters/store/integrity.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import type { GuardedSettings } from '../../../src/main/adapters/store/settings-watch.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import type { JournalTransaction } from '../../../src/core/ports.ts';
import type { Environment } from '../../../src/shared/contract/app.ts';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { memoryKeychain } from '../keys/fixtures.ts';
import { created, newPayment, temporaryFolder, use } from './fixtures.ts';

/** A data folder's ledger with the keys that watch over it, through restarts. */
export function createLedgerMachine(clock = new ManualClock()) {
  const path = join(temporaryFolder(), 'bursar.db');
  const secrets = memoryKeychain();
  const dataKey = randomBytes(32);
  let locked = false;
  /** The guarded settings in force, as `config.json` would have them. */
  let inForce = 'first';
  const settings: GuardedSettings & { environment: Environment } = { environment: 'sandbox', text: () => inForce, put: (text: string) => void (inForce = text), changes: (before: string, after: string) => [`${before} became ${after}.`] };
  let running: { db: Db; integrity: LedgerIntegrity } | undefined;
  const keys = createLedgerKeys(() => {
    if (locked) throw new BursarError('WALLET_LOCKED', 'The keys are locked.');
    return dataKey;
  }, secrets);
  onTestFinished(() => void running?.db.close());

  async function start({ cold = false } = {}) {
    locked = cold;
    const db = openDatabase(path);
    const integrity = createIntegrity({ db, clock, log: { debug() {}, info() {}, warn() {}, error() {} }, settings, changed: () => {} });
    running = { db, integrity };
    const journal = createJournal(db, clock, integrity);
    const policies = createPolicies(db, clock, { timeZone: 'UTC', guard: integrity });
    if (!cold) await integrity.open(keys);
    const event = { kind: 'tested', detail: '' };
    return {
      /** One value of the file. */
      read: (sql: string): unknown => db.prepare(sql).pluck().get(),
      /** Lets nothing be written into a table, as a disk that is full at that very moment does. */
      refuseRows: (table: 'ledger_checkpoint' | 'guarded_settings', refuse: boolean) => void db.exec(refuse ? `CREATE TEMP TRIGGER full BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'full'); END` : 'DROP TRIGGER full'),
      integrity,
      journal,
      policies,
      unlock() {
        locked = false;
        return integrity.open(keys);
      },
      lock() {
        locked = true;
      },
      reserve: (id: string, units = 10_000n) => journal.atomically((tx) => tx.insert(newPayment(id), [use(units, { at: clock.now() })], created)),
      /** Payments that came to nothing, in one write: a long ledger in little time. */
      clutter: (name: string, count: number) =>
        journal.atomically((tx) => {
          for (let number = 0; number < count; number += 1) {
            tx.insert(newPayment(`${name}${number}`), [use(1n, { at: clock.now() })], created);
            tx.change(`${name}${number}`, { decision: 'cancelled', money: 'none', service: 'refused' }, event, { release: true });
          }
        }),
      sign: (id: string) => journal.atomically((tx) => tx.change(id, { decision: 'approved', money: 'outstanding', proofText: '{"p":1}', track: { nonce: id }, outstandingUntil: clock.now() + 60_000 }, event)),
      settle: (id: string) => journal.atomically((tx) => tx.change(id, { money: 'settled', transaction: '0x1', final: true }, event)),
      deliver: (id: string) => journal.atomically((tx) => tx.change(id, { service: 'delivered' }, event)),
      free: (id: string) => journal.atomically((tx) => tx.change(id, { money: 'dead' }, event, { release: true })),
      cancel: (id: string) => journal.atomically((tx) => tx.change(id, { decision: 'cancelled', money: 'none', service: 'refused' }, event, { release: true })),
      allow: () => policies.save({ basedOn: policies.current().number, policy: { ...defaultPolicy('UTC'), otherwise: 'allow' }, author: 'owner, test' }),
      settings,
      changeSettings: (to: string) => integrity.changeSettings(keys, () => settings.put(to)),
      accept: () => integrity.accept('owner, test', keys, () => policies.startAnew('Bursar')),
      /** What the owner would read after everything was read. */
      async findings(): Promise<readonly string[]> {
        if (integrity.findings().length === 0) await integrity.audit();
        return integrity.findings();
      },
    };
  }

  /** Ends as a killed process does: nothing is brought up to date. */
  function kill(): void {
    running?.db.close();
    running = undefined;
  }

  return {
    path,
    clock,
    secrets,
    settings,
    start,
    kill,
    async stop() {
      await running?.integrity.close();
      kill();
    },
    copy(target: string) {
      copyFileSync(path, target);
    },
    putBack(source: string) {
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
      copyFileSync(source, path);
    },
    /** What somebody does who has Bursar's own program but no key: entries that follow the chain, by a clock that may be ahead (ms), without a MAC. */
    forge(work: (tx: JournalTransaction) => void, ahead = 0) {
      const db = openDatabase(path);
      createJournal(db, { now: () => clock.now() + ahead }).atomically(work);
      db.close();
    },
    /** What somebody with a shell does to the file: SQL without the triggers in the way. */
    tamper(sql: string) {
      const db = new Database(path);
      db.pragma('foreign_keys = OFF');
      const triggers = db.prepare<[], { name: string; sql: string }>(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all();
      db.transaction(() => {
        for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
        db.exec(sql);
        for (const trigger of triggers) db.exec(trigger.sql);
      })();
      db.close();
    },
  };
}

export type LedgerMachine = ReturnType<typeof createLedgerMachine>;
export type LedgerRun = Awaited<ReturnType<LedgerMachine['start']>>;
