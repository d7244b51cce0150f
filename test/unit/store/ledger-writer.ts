// Runs payments through a watched ledger as fast as it can, until it is killed. What lies with the keys is the file beside the database.
import { existsSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { systemClock } from '../../../src/main/adapters/clock.ts';
import { createLedgerKeys } from '../../../src/main/adapters/keys/ledger-keys.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { createIntegrity } from '../../../src/main/adapters/store/integrity.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { createPolicies } from '../../../src/main/adapters/store/policies.ts';
import { defaultPolicy } from '../../../src/shared/policy/policy.ts';
import { created, newPayment, use } from './payments.ts';

const path = process.argv[2]!;
const anchor = `${path}.anchor`;
const keys = createLedgerKeys(() => Buffer.alloc(32, 7), {
  get: async () => (existsSync(anchor) ? readFileSync(anchor) : undefined),
  async set(_, secret) {
    writeFileSync(`${anchor}.new`, secret);
    renameSync(`${anchor}.new`, anchor);
  },
});
const db = openDatabase(path);
const log = { debug() {}, info() {}, warn() {}, error() {} };
const integrity = createIntegrity({ db, clock: systemClock, log, settings: { environment: 'sandbox', text: () => '{}', put() {}, changes: () => [] }, changed: () => {} });
const journal = createJournal(db, systemClock, integrity);
const policies = createPolicies(db, systemClock, { timeZone: 'UTC', guard: integrity });
await integrity.open(keys);
await integrity.audit();
writeSync(1, `${JSON.stringify(integrity.findings())}\n`);
const begin = journal.unresolved().length;
for (let number = begin; ; number += 1) {
  const id = `p${number}-${process.pid}`;
  journal.atomically((tx) => tx.insert(newPayment(id), [use(7n)], created));
  journal.atomically((tx) => tx.change(id, { decision: 'approved', money: 'outstanding', track: { id } }, { kind: 'signed', detail: '' }));
  if (number % 3 === 0) journal.atomically((tx) => tx.change(id, { money: 'dead' }, { kind: 'observed', detail: '' }, { release: true }));
  if (number % 5 === 0) policies.save({ basedOn: policies.current().number, policy: defaultPolicy('UTC'), author: 'test' });
  writeSync(1, `${id}\n`);
  await new Promise(setImmediate);
}
