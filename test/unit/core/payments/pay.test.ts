import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RESEND_MARGIN_MS } from '../../../../src/core/payments/undelivered.ts';
import { BursarError } from '../../../../src/shared/errors/errors.ts';
import { settle } from '../../../support/manual-clock.ts';
import { challenge, createWorld, offer, served } from '../../../support/payment-world.ts';

const allowAll = { otherwise: 'allow' } as const;
const never = () => new Promise<string>(() => {});
const answer = (text?: string) => async () => served(text);
const gone = async () => {
  throw new BursarError('UPSTREAM_EXITED', 'The server "weather" ended.');
};
const settled = { state: 'settled', transaction: '0xfeed', final: true } as const;
const dead = { state: 'dead', why: 'validBefore passed unused' } as const;

async function delivered(outcome: Promise<unknown>, written = true) {
  const result = (await outcome) as { kind: string; responseText: string; delivered(written: boolean): void };
  expect(result.kind).toBe('answer');
  result.delivered(written);
  return result.responseText;
}

describe('an asked payment', () => {
  test('I2/I4: the proof leaves before the owner approved or before its row holds it', async () => {
    const world = createWorld();
    const { outcome, proofs } = world.call([
      async () => {
        expect(world.row()).toMatchObject({ decision: 'approved', money: 'outstanding', service: 'open' });
        expect(JSON.parse(world.row().proofText).meta['x402/payment']).toEqual(JSON.parse(proofs[0]!));
        return served();
      },
    ]);
    await settle();
    expect(world.row()).toMatchObject({ decision: 'waiting', money: 'reserved', rule: 'You have set no rule for this' });
    expect(world.state.signed).toEqual([]);
    await world.decide('approve');
    await delivered(outcome);
    expect(world.row()).toMatchObject({ decision: 'approved', service: 'delivered', answerText: '' });
    expect(JSON.parse(proofs[0]!)).toMatchObject({ accepted: offer(), payload: { nonce: '0' } });
  });

  test.each([
    ['rejected', (world: ReturnType<typeof createWorld>) => world.decide('reject'), 'APPROVAL_REJECTED', {}],
    ['expired', (world: ReturnType<typeof createWorld>) => world.clock.advance(11 * 60_000), 'APPROVAL_EXPIRED', { patience: 15 * 60_000 }],
  ] as const)('I9: a payment that is %s is signed, holds budget or leaves the agent without a reason', async (decision, act, code, options) => {
    const world = createWorld(options);
    const { outcome } = world.call([]);
    await settle();
    expect(world.spent()).toBe(10_000n);
    await act(world);
    expect(await outcome).toMatchObject({ kind: 'refusal', error: { code, message: expect.stringContaining('"weather"') } });
    expect(world.row()).toMatchObject({ decision, money: 'none', service: 'refused', reason: { code } });
    expect(world.state.signed).toEqual([]);
    expect(world.spent()).toBe(0n);
  });

  test('a client that leaves before the decision still gets its payment signed', async () => {
    const world = createWorld();
    const { outcome, leave } = world.call([]);
    await settle();
    leave();
    expect(await outcome).toMatchObject({ error: { code: 'APPROVAL_CANCELLED' } });
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none' });
    expect(world.approvals.waiting()).toEqual([]);
    expect(world.state.signed).toEqual([]);
  });

  test('I1: identical calls of one client each buy; of two clients share a payment', async () => {
    const world = createWorld();
    const first = world.call([answer()]);
    const second = world.call([], { argumentsText: '{ "city" : "Berlin" }' });
    const other = world.call([answer()], { client: 'cursor' });
    await settle();
    expect(world.approvals.waiting()).toHaveLength(2);
    await world.decide('approve');
    await world.decide('approve');
    expect(await delivered(first.outcome)).toBe(await delivered(second.outcome));
    await delivered(other.outcome);
    expect(world.state.signed).toHaveLength(2);
  });

  test('one of two joined clients that leaves cancels the payment of the other', async () => {
    const world = createWorld();
    const first = world.call([]);
    const second = world.call([answer()]);
    await settle();
    first.leave();
    await world.decide('approve');
    await delivered(second.outcome);
    expect(world.row()).toMatchObject({ decision: 'approved', service: 'delivered' });
  });

  test('a signature that fails keeps the budget or loses the row', async () => {
    const world = createWorld();
    world.state.signing = new BursarError('CHAIN_UNREACHABLE', 'The RPC did not answer.');
    const { outcome } = world.call([]);
    await world.decide('approve');
    expect(await outcome).toMatchObject({ error: { code: 'CHAIN_UNREACHABLE' } });
    expect(world.row()).toMatchObject({ decision: 'approved', money: 'none', service: 'refused', reason: { code: 'CHAIN_UNREACHABLE' } });
    expect(world.spent()).toBe(0n);
  });
});

describe('approving', () => {
  test('a decision counts before the request was visible for a second, twice, or under other terms', async () => {
    const world = createWorld();
    const { outcome } = world.call([answer()]);
    await settle();
    const [waiting] = world.approvals.waiting();
    const decision = { paymentId: waiting!.payment.id, termsDigest: waiting!.payment.termsDigest, nonce: waiting!.nonce, decision: 'approve' } as const;
    const early = expect.objectContaining({ code: 'APPROVAL_TOO_EARLY' });
    const stale = expect.objectContaining({ code: 'APPROVAL_STALE' });
    const decide = (change: object = {}) => world.approvals.decide({ ...decision, ...change }, () => {});

    expect(() => decide()).toThrow(early);
    world.approvals.report({ paymentId: decision.paymentId, visible: true });
    await world.clock.advance(999);
    expect(() => decide()).toThrow(early);
    world.approvals.report({ paymentId: decision.paymentId, visible: false });
    await world.clock.advance(1);
    world.approvals.report({ paymentId: decision.paymentId, visible: true });
    await world.clock.advance(999);
    expect(() => decide()).toThrow(early);
    await world.clock.advance(1);
    expect(() => decide({ termsDigest: 'f'.repeat(64) })).toThrow(stale);
    expect(() => decide({ nonce: '' })).toThrow(stale);
    expect(() => world.approvals.decide(decision, () => { throw new BursarError('WALLET_LOCKED', 'locked'); })).toThrow(expect.objectContaining({ code: 'WALLET_LOCKED' }));
    decide();
    expect(() => decide()).toThrow(stale);
    await delivered(outcome);
    expect(world.state.signed).toHaveLength(1);
  });

  test('a window that the host says is hidden can be answered because its page says otherwise', async () => {
    const world = createWorld();
    world.call([answer()]);
    await settle();
    const id = world.approvals.waiting()[0]!.payment.id;
    world.approvals.setWindowVisible(false);
    expect(world.approvals.report({ paymentId: id, visible: true })).toBeUndefined();
  });

  test('one client fills the queue, or holds more than half of a day by asking', async () => {
    const world = createWorld({ policy: { caps: [{ over: {}, window: 'day', unit: 'USD', amount: '10' }] } });
    const ask = (city: number, amount: string) => world.call([], { argumentsText: `{"city":${city}}`, answer: { text: challenge([offer(amount)]) } });
    ask(1, '3000000');
    await settle();
    expect(await ask(2, '3000000').outcome).toMatchObject({ error: { code: 'APPROVAL_QUEUE_FULL' } });
    for (let city = 3; city < 22; city++) ask(city, '10000');
    await settle();
    expect(world.approvals.waiting()).toHaveLength(20);
    expect(await ask(99, '10000').outcome).toMatchObject({ error: { code: 'APPROVAL_QUEUE_FULL' } });
  });
});

describe('an allowed payment', () => {
  test('I3: parallel payments pass a cap together', async () => {
    const world = createWorld({ policy: { ...allowAll, caps: [{ over: {}, window: 'day', unit: 'USD', amount: '0.10' }] } });
    const calls = Array.from({ length: 50 }, (_, city) => world.call([answer()], { argumentsText: `{"city":${city}}` }));
    const outcomes = await Promise.all(calls.map((call) => call.outcome));
    expect(outcomes.filter(({ kind }) => kind === 'answer')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome.kind === 'refusal' && outcome.error.code === 'BUDGET_EXCEEDED')).toHaveLength(40);
    expect(world.spent()).toBe(100_000n);
  });

  test('I3: any mix of amounts, answers and chain outcomes breaks a cap or leaks budget', async () => {
    const step = fc.record({ amount: fc.integer({ min: 1, max: 60_000 }), fate: fc.constantFrom('settles', 'dies', 'stays open') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const world = createWorld({ policy: { ...allowAll, caps: [{ over: {}, window: 'day', unit: 'USD', amount: '0.20' }] } });
        let held = 0n;
        for (const [index, { amount, fate }] of steps.entries()) {
          // A tool of its own each time: another price for the same one asks.
          const call = world.call([answer()], { tool: `t${index}`, answer: { text: challenge([offer(String(amount))]) } });
          const paid = (await call.outcome).kind === 'answer';
          expect(paid).toBe(held + BigInt(amount) <= 200_000n);
          if (!paid) continue;
          held += BigInt(amount);
          if (fate === 'stays open') continue;
          world.chain.set(String(world.state.signed.length - 1), fate === 'settles' ? settled : dead);
          await world.clock.advance(5000);
          if (fate === 'dies') held -= BigInt(amount);
          expect(world.spent()).toBe(held);
        }
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test('a client that leaves while the network is asked what it costs gets it signed', async () => {
    let leave = (): void => {};
    const world = createWorld({
      policy: { otherwise: 'allow' },
      rail: {
        async fees() {
          leave();
          return [];
        },
      },
    });
    const call = world.call([async () => served()]);
    leave = call.leave;
    expect(await call.outcome).toMatchObject({ kind: 'refusal', error: { code: 'APPROVAL_CANCELLED' } });
    expect(world.state.signed).toEqual([]);
    expect(call.proofs).toEqual([]);
    expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', reason: { code: 'APPROVAL_CANCELLED' } });
  });

  test('an amount above the limit of a call is signed, or its refusal does not say which limit', async () => {
    const world = createWorld({ policy: allowAll });
    const { outcome } = world.call([], { answer: { text: challenge([offer('1000001')]) } });
    expect(await outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('limit of $1.00 (per call)') } });
    expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', service: 'refused' });
    expect(world.state.signed).toEqual([]);
  });

  test('a price that stood in text alone, or a locked wallet, is paid without asking', async () => {
    for (const locked of [false, true]) {
      const world = createWorld({ policy: allowAll, locked });
      const message = JSON.parse(challenge()) as { result: { structuredContent?: unknown } };
      if (!locked) delete message.result.structuredContent;
      world.call([], { answer: { text: JSON.stringify(message) } });
      await settle();
      expect(world.approvals.waiting()).toHaveLength(1);
      expect(world.row().rule).toMatch(locked ? /locked/ : /plain text/);
    }
  });

  test('a rule that denies a server is passed over', async () => {
    const world = createWorld({ policy: { ...allowAll, rules: [{ when: { upstream: 'weather' }, verdict: 'deny', note: 'too dear' }] } });
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'POLICY_DENIED', message: expect.stringContaining('too dear') } });
  });
});

describe('a ledger that somebody changed', () => {
  test('a payment is made or asked for, or a free answer is held back', async () => {
    const world = createWorld({ policy: allowAll });
    world.tamper('The payment p1 was changed from outside.');
    expect(await world.call([]).outcome).toMatchObject({ kind: 'refusal', error: { code: 'LEDGER_TAMPERED', message: expect.stringContaining('p1 was changed') } });
    expect(await world.call([], { answer: { text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'free' }] } }) } }).outcome).toEqual({ kind: 'pass' });
    expect(world.state.signed).toEqual([]);
    expect(world.rows()).toEqual([]);
  });

  test('a payment that waits for the owner goes on waiting, or keeps its budget', async () => {
    const world = createWorld();
    const { outcome } = world.call([]);
    await settle();
    world.tamper('A counter was changed from outside.');
    expect(await outcome).toMatchObject({ kind: 'refusal', error: { code: 'LEDGER_TAMPERED' } });
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none', reason: { code: 'LEDGER_TAMPERED' } });
    expect(world.spent()).toBe(0n);
  });

  test('what the chain says is written over rows that are evidence', async () => {
    const world = createWorld({ policy: allowAll });
    await world.call([gone]).outcome;
    world.tamper('The payment was changed from outside.');
    world.chain.set('0', { state: 'settled', transaction: '0xfeed', final: true });
    await world.clock.advance(60_000);
    expect(world.row()).toMatchObject({ money: 'outstanding' });
  });
});

describe('what comes after the signature', () => {
  test('I10: an unanswered call is paid with a second authorization while the first can still settle', async () => {
    const world = createWorld({ policy: allowAll });
    const first = world.call([gone]);
    expect(await first.outcome).toMatchObject({ error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'lost' });
    const again = world.call([answer()]);
    await delivered(again.outcome);
    expect(again.proofs).toEqual(first.proofs);
    expect(world.state.signed).toHaveLength(1);
    expect(world.rows()).toHaveLength(1);
  });

  test('I10: a proof that could expire on its way is sent again, or replaced', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    await world.call([() => Promise.reject(new Error('the server ended'))]).outcome;
    const until = world.row().outstandingUntil ?? 0;
    await world.clock.advance(until - RESEND_MARGIN_MS - world.clock.now());
    const late = world.call([async () => served()]);
    expect(await late.outcome).toMatchObject({ kind: 'refusal', error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
    expect(late.proofs).toEqual([]);
    expect(world.state.signed).toHaveLength(1);
  });

  test('I10: an expired proof whose death is not proved is replaced', async () => {
    const world = createWorld({ policy: allowAll });
    await world.call([gone]).outcome;
    await world.clock.advance(3 * 60_000);
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
    world.chain.set('0', dead);
    await world.clock.advance(61_000);
    expect(world.row()).toMatchObject({ money: 'dead', service: 'lost' });
    await delivered(world.call([answer()]).outcome);
    expect(world.state.signed).toHaveLength(2);
  });

  test('I9: an answer whose client had gone is lost, or given out twice', async () => {
    const world = createWorld({ policy: allowAll });
    await delivered(world.call([answer('paid')]).outcome, false);
    expect(world.row()).toMatchObject({ service: 'lost' });
    expect(await delivered(world.call([]).outcome)).toBe(served('paid'));
    expect(world.row()).toMatchObject({ service: 'delivered', answerText: '' });
    await delivered(world.call([answer('new')]).outcome);
    expect(world.state.signed).toHaveLength(2);
  });

  test('a second challenge after the payment is paid too', async () => {
    const world = createWorld({ policy: allowAll });
    const { outcome, proofs } = world.call([async () => challenge([offer('20000')])]);
    expect(await outcome).toMatchObject({ error: { code: 'SECOND_CHALLENGE' } });
    expect(proofs).toHaveLength(1);
    expect(world.state.signed).toHaveLength(1);
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'refused' });
  });

  test('a settlement that the server calls failed is taken for one on its word', async () => {
    const world = createWorld({ policy: allowAll });
    world.chain.set('0', settled);
    const { outcome } = world.call([async () => challenge([offer()], 'Payment settlement failed: timeout')]);
    expect(await outcome).toMatchObject({ error: { code: 'PAID_NOT_DELIVERED', message: expect.stringContaining('could not settle the payment') } });
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'settled', final: true, transaction: '0xfeed', reason: { code: 'PAID_NOT_DELIVERED' } });
    world.call([]);
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1); // paid and not delivered: the next one asks, whatever the rules say
  });

  test('a facilitator that says it settled and did not keeps the budget for ever, or frees it before the authorization is dead', async () => {
    const world = createWorld({ policy: allowAll });
    await delivered(world.call([answer()]).outcome);
    await world.clock.advance(120_000);
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'delivered' });
    expect(world.spent()).toBe(10_000n);
    world.chain.set('0', dead);
    await world.clock.advance(61_000);
    expect(world.row()).toMatchObject({ money: 'dead', reason: { code: 'NEVER_COLLECTED' } });
    expect(world.spent()).toBe(0n);
  });

  test.each(['a rule that asks', 'a locked wallet'])('I1/I9: %s hides from the owner that the call was paid before without an answer', async (why) => {
    const world = createWorld(why === 'a locked wallet' ? { policy: allowAll } : {});
    const first = world.call([gone]);
    if (why === 'a rule that asks') await world.decide('approve');
    await first.outcome;
    world.chain.set('0', settled);
    await world.clock.advance(130_000);
    expect(world.row()).toMatchObject({ money: 'settled', service: 'lost' });
    world.state.locked = why === 'a locked wallet';
    world.call([answer()]);
    await settle();
    expect(world.approvals.waiting()[0]?.assessment.rule).toMatch(/paid before/);
  });

  test('a settlement that a reorganisation takes back stays settled', async () => {
    const world = createWorld({ policy: allowAll });
    world.chain.set('0', { ...settled, final: false });
    await delivered(world.call([answer()]).outcome);
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'settled', final: false });
    world.chain.delete('0');
    await world.clock.advance(5000);
    expect(world.row()).toMatchObject({ money: 'outstanding', transaction: '' });
    world.chain.set('0', settled);
    await world.clock.advance(61_000);
    expect(world.row()).toMatchObject({ money: 'settled', final: true });
    expect(world.spent()).toBe(10_000n);
  });

  test('I5: a settlement that a reorganisation took back, and that has expired by the next look, stays settled', async () => {
    const world = createWorld({ policy: allowAll });
    world.chain.set('0', { ...settled, final: false });
    await delivered(world.call([answer()]).outcome);
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'settled', final: false });
    world.chain.set('0', { state: 'dead', why: 'The authorization expired unused.' });
    await world.clock.advance(5000);
    expect(world.row()).toMatchObject({ money: 'dead', transaction: '', reason: { code: 'NEVER_COLLECTED' } });
    expect(world.spent()).toBe(0n);
    expect(world.history.timeline(world.row().id).slice(-2).map(({ detail }) => detail)).toEqual(['the settlement is gone', 'dead: The authorization expired unused.']);
  });

  test('a server that never answers hangs the call', async () => {
    const world = createWorld({ policy: allowAll });
    const { outcome } = world.call([never], {
      retry: (_meta, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new BursarError('UPSTREAM_UNREACHABLE', 'No answer in time.')), { once: true })),
    });
    await settle();
    await world.clock.advance(120_000);
    expect(await outcome).toMatchObject({ error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
  });

  test('the error of a tool that failed after it was paid does not reach the agent', async () => {
    const world = createWorld({ policy: allowAll });
    const failure = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text: 'no such city' }] } });
    expect(await delivered(world.call([async () => failure]).outcome)).toBe(failure);
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'refused', reason: { text: expect.stringContaining('no such city') } });
  });
});

describe('a restart', () => {
  test('I1: a process that died before signing keeps budget, or after signing signs again', async () => {
    const world = createWorld();
    world.call([]);
    await settle();
    world.restart();
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none', service: 'refused' });
    expect(world.spent()).toBe(0n);

    const dying = world.call([never], { argumentsText: '{"city":"Paris"}' });
    await world.decide('approve');
    world.restart();
    expect(world.row()).toMatchObject({ decision: 'approved', money: 'outstanding', service: 'lost' });
    world.chain.set('0', settled);
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'settled', reason: { code: 'PAID_NOT_DELIVERED' } });
    const again = world.call([answer()], { argumentsText: '{"city":"Paris"}' });
    await delivered(again.outcome);
    expect(again.proofs).toEqual(dying.proofs);
    expect(world.state.signed).toHaveLength(1);
    expect(world.row()).toMatchObject({ money: 'settled', service: 'delivered', reason: { code: '' } });
  });
});

describe('a demand that cannot be paid', () => {
  test.each([
    ['malformed', challenge([{ ...offer(), amount: '-1' }]), 'CHALLENGE_MALFORMED'],
    ['repeating a key', challenge().replace('"x402Version":2', '"x402Version":2,"x402Version":2'), 'CHALLENGE_MALFORMED'],
    ['on another network', challenge([offer('10000', { network: 'eip155:1' })]), 'NETWORK_UNSUPPORTED'],
    ['in an unknown token', challenge([offer('10000', { asset: '0x0000000000000000000000000000000000000001', extra: {} })]), 'ASSET_UNKNOWN'],
    ['in a token that only calls itself USDC', challenge([offer('10000', { asset: '0x0000000000000000000000000000000000000001' })]), 'ASSET_MISMATCH'],
    ['by a scheme that is known and not paid', challenge([offer('10000', { scheme: 'upto' })]), 'FLOW_UNSUPPORTED'],
    ['by an unknown scheme', challenge([offer('10000', { scheme: 'barter' })]), 'NO_PAYABLE_OFFER'],
    ['by two unpayable offers', challenge([offer('1', { scheme: 'upto' }), offer('1', { network: 'eip155:1' })]), 'NO_PAYABLE_OFFER'],
  ])('I9: %s, leaves no row or no reason', async (_name, answerText, code) => {
    const world = createWorld();
    expect(await world.call([], { answer: { text: answerText } }).outcome).toMatchObject({ kind: 'refusal', error: { code, message: expect.stringContaining('"weather"') } });
    expect(world.row()).toMatchObject({ upstream: 'weather', tool: 'forecast', decision: 'denied', money: 'none', service: 'refused', reason: { code } });
    expect(world.spent()).toBe(0n);
  });

  test('I9: above the balance, is asked of the owner', async () => {
    const world = createWorld({ balance: 9_999n });
    expect(await world.call([]).outcome).toMatchObject({ error: { code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('holds 0.009999 USDC') } });
  });

  test('I8: an answer that asks for nothing is changed', async () => {
    const world = createWorld();
    expect(await world.call([], { answer: { text: '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"about x402Version"}]}}' } }).outcome).toEqual({ kind: 'pass' });
    expect(world.rows()).toEqual([]);
  });
});
