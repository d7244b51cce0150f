import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/main/adapters/store/migrations.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { ANCHOR_EVERY_MS } from '../../../src/main/adapters/store/integrity.ts';
import type { JournalTransaction } from '../../../src/core/ports.ts';
import { created, newPayment, temporaryFolder, use } from './fixtures.ts';
import { createLedgerMachine, type LedgerMachine, type LedgerRun } from './ledger-machine.ts';

const DAY_MS = 86_400_000;

/** Three payments (settled, signed, reserved) under the second version of a policy. */
function fill(run: LedgerRun): void {
  run.allow();
  for (const id of ['p1', 'p2', 'p3']) run.reserve(id);
  run.sign('p1');
  run.settle('p1');
  run.sign('p2');
}

async function filled() {
  const machine = createLedgerMachine();
  const run = await machine.start();
  fill(run);
  return { machine, run };
}

/** Puts the file of now back after `later` went on with it: what Bursar was left with then is older than what the keys know. */
async function olderInPlace(machine: LedgerMachine, later: (run: LedgerRun) => Promise<void>): Promise<void> {
  await machine.stop();
  const old = `${machine.path}.old`;
  machine.copy(old);
  await later(await machine.start());
  machine.putBack(old);
}

/** A copy of a payment under another name, whatever columns there are. */
const planted = `CREATE TEMP TABLE copied AS SELECT * FROM payments WHERE id = 'p2'; UPDATE copied SET seq = 99, id = 'pX', call_key = 'key';
  INSERT INTO payments SELECT * FROM copied; DROP TABLE copied`;

const ATTACKS: readonly [string, string, RegExp][] = [
  ['marks an open payment as dead', `UPDATE payments SET money = 'dead' WHERE id = 'p2'`, /payment p2 was changed/],
  ['changes what was paid', `UPDATE payments SET amount = '1' WHERE id = 'p1'`, /payment p1 was changed/],
  ['changes how a call was served', `UPDATE payments SET service = 'delivered' WHERE id = 'p2'`, /payment p2 was changed/],
  ['puts another proof into a row', `UPDATE payments SET proof_text = '{"p":2}' WHERE id = 'p2'`, /payment p2 was changed/],
  ['takes a payment out', `DELETE FROM payments WHERE id = 'p1'`, /payment p1 was taken out/],
  ['takes a payment out with its timeline', `DELETE FROM payments WHERE id = 'p2'; DELETE FROM payment_events WHERE payment_id = 'p2'`, /cut off|changed|taken out/],
  ['puts a payment in', planted, /payment pX was changed or put in/],
  ['rewrites the timeline', `UPDATE payment_events SET detail = 'nothing' WHERE seq = 2`, /Entry 2 of the ledger/],
  ['appends to the timeline', `INSERT INTO payment_events (payment_id, at, kind, detail, hash) VALUES ('p1', 1, 'x', '', zeroblob(32))`, /added to the ledger|Entry 7/],
  ['cuts the end off', `DELETE FROM payment_events WHERE seq > 4`, /cut off/],
  ['frees budget', `DELETE FROM budget_uses WHERE payment = (SELECT seq FROM payments WHERE id = 'p2')`, /payment p2 was changed/],
  ['lowers what was spent', `UPDATE budget_uses SET usd = '0'`, /uses of budget|payment p1 was changed/],
  ['takes all uses of budget out', `DELETE FROM budget_uses`, /uses of budget|payment p1 was changed/],
  ['moves spending to another day', `UPDATE budget_uses SET at = at - 86400000`, /uses of budget|payment p1 was changed/],
  ['sets the clock forward', `UPDATE journal_clock SET high_water = high_water + 86400000000`, /clock/],
  ['changes the policy in force', `UPDATE policy_versions SET json = replace(json, '10.00', '99.00') WHERE number = 2`, /policy/],
  ['changes an old policy', `UPDATE policy_versions SET author = 'somebody' WHERE number = 1`, /policy/],
  ['adds a version of the policy', `INSERT INTO policy_versions SELECT 3, saved_at, author, json, hash FROM policy_versions WHERE number = 2`, /policy/],
  ['takes the newest version of the policy out', `DELETE FROM policy_versions WHERE number = 2`, /newest version of the policy/],
  ['takes the checkpoint out', `DELETE FROM ledger_checkpoint`, /checkpoint|another, new one/],
  ['writes another checkpoint', `UPDATE ledger_checkpoint SET high_water = high_water + 1`, /not signed off/],
];

describe('somebody changes the database', () => {
  it.each(ATTACKS)('while Bursar is off and it is not noticed: %s', async (_, sql, words) => {
    const { machine } = await filled();
    await machine.stop();
    machine.tamper(sql);
    const run = await machine.start();
    expect(String(await run.findings())).toMatch(words);
    expect(() => run.integrity.requireSound()).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(run.integrity.mayRecord()).toBe(false);
  });

  it.each(ATTACKS)('while Bursar runs and it goes on spending: %s', async (_, sql, words) => {
    const { machine, run } = await filled();
    const { alarm } = run.integrity;
    machine.tamper(sql);
    expect(() => run.reserve('p4')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED', message: expect.stringMatching(words) }));
    expect(() => run.sign('p3')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(alarm.aborted).toBe(true);
  });

  it('in an old row of a long ledger, and the audit passes over it', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    run.clutter('p', 1200);
    await machine.stop();
    machine.tamper(`UPDATE payments SET service = 'delivered' WHERE id = 'p7'`);
    const again = await machine.start();
    expect(again.integrity.findings()).toEqual([]);
    expect(await again.findings()).toEqual([expect.stringContaining('payment p7 was changed')]);
  });

  it('in an old row of a long ledger that the audit has not reached, and the same call goes on from it', async () => {
    const { machine, run } = await filled();
    run.clutter('q', 1200);
    const { callKey } = run.journal.get('p2')!;
    expect(run.journal.atomically((tx) => tx.latestOfCall(callKey))?.id).toBe('p2');
    await machine.stop();
    machine.tamper(`UPDATE payments SET service = 'delivered' WHERE id = 'p2'`);
    const again = await machine.start();
    expect(again.integrity.findings()).toEqual([]);
    expect(() => again.journal.atomically((tx) => tx.latestOfCall(callKey))).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(() => again.integrity.requireSound()).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
  });

  it('in an old row of a long ledger, and an escrow goes back to whom that row names before the audit reaches it', async () => {
    const { machine, run } = await filled();
    run.clutter('q', 1200);
    await machine.stop();
    machine.tamper(`UPDATE payments SET payer = '0x000000000000000000000000000000000000dEaD' WHERE id = 'p1'`);
    const again = await machine.start();
    expect(again.integrity.findings()).toEqual([]);
    await expect(again.integrity.requireWhole()).rejects.toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
  });

  it('behind the place that the audit has reached', async () => {
    const { machine, run } = await filled();
    run.clutter('q', 1200);
    run.integrity.auditInBackground();
    machine.tamper(`UPDATE payments SET payer = '0x000000000000000000000000000000000000dEaD' WHERE id = 'p1'`);
    await expect(run.integrity.requireWhole()).rejects.toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    await machine.stop();
  });

  it('in budgets of a long ledger: a use of this month that no recent entry speaks of is lowered, taken out or made old', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    run.reserve('kept');
    run.clutter('p', 1200);
    await machine.stop();
    const sound = join(temporaryFolder(), 'sound.db');
    machine.copy(sound);
    for (const attack of [`UPDATE budget_uses SET units = '1'`, 'DELETE FROM budget_uses', `UPDATE budget_uses SET at = at - ${40 * DAY_MS}`]) {
      machine.putBack(sound);
      machine.tamper(attack);
      expect((await machine.start()).integrity.findings(), attack).toEqual([expect.stringContaining('uses of budget')]);
      machine.kill();
    }
  });

  it('in a use of budget that is too old for any window, and the audit passes over it', async () => {
    const { machine } = await filled();
    await machine.clock.advance(40 * DAY_MS);
    await machine.stop();
    const later = await machine.start();
    later.clutter('q', 1200);
    await machine.stop();
    // From its next start on Bursar knows that it is later.
    await machine.start();
    await machine.stop();
    machine.tamper(`UPDATE budget_uses SET units = '1' WHERE payment = (SELECT seq FROM payments WHERE id = 'p1')`);
    const again = await machine.start();
    expect(await again.findings()).toEqual([expect.stringContaining('payment p1 was changed')]);
  });

  it('and the changed row is written over', async () => {
    const { machine, run } = await filled();
    machine.tamper(`UPDATE payments SET receipt_text = 'forged' WHERE id = 'p2'`);
    expect(() => run.deliver('p2')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(run.journal.get('p2')).toMatchObject({ receiptText: 'forged', service: 'open' });
  });

  it('and an answer that is on its way is lost', async () => {
    const { machine, run } = await filled();
    machine.tamper(`UPDATE payments SET amount = '1' WHERE id = 'p1'`);
    expect(run.deliver('p2')).toMatchObject({ service: 'delivered' });
    expect(run.integrity.findings()).not.toEqual([]);
  });
});

describe('somebody puts another file in place', () => {
  it('an older one, and budgets are open again', async () => {
    const { machine, run } = await filled();
    await olderInPlace(machine, async (later) => {
      later.reserve('p4');
      await machine.stop();
    });
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('An older')]);
    expect(run.integrity.findings()).toEqual([]);
  });

  it('an older one after a kill, later than the keys are told', async () => {
    const { machine } = await filled();
    await olderInPlace(machine, async (later) => {
      later.reserve('p4');
      await machine.clock.advance(ANCHOR_EVERY_MS);
      machine.kill();
    });
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('An older')]);
  });

  it('one from before a stricter policy, although no payment was made since', async () => {
    const { machine } = await filled();
    await olderInPlace(machine, async (later) => {
      later.allow();
      await machine.clock.advance(0);
      machine.kill();
    });
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('An older')]);
  });

  it('one of another data folder', async () => {
    const { machine } = await filled();
    await machine.stop();
    const other = await filled();
    await other.machine.stop();
    machine.putBack(other.machine.path);
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('not signed off by this wallet')]);
  });

  it('a new one', async () => {
    const { machine } = await filled();
    await machine.stop();
    const empty = join(temporaryFolder(), 'empty.db');
    openDatabase(empty).close();
    machine.putBack(empty);
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('another, new one')]);
  });

  it('I3: an older one, made as long again with entries of their own, so that what was spent since is forgotten', async () => {
    const { machine } = await filled();
    await olderInPlace(machine, async (later) => {
      later.reserve('p4');
      await machine.stop();
    });
    machine.forge((tx) => {
      for (let number = 0; number < 9; number += 1) tx.insert(newPayment(`x${number}`), [], created);
    });
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('another one was put in its place')]);
  });

  it('and takes away what lies with the keys', async () => {
    const { machine } = await filled();
    await machine.stop();
    machine.secrets.items.delete('integrity');
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('no longer holds'), expect.stringContaining('no longer say which RPC servers')]);
  });

  it('an older one while the keychain does not answer, and the end of that run is noted in the place of what was there', async () => {
    const { machine } = await filled();
    await olderInPlace(machine, async (later) => {
      later.reserve('p4');
      await machine.stop();
    });
    const { get } = machine.secrets;
    machine.secrets.get = () => Promise.reject(new Error('no answer'));
    const silent = await machine.start({ cold: true });
    await expect(silent.unlock()).rejects.toThrow('no answer');
    machine.secrets.get = get;
    await machine.stop();
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('An older')]);
  });

  it('signed off by nobody, and makes what lies with the keys unreadable, so that it is taken for the first one', async () => {
    const { machine } = await filled();
    await machine.stop();
    await machine.secrets.set('integrity', Buffer.from('{"version":1}'));
    machine.tamper('DELETE FROM ledger_checkpoint');
    expect((await machine.start()).integrity.findings()).toEqual([expect.stringContaining('cannot be read')]);
  });
});

describe('a ledger that nobody touched raises an alarm', () => {
  it('after a restart, clean or killed', async () => {
    const { machine } = await filled();
    for (const end of [machine.stop, async () => machine.kill(), async () => machine.kill(), machine.stop]) {
      await end();
      const run = await machine.start();
      expect(await run.findings()).toEqual([]);
      run.deliver('p1');
    }
  });

  it('killed between the first note with the keys and the first checkpoint, or after it', async () => {
    const machine = createLedgerMachine();
    const { secrets } = machine;
    const real = secrets.set.bind(secrets);
    for (const failAt of [2, 1]) {
      let turn = 0;
      secrets.set = async (item, secret) => {
        turn += 1;
        if (turn === failAt) throw new Error('killed here');
        await real(item, secret);
      };
      await expect(machine.start()).rejects.toThrow('killed here');
      machine.kill();
    }
    secrets.set = real;
    expect(await (await machine.start()).findings()).toEqual([]);
  });

  it('migrated from the first schema', async () => {
    const { machine, run } = await filled();
    const old = join(temporaryFolder(), 'v1.db');
    const db = openDatabase(old, MIGRATIONS.slice(0, 1));
    db.exec(`ATTACH '${machine.path}' AS now`);
    for (const table of ['payments', 'payment_events', 'policy_versions']) {
      const columns = db.pragma(`table_info(${table})`) as { name: string }[];
      const names = columns.map(({ name }) => name).join(', ');
      if (table === 'payments') db.exec('DROP TRIGGER payments_begin');
      db.exec(`INSERT INTO ${table} (${names}) SELECT ${names} FROM now.${table}`);
    }
    db.exec('DROP TRIGGER budget_uses_reserve; INSERT INTO budget_uses (payment_id, counter, units) SELECT p.id, \'USD|day\', u.units FROM now.budget_uses u JOIN now.payments p ON p.seq = u.payment; UPDATE journal_clock SET high_water = (SELECT high_water FROM now.journal_clock)');
    db.close();
    expect(run.integrity.findings()).toEqual([]);
    const fresh = createLedgerMachine();
    fresh.putBack(old);
    const upgraded = await fresh.start();
    expect(await upgraded.findings()).toEqual([]);
    upgraded.settle('p2');
    await fresh.stop();
    expect(await (await fresh.start()).findings()).toEqual([]);
  });

  it('whose budgets were used so long ago that no window reaches them, also when one of these uses is freed', async () => {
    const { machine } = await filled();
    for (let turn = 0; turn < 3; turn += 1) {
      await machine.clock.advance(40 * DAY_MS);
      await machine.stop();
      const later = await machine.start();
      expect(await later.findings()).toEqual([]);
      later.reserve(`later${turn}`);
      if (turn === 1) later.free('p2');
    }
    await machine.stop();
    expect(await (await machine.start()).findings()).toEqual([]);
  });

  it('written while locked after it was open', async () => {
    const { machine, run } = await filled();
    run.lock();
    run.settle('p2');
    run.reserve('p4');
    await machine.stop();
    expect(await (await machine.start()).findings()).toEqual([]);
  });

  it('written while locked from the start, over a restart', async () => {
    const { machine } = await filled();
    await machine.stop();
    for (const id of ['p4', 'p5']) {
      const cold = await machine.start({ cold: true });
      expect(cold.integrity.mayRecord()).toBe(false);
      cold.reserve(id);
      cold.reserve(`${id}-gone`);
      cold.cancel(`${id}-gone`);
      cold.deliver('p1');
      machine.kill();
    }
    const run = await machine.start({ cold: true });
    await run.unlock();
    expect(await run.findings()).toEqual([]);
    run.sign('p4');
  });

  it('that holds texts which SQLite stores otherwise than they were given', async () => {
    const { machine, run } = await filled();
    run.journal.atomically((tx) => tx.change('p2', { answerText: 'half \ud800 a pair', reason: { code: '', text: '\udfff\0x' } }, { kind: 'answered', detail: '\ud800' }));
    run.deliver('p2');
    await machine.stop();
    expect(await (await machine.start()).findings()).toEqual([]);
  });

  it('when a policy could not be saved: the next payment signs off a version that is not there', async () => {
    const { machine, run } = await filled();
    run.refuseRows('ledger_checkpoint', true);
    expect(() => run.allow()).toThrow('full');
    run.refuseRows('ledger_checkpoint', false);
    run.reserve('p4');
    expect(run.policies.current().number).toBe(2);
    await machine.stop();
    const again = await machine.start();
    expect(await again.findings()).toEqual([]);
    again.allow();
    again.reserve('p5');
    machine.kill();
    expect(await (await machine.start()).findings()).toEqual([]);
  });

  it('when a write fails halfway and the caller goes on', async () => {
    const { machine, run } = await filled();
    run.journal.atomically((tx) => {
      expect(() => tx.change('p3', { money: 'settled' }, { kind: 'x', detail: '' })).toThrow(/cannot move/);
      tx.change('p3', { service: 'refused' }, { kind: 'x', detail: '' });
    });
    expect(() => run.journal.atomically((tx) => {
      tx.change('p3', { decision: 'cancelled', money: 'none' }, { kind: 'x', detail: '' }, { release: true });
      throw new Error('rolled back');
    })).toThrow('rolled back');
    run.reserve('p4');
    await machine.stop();
    expect(await (await machine.start()).findings()).toEqual([]);
  });
});

describe('while the wallet is locked from the start', () => {
  async function cold() {
    const { machine } = await filled();
    await machine.stop();
    return { machine, run: await machine.start({ cold: true }) };
  }

  it('money of an older payment moves, something is signed, or the policy changes', async () => {
    const { run } = await cold();
    const locked = expect.objectContaining({ code: 'WALLET_LOCKED' });
    expect(() => run.free('p2')).toThrow(locked);
    run.reserve('p4');
    expect(() => run.sign('p4')).toThrow(locked);
    expect(() => run.allow()).toThrow(locked);
    expect(run.journal.get('p2')).toMatchObject({ money: 'outstanding' });
  });

  it.each([
    ['frees older budget', `UPDATE payments SET money = 'dead' WHERE id = 'p2'; DELETE FROM budget_uses WHERE payment = (SELECT seq FROM payments WHERE id = 'p2')`],
    ['lowers what was spent', `UPDATE budget_uses SET usd = '1'`],
    ['sets the clock forward', `UPDATE journal_clock SET high_water = high_water + 86400000000`],
  ])('somebody %s and the unlocked wallet takes it', async (_, sql) => {
    const { machine, run } = await cold();
    run.reserve('p4');
    machine.tamper(sql);
    await run.unlock();
    expect(await run.findings()).not.toEqual([]);
    expect(() => run.sign('p4')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
  });
});

describe('I3, I10: somebody writes entries as Bursar would while it is off, and the unlocked wallet takes', () => {
  const event = { kind: 'observed', detail: '' };
  const signed = { decision: 'approved', money: 'outstanding', proofText: '{"p":1}', track: { nonce: 'x' }, outstandingUntil: 1 } as const;

  it.each<[string, RegExp, (tx: JournalTransaction) => void, number]>([
    ['that an older payment settled, so that its call is bought anew', /changes the money of the older payment p2/, (tx) => void tx.change('p2', { money: 'settled', transaction: '0x1', final: true }, event), 0],
    ['that an older payment is dead, so that its budget is free', /changes the money of the older payment p2/, (tx) => void tx.change('p2', { money: 'dead' }, event, { release: true }), 0],
    ['that a payment of its own is signed', /the payment p9 is signed/, (tx) => (tx.insert(newPayment('p9'), [use(1n)], created), void tx.change('p9', signed, event)), 0],
    ['a time beyond tomorrow, so that windows open', /its time is in the future/, (tx) => void tx.change('p2', { service: 'lost' }, event), 25 * 3_600_000],
  ])('%s', async (_, words, work, ahead) => {
    const { machine } = await filled();
    await machine.stop();
    machine.forge(work, ahead);
    const run = await machine.start();
    expect(String(run.integrity.findings())).toMatch(words);
    expect(() => run.sign('p3')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
  });
});

describe('the owner accepts', () => {
  it.each(ATTACKS)('and it stays refused, is forgotten, or the next start finds it again: %s', async (_, sql) => {
    const { machine } = await filled();
    await machine.stop();
    machine.tamper(sql);
    const run = await machine.start();
    const findings = await run.findings();
    await run.accept();
    expect(run.policies.current().policy.otherwise).toBe('ask');
    expect(await run.findings()).toEqual([]);
    run.reserve('p9');
    run.sign('p9');
    await machine.stop();
    const again = await machine.start();
    expect(await again.findings()).toEqual([]);
    expect(JSON.parse(String(again.read('SELECT findings FROM ledger_acceptances')))).toEqual(findings);
  });

  it('while the whole ledger is read, which then takes what was accepted for changed', async () => {
    const machine = createLedgerMachine();
    const run = await machine.start();
    run.clutter('p', 300);
    await machine.stop();
    machine.tamper(`UPDATE policy_versions SET author = 'somebody' WHERE number = 1`);
    const again = await machine.start();
    expect(again.integrity.findings()).toHaveLength(1);
    again.integrity.auditInBackground();
    const looking = again.integrity.audit();
    await new Promise(setImmediate);
    await again.accept();
    await looking;
    expect(await again.findings()).toEqual([]);
    again.reserve('p');
  });

  /** A policy that lets everything through, put into the file from outside, and the wallet's keeping about to fail. */
  async function forged() {
    const { machine, run: before } = await filled();
    before.policies.save({ basedOn: 2, policy: { ...before.policies.current().policy, otherwise: 'deny' }, author: 'owner, test' });
    await machine.stop();
    machine.tamper(`UPDATE policy_versions SET json = replace(json, '"deny"', '"allow"') WHERE number = 3`);
    const run = await machine.start();
    expect(run.policies.current().policy.otherwise).toBe('allow');
    return { machine, run, set: machine.secrets.set.bind(machine.secrets) };
  }

  it('I7: and the keychain refuses, but the forged policy pays all the same; or accepting again does not help', async () => {
    const { machine, run, set } = await forged();
    machine.secrets.set = () => Promise.reject(new Error('the keychain refuses'));
    await expect(run.accept()).rejects.toThrow('the keychain refuses');
    expect(run.policies.current().policy.otherwise).toBe('ask');
    expect(() => run.integrity.requireSound()).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(() => run.sign('p3')).toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    expect(run.integrity.alarm.aborted).toBe(true);
    machine.secrets.set = set;
    await run.accept();
    run.sign('p3');
    expect(run.integrity.alarm.aborted).toBe(false);
    await machine.stop();
    const again = await machine.start();
    expect(await again.findings()).toEqual([]);
    expect(again.policies.current().policy.otherwise).toBe('ask');
  });

  it('I7: and Bursar dies before the keys know of it: the forged policy is in force, and nothing is found any more', async () => {
    const { machine, run, set } = await forged();
    machine.secrets.set = () => new Promise(() => {});
    void run.accept();
    await machine.clock.advance(0);
    expect(() => run.sign('p3'), 'paid before it is kept').toThrow(expect.objectContaining({ code: 'LEDGER_TAMPERED' }));
    machine.kill();
    machine.secrets.set = set;
    const again = await machine.start();
    expect(again.policies.current().policy.otherwise).toBe('ask');
    expect(again.integrity.findings()).not.toEqual([]);
    await again.accept();
    expect(await again.findings()).toEqual([]);
  });
});
