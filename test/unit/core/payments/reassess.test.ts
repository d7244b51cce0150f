import { describe, expect, test } from 'vitest';
import { settle } from '../../../support/manual-clock.ts';
import { challenge, createWorld, offer, served, type WorldOptions } from '../../../support/payment-world.ts';
import { coinOf } from '../../../../src/core/registry/coins.ts';
import { REGISTERED } from '../../../../src/core/registry/assets.ts';
import { approvalLines } from '../../../../src/main/cli/approval-lines.ts';
import { approvalView } from '../../../../src/main/rpc/payment-views.ts';
import { baseUnits } from '../../../../src/shared/money/money.ts';
import type { Policy } from '../../../../src/shared/policy/policy.ts';

const answer = async () => served();
const asking = { otherwise: 'ask' as const, caps: [] };
const dayCap = (amount: string) => ({ over: {}, window: 'day' as const, unit: 'USD' as const, amount });

describe('the policy changes while a payment waits for the owner, and', () => {
  test.each([
    ['a rule that denies it', { rules: [{ when: { upstream: 'weather' }, verdict: 'deny' as const, note: 'no more' }] }, 'POLICY_DENIED'],
    ['a list without its server', { only: { upstreams: ['another'] } }, 'POLICY_DENIED'],
    ['a limit below its price', { caps: [dayCap('0.009')] }, 'BUDGET_EXCEEDED'],
    ['a pause', { paused: true }, 'PAYMENTS_PAUSED'],
  ])('%s leaves it waiting, its budget held, or the owner without a reason', async (_, change, code) => {
    const world = createWorld({ policy: asking });
    const { outcome } = world.call([]);
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    world.setPolicy(change);
    expect(await outcome).toMatchObject({ kind: 'refusal', error: { code } });
    expect(world.approvals.waiting()).toEqual([]);
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none', service: 'refused', reason: { code } });
    expect(world.spent()).toBe(0n);
    expect(world.state.signed).toEqual([]);
  });

  test('one that would allow it pays what the owner was asked about', async () => {
    const world = createWorld({ policy: asking });
    const { outcome } = world.call([answer]);
    await settle();
    world.setPolicy({ otherwise: 'allow' });
    await settle();
    expect(world.state.signed).toEqual([]);
    await world.decide('approve');
    expect((await outcome).kind).toBe('answer');
  });

  test('I3: its own reservation counts against it, or a limit that others fill meanwhile does not', async () => {
    const world = createWorld({ policy: { ...asking, caps: [dayCap('0.1')] } });
    const first = world.call([answer]);
    await settle();
    world.setPolicy({ caps: [dayCap('0.01')] });
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    await world.decide('approve');
    expect((await first.outcome).kind).toBe('answer');

    world.setPolicy({ caps: [dayCap('0.1')] });
    const second = world.call([], { tool: 'second' });
    await settle();
    world.setPolicy({ caps: [dayCap('0.019999')] });
    expect(await second.outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  });
});

describe('I2, I3: while a payment is being signed', () => {
  /** Does something between the owner's word and the signature. */
  const changing = (change: (world: ReturnType<typeof createWorld>) => unknown, options: WorldOptions) => {
    const world: ReturnType<typeof createWorld> = createWorld({
      ...options,
      rail: {
        async sign({ now }) {
          await change(world);
          return { payloadText: '{"nonce":"0"}', track: { nonce: '0' }, outstandingUntil: now + 60_000 };
        },
      },
    });
    return world;
  };

  test.each<[string, Partial<Policy>, string]>([
    ['a rule denies it', { rules: [{ when: { upstream: 'weather' }, verdict: 'deny' }] }, 'POLICY_DENIED'],
    ['payments are paused', { paused: true }, 'PAYMENTS_PAUSED'],
    ['a limit falls below it', { caps: [dayCap('0.009')] }, 'BUDGET_EXCEEDED'],
  ])('%s, and the proof leaves all the same', async (_, change, code) => {
    for (const otherwise of ['ask', 'allow'] as const) {
      const world = changing((one) => one.setPolicy(change), { policy: { ...asking, otherwise } });
      const { outcome, proofs } = world.call([answer]);
      await settle();
      if (otherwise === 'ask') await world.decide('approve');
      expect(await outcome).toMatchObject({ kind: 'refusal', error: { code } });
      expect(proofs).toEqual([]);
      expect(world.row()).toMatchObject({ money: 'none', service: 'refused' });
      expect(world.spent()).toBe(0n);
    }
  });

  test('another payment takes the budget, and both leave', async () => {
    let nested: Promise<unknown> | undefined;
    const first = (one: ReturnType<typeof createWorld>) => {
      if (nested) return undefined;
      nested = one.call([answer], { tool: 'second' }).outcome;
      return nested;
    };
    const world = changing(first, { policy: { caps: [dayCap('0.01')], otherwise: 'allow' } });
    const { outcome } = world.call([answer]);
    const kinds = [await outcome, await nested].map((one) => (one as { kind: string }).kind);
    expect(kinds.toSorted()).toEqual(['answer', 'refusal']);
    expect(world.spent()).toBe(10_000n);
  });

  test('a server names the payee to the agent, and it is paid without asking', async () => {
    let said = '';
    const world = changing(() => (said = 'a result of tool "x" of server "web"'), { policy: { ...asking, otherwise: 'allow' } });
    world.call([answer], { seenIn: () => said });
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    expect(world.row()).toMatchObject({ decision: 'waiting', money: 'reserved' });
  });

  test('the clock passes the moment for which its price was taken, and what the limits say now is not asked', async () => {
    const night = { rules: [{ when: { during: { from: '00:00', to: '12:00' } }, verdict: 'deny' as const }] };
    const world = changing((one) => one.clock.sleep(2_000), { policy: { ...asking, timeZone: 'UTC', otherwise: 'allow', ...night } });
    // One second before midnight, and one after it.
    world.clock.sleep(Date.UTC(2026, 0, 15, 23, 59, 59) - world.clock.now());
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'POLICY_DENIED' } });
  });
});

describe('the terms of a payment', () => {
  const withMemo = (memo: string) => ({ answer: { text: challenge([offer('10000', { extra: { name: 'USDC', version: '2', memo } })]) } });

  test('I2: an approval is used for another memo than the owner saw', async () => {
    const world = createWorld({ policy: asking, patience: 1000 });
    const first = world.call([], withMemo('order 1'));
    await world.clock.advance(1000);
    expect((await first.outcome).kind).toBe('pending');
    expect(world.row().terms?.memo).toBe('order 1');
    const before = world.row().termsDigest;
    const second = world.call([], withMemo('order 2'));
    await settle();
    const rows = world.rows();
    expect(rows.map(({ decision, terms }) => [decision, terms?.memo])).toEqual([['waiting', 'order 2'], ['cancelled', 'order 1']]);
    expect(rows[0]?.termsDigest).not.toBe(before);
    second.leave();
    expect(world.state.signed).toEqual([]);
  });

  test('the payee is an account of the wallet itself', async () => {
    const world = createWorld({ policy: { ...asking, otherwise: 'allow' } });
    const own = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
    expect(await world.call([], { answer: { text: challenge([offer('10000', { payTo: own })]) } }).outcome).toMatchObject({ error: { code: 'PAYEE_INVALID', message: expect.stringContaining('an account of this wallet') } });
    expect(world.state.signed).toEqual([]);
  });
});

describe('I3: a fee', () => {
  test('is held with the payment, survives a restart, and is free again with it', async () => {
    const coin = coinOf('eip155:84532');
    const fees = [{ asset: coin, units: baseUnits(10_000_000_000_000n) }];
    const prices = { usdOf: () => baseUnits(2_000_000_000n) };
    // One cent and a fee of two: a limit of five cents holds one such payment.
    const world = createWorld({ policy: { otherwise: 'allow', caps: [dayCap('0.05')] }, fees, prices });
    const paid = await world.call([answer]).outcome;
    if (paid.kind !== 'answer') throw new Error(JSON.stringify(paid));
    paid.delivered(true);
    expect(await world.call([], { tool: 'second' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('$0.03 of it is used') } });
    world.restart();
    expect(await world.call([], { tool: 'third' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    world.chain.set('0', { state: 'dead', why: 'expired' });
    await world.clock.advance(5000);
    expect(world.rows().at(-1)?.money).toBe('dead');
    expect((await world.call([answer], { tool: 'fourth' }).outcome).kind).toBe('answer');
  });

  test('I2: is not shown to the owner, or is another than what is signed', async () => {
    const fees = [{ asset: coinOf('eip155:84532'), units: baseUnits(10_000_000_000_000n) }];
    const signed: unknown[] = [];
    const world = createWorld({
      policy: { otherwise: 'allow', rules: [], caps: [] },
      fees,
      rail: {
        sign: async ({ fees: held, now }) => {
          signed.push(held);
          return { payloadText: '{"nonce":"0"}', track: { nonce: '0' }, outstandingUntil: now + 60_000 };
        },
      },
    });
    const call = world.call([answer]);
    await settle();
    const [waiting] = world.approvals.waiting();
    expect(waiting?.assessment.rule).toBe('Asks because no limit counts the fee of up to 0.00001 ETH');
    const view = approvalView(waiting!, { upstreamAddress: '', payerLabel: '', firstPayment: true, locked: false }, REGISTERED);
    expect(view.fees).toEqual([{ units: '10000000000000', asset: expect.objectContaining({ symbol: 'ETH', networkName: 'Base Sepolia' }) }]);
    expect(approvalLines(view, { now: world.clock.now() }).join('\n')).toMatch(/Network fee +up to 0\.00001 ETH on Base Sepolia, paid beside the price/);
    await world.decide('approve');
    expect(await call.outcome).toMatchObject({ kind: 'answer' });
    expect(signed).toEqual([fees]);
    expect(world.history.timeline(world.row().id)).toContainEqual(expect.objectContaining({ kind: 'fee', detail: 'Network fee: up to 0.00001 ETH, paid beside the price.' }));
  });

  test('I2: that has risen since is paid under an approval of the old one, because the agent had to come back', async () => {
    const fee = (units: bigint) => [{ asset: coinOf('eip155:84532'), units: baseUnits(units) }];
    let asked = 0;
    const signed: unknown[] = [];
    const world = createWorld({
      policy: { ...asking, rules: [], caps: [] },
      patience: 5000,
      rail: {
        fees: async () => fee((asked += 1) === 1 ? 100n : 900n),
        sign: async ({ fees, now }) => {
          signed.push(fees);
          return { payloadText: '{"nonce":"0"}', track: { nonce: '0' }, outstandingUntil: now + 60_000 };
        },
      },
    });
    const told = world.call([]);
    await world.clock.advance(5000);
    expect((await told.outcome).kind).toBe('pending');
    const back = world.call([answer]);
    await settle();
    expect(asked).toBe(2);
    expect(world.approvals.waiting()[0]?.fees).toEqual(fee(100n));
    await world.decide('approve');
    expect((await back.outcome).kind).toBe('answer');
    expect(signed).toEqual([fee(100n)]);
  });
});
