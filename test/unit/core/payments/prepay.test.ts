import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../../src/core/payments/call.ts';
import type { Observation, Rail } from '../../../../src/core/ports.ts';
import { paymentStatus } from '../../../../src/core/payments/status.ts';
import { defaultPolicy } from '../../../../src/shared/policy/policy.ts';
import { createWorld, served, type World } from '../../../support/payment-world.ts';

const allowAll = { ...defaultPolicy('Europe/Berlin'), rules: [], otherwise: 'allow' as const };
const textOf = (outcome: Outcome): string => JSON.stringify(outcome);

/** A rail that moves money before the retry, and does what the test says when it submits. */
function prepaying(flow: 'prepay' | 'hold' = 'prepay') {
  const submitted: string[] = [];
  const script: (() => Promise<Observation>)[] = [];
  const rail: Partial<Rail> = {
    flow,
    async submit(_terms, track) {
      submitted.push(track['nonce']!);
      const step = script.shift();
      if (!step) throw new Error('submitted more often than the test expects');
      return step();
    },
  };
  return { submitted, script, world: createWorld({ policy: allowAll, rail }) };
}
/** The owner agrees to what waits, and the call goes on to its end. */
async function agreed(world: World, call: ReturnType<World['call']>): Promise<Outcome> {
  await world.decide('approve');
  return call.outcome;
}
const settled = async (): Promise<Observation> => ({ state: 'settled', transaction: '0xpaid', final: true });
const open = async (): Promise<Observation> => ({ state: 'open', why: 'Not seen yet.' });

describe('money that moves before the retry', () => {
  test('a retry that is sent before the money moved, or money that is not noted', async () => {
    const { world, script, submitted } = prepaying();
    script.push(settled);
    const call = world.call([
      async () => {
        expect(submitted).toEqual(['0']);
        expect(world.row()).toMatchObject({ money: 'settled', transaction: '0xpaid', service: 'open' });
        return served();
      },
    ]);
    expect(await agreed(world, call)).toMatchObject({ kind: 'answer' });
    expect(call.proofs).toHaveLength(1);
  });

  test('I1, I10: an unconfirmed transfer is answered with a second one', async () => {
    const { world, script, submitted } = prepaying();
    script.push(open);
    const first = world.call([]);
    expect(textOf(await agreed(world, first))).toContain('PAYMENT_OUTCOME_UNKNOWN');
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'lost', reason: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
    expect(paymentStatus(world.row())).toBe('unknown');

    script.push(open, settled);
    expect(textOf(await world.call([]).outcome)).toContain('PAYMENT_OUTCOME_UNKNOWN');
    const third = world.call([async () => served()]);
    expect(await third.outcome).toMatchObject({ kind: 'answer' });
    expect(submitted).toEqual(['0', '0', '0']);
    expect(world.state.signed).toHaveLength(1);
    expect(world.rows()).toHaveLength(1);
  });

  test('I1: a crash between journal and submit, or between submit and retry, pays again', async () => {
    for (const before of [open, settled]) {
      const { world, script, submitted } = prepaying();
      const stuck = Promise.withResolvers<Observation>();
      script.push(() => stuck.promise);
      void world.call([]).outcome;
      await world.decide('approve');
      expect(submitted).toHaveLength(1);
      // Whatever the first process saw, it died before it wrote that down.
      world.restart();
      expect(world.row()).toMatchObject({ money: 'outstanding', service: 'lost' });
      script.push(before, settled);
      const again = world.call([async () => served()]);
      if (before === open) {
        expect(textOf(await again.outcome)).toContain('PAYMENT_OUTCOME_UNKNOWN');
        expect(await world.call([async () => served()]).outcome).toMatchObject({ kind: 'answer' });
      } else expect(await again.outcome).toMatchObject({ kind: 'answer' });
      expect(world.state.signed).toHaveLength(1);
    }
  });

  test('I5: budget that stays held by a transfer that is dead, or a dead one that is not bought anew', async () => {
    const { world, script } = prepaying();
    script.push(async () => ({ state: 'dead', why: 'It expired.' }));
    expect(textOf(await agreed(world, world.call([])))).toContain('SETTLEMENT_FAILED');
    expect(world.row()).toMatchObject({ money: 'dead', service: 'refused' });
    expect(world.spent()).toBe(0n);
    script.push(settled);
    expect(await agreed(world, world.call([async () => served()]))).toMatchObject({ kind: 'answer' });
    expect(world.rows()).toHaveLength(2);
  });

  test('I9: money that moved for a call that got no answer: paid again without a word', async () => {
    const { world, script } = prepaying();
    script.push(settled);
    const failing = world.call([() => Promise.reject(new Error('gone'))]);
    expect(textOf(await agreed(world, failing))).toContain('PAYMENT_OUTCOME_UNKNOWN');
    expect(world.row()).toMatchObject({ money: 'settled', service: 'lost' });
    script.push(settled);
    expect(await world.call([async () => served()]).outcome).toMatchObject({ kind: 'answer' });
    expect(world.state.signed).toHaveLength(1);
  });

  test('a held amount that is taken for an unpaid one, or for a paid one', async () => {
    const { world, script } = prepaying('hold');
    script.push(async () => ({ state: 'open', why: 'Held.', held: true }));
    expect(await agreed(world, world.call([async () => served()]))).toMatchObject({ kind: 'answer' });
    expect(world.row()).toMatchObject({ money: 'outstanding' });
  });

  test.each(['prepay', 'hold'] as const)('I3: money moves before the answer without a question, although a rule allows it: %s', async (flow) => {
    const { world, submitted } = prepaying(flow);
    const call = world.call([]);
    await world.decide('reject');
    expect(textOf(await call.outcome)).toContain('APPROVAL_REJECTED');
    expect(world.row()).toMatchObject({ decision: 'rejected', rule: 'Asks because the money moves before the server answers' });
    expect([submitted, world.state.signed]).toEqual([[], []]);
  });

  test.each([
    ['a pause', { paused: true }, 'PAYMENTS_PAUSED'],
    ['a rule that denies it', { rules: [{ when: { upstream: 'weather' }, verdict: 'deny' as const, note: 'no more' }] }, 'POLICY_DENIED'],
    ['a list without its server', { only: { upstreams: ['another'] } }, 'POLICY_DENIED'],
    ['a limit below its price', { caps: [{ over: {}, window: 'day' as const, unit: 'USD' as const, amount: '0.009' }] }, 'BUDGET_EXCEEDED'],
  ])('I3: money that was signed and not sent moves in spite of %s, or is lost to its call', async (_, change, code) => {
    const { world, script, submitted } = prepaying();
    const before = { paused: false, rules: world.policy.rules, only: {}, caps: world.policy.caps };
    script.push(open);
    await agreed(world, world.call([]));
    world.restart();
    world.setPolicy(change);
    expect(await world.call([]).outcome).toMatchObject({ kind: 'refusal', error: { code } });
    expect(submitted).toHaveLength(1);
    expect(world.row()).toMatchObject({ decision: 'approved', money: 'outstanding', service: 'lost', reason: { code } });
    world.setPolicy(before);
    script.push(settled);
    expect(await world.call([async () => served()]).outcome).toMatchObject({ kind: 'answer' });
    expect([submitted, world.rows().length, world.state.signed.length]).toEqual([['0', '0'], 1, 1]);
  });

  test('I3: a limit that holds exactly this payment counts it against itself', async () => {
    const { world, script } = prepaying();
    script.push(open);
    await agreed(world, world.call([]));
    world.setPolicy({ caps: [{ over: {}, window: 'day', unit: 'USD', amount: '0.01' }] });
    script.push(settled);
    expect(await world.call([async () => served()]).outcome).toMatchObject({ kind: 'answer' });
  });

  test('I3: a proof that a server may still draw on is sent again while payments are paused', async () => {
    const world = createWorld({ policy: allowAll });
    await world.call([() => Promise.reject(new Error('gone'))]).outcome;
    world.setPolicy({ paused: true });
    const again = world.call([]);
    expect(await again.outcome).toMatchObject({ kind: 'refusal', error: { code: 'PAYMENTS_PAUSED' } });
    expect(again.proofs).toEqual([]);
    world.setPolicy({ paused: false });
    expect(await world.call([async () => served()]).outcome).toMatchObject({ kind: 'answer' });
    expect(world.rows()).toHaveLength(1);
  });
});
