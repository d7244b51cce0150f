import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../../src/core/payments/payment.ts';
import type { Journal } from '../../../src/core/ports.ts';
import { createJournal } from '../../../src/main/adapters/store/journal.ts';
import { openDatabase } from '../../../src/main/adapters/store/database.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import type { Cap, CapWindow, Policy } from '../../../src/shared/policy/policy.ts';
import { created, dayCap, newPayment, openStore, policyOf, use, USDC } from './fixtures.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 15, 12);
const signed: Change = { money: 'outstanding', proofText: '{}', track: { nonce: '1' }, outstandingUntil: START };

const anyWindow = fc.constantFrom<CapWindow>('session', 'hour', 'day', 'week', 'month', { rollingMinutes: 90 }, { rollingMinutes: 1440 });
const scope = fc.constantFrom({}, { upstream: 'demo' }, { tool: 'jo*' }, { client: 'other' }, { asset: USDC });
const anyCap = fc.record({ over: scope, window: anyWindow, unit: fc.constantFrom<Cap['unit']>('USD', 'payments', USDC), amount: fc.nat({ max: 30 }).map(String) }) satisfies fc.Arbitrary<Cap>;
const caps = fc.array(anyCap, { minLength: 1, maxLength: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), units: fc.bigInt({ min: 0n, max: 12_000_000n }), tool: fc.constantFrom('joke', 'poem'), client: fc.constantFrom('client-1', 'other'), session: fc.constantFrom('s1', 's2') }),
  fc.record({ kind: fc.constantFrom('sign' as const, 'settle' as const, 'die' as const, 'drop' as const, 'fail' as const), payment: fc.nat({ max: 20 }) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: -5 * HOUR, max: 30 * HOUR }) }),
  fc.record({ kind: fc.constantFrom('crash' as const, 'restart' as const, 'elsewhere' as const) }),
  fc.record({ kind: fc.constant('policy' as const), caps }),
);

/** What a window holds at least, told from each use alone. Calendar windows in UTC. */
function counts(cap: Cap, held: { at: number; session: string }, now: number, session: string): boolean {
  const { window: over } = cap;
  if (over === 'session') return held.session === session;
  if (typeof over === 'object') return held.at > now - over.rollingMinutes * 60_000;
  const start = new Date(now);
  start.setUTCMinutes(0, 0, 0);
  if (over !== 'hour') start.setUTCHours(0);
  if (over === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
  if (over === 'month') start.setUTCDate(1);
  return held.at >= start.getTime();
}

const limit = ({ unit, amount }: Cap): bigint => BigInt(amount) * (unit === 'payments' ? 1n : 1_000_000n);

it('I3: any interleaving of reserve, sign, settle, die, drop, crash, restart, waiting, a clock set back and a new policy breaks a cap', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(caps, fc.array(step, { maxLength: 40 }), (first, steps) => {
      const store = openStore();
      store.clock.at = START;
      const elsewhere = createJournal(openDatabase(store.path), store.clock);
      let { journal }: { journal: Journal } = store;
      let policy: Policy = policyOf(...first);
      const held: { id: string; money: string; at: number; session: string; tool: string; client: string; units: bigint }[] = [];
      let now = 0;
      let made = 0;

      const matches = ({ over }: Cap, { tool, client }: { tool: string; client: string }) => (over.tool === undefined || tool === 'joke') && (over.client === undefined || client === 'other');
      const sum = (each: Cap, session: string) =>
        held
          .filter((one) => matches(each, one) && counts(each, one, now, session))
          .reduce((total, { units }) => total + (each.unit === 'payments' ? 1n : units), 0n);

      /** As the core does it: every cap that covers the payment has room, and then it is reserved in the same transaction. */
      const reserve = (on: Journal, { units, tool, client, session }: { units: bigint; tool: string; client: string; session: string }, crash = false) =>
        on.atomically((tx) => {
          now = Math.max(store.clock.at, tx.highWater());
          const when = { at: now, session };
          for (const [index, each] of policy.caps.entries()) {
            const used = tx.used(policy, index, when);
            // A rolling window may count a little more than it says, and never less.
            if (typeof each.window === 'object') expect(used).toBeGreaterThanOrEqual(sum(each, session));
            else expect(used).toBe(sum(each, session));
            if (matches(each, { tool, client }) && used + (each.unit === 'payments' ? 1n : units) > limit(each)) return;
          }
          const id = `p${made++}`;
          const terms = { ...newPayment(id).terms!, tool, client, amount: baseUnits(units) };
          tx.insert(newPayment(id, { terms, tool, client }), [use(units, when)], created);
          if (crash) throw new Error('crash');
          held.push({ id, money: 'reserved', units, tool, client, ...when });
        });
      const move = (index: number, from: string[], change: Change, release: boolean) => {
        const one = held[index % Math.max(1, held.length)];
        if (!one || !from.includes(one.money)) return;
        journal.atomically((tx) => tx.change(one.id, change, created, { release }));
        if (release) held.splice(held.indexOf(one), 1);
        else one.money = change.money!;
      };

      for (const action of steps) {
        if (action.kind === 'reserve') reserve(journal, action);
        else if (action.kind === 'sign') move(action.payment, ['reserved'], signed, false);
        else if (action.kind === 'settle') move(action.payment, ['outstanding'], { money: 'settled' }, false);
        else if (action.kind === 'die') move(action.payment, ['outstanding'], { money: 'dead' }, true);
        else if (action.kind === 'drop') move(action.payment, ['reserved'], { money: 'none' }, true);
        else if (action.kind === 'fail') {
          const one = held[action.payment];
          if (one) expect(() => journal.atomically((tx) => {
            if (one.money === 'reserved') tx.change(one.id, { money: 'none' }, created, { release: true });
            throw new Error('fail');
          })).toThrow('fail');
        } else if (action.kind === 'wait') store.clock.at += action.ms;
        else if (action.kind === 'policy') policy = policyOf(...action.caps);
        else if (action.kind === 'restart') journal = createJournal(store.db, store.clock);
        else if (action.kind === 'elsewhere') reserve(elsewhere, { units: 1n, tool: 'joke', client: 'other', session: 's3' });
        else {
          try {
            reserve(journal, { units: 1n, tool: 'joke', client: 'other', session: 's1' }, true);
          } catch (error) {
            expect(error).toMatchObject({ message: 'crash' });
          }
        }
      }
      for (const session of ['s1', 's2']) reserve(journal, { units: 10n ** 12n, tool: 'joke', client: 'other', session });
    }),
    { numRuns: 60 },
  );
});

it('I3: a cap that the owner adds today begins at zero, and forgets what was spent before it', () => {
  const { journal, clock } = openStore();
  journal.atomically((tx) => tx.insert(newPayment('p1'), [use(4n, { at: clock.at })], created));
  journal.atomically((tx) => tx.used(policyOf(dayCap), 0, use(1n)));
  const later = policyOf({ over: { tool: 'jo?e' }, window: { rollingMinutes: 60 }, unit: USDC, amount: '1' }, { over: {}, window: 'month', unit: 'payments', amount: '1' });
  expect(journal.atomically((tx) => [tx.used(later, 0, use(1n)), tx.used(later, 1, use(1n))])).toEqual([4n, 1n]);
});

it('I3: a clock that ran ahead for a while, and went back, opens the budget of the day anew', () => {
  const { journal, clock } = openStore();
  const policy = policyOf(dayCap);
  journal.atomically((tx) => tx.insert(newPayment('p1'), [use(4n, { at: clock.at })], created));
  const tomorrow = clock.at + 24 * HOUR;
  const fresh = policyOf(dayCap);
  expect(journal.atomically((tx) => tx.used(fresh, 0, { at: tomorrow, session: '' }))).toBe(0n);
  expect(journal.atomically((tx) => [tx.used(fresh, 0, use(1n)), tx.used(policy, 0, use(1n))])).toEqual([4n, 4n]);
});
