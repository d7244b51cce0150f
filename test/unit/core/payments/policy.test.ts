import { describe, expect, test } from 'vitest';
import type { Rule } from '../../../../src/shared/policy/policy.ts';
import { challenge, createWorld, offer, served } from '../../../support/payment-world.ts';
import { settle } from '../../../support/manual-clock.ts';

const OTHER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const allowAll = { otherwise: 'allow' as const, caps: [] };
const settled = { state: 'settled', transaction: '0xfeed', final: true } as const;
const answer = () => async () => served();

/** Pays and lets the chain show it. */
async function pay(world: ReturnType<typeof createWorld>, change: Parameters<typeof world.call>[1] = {}, approve = false): Promise<void> {
  const { outcome } = world.call([answer()], change);
  if (approve) await world.decide('approve');
  const result = await outcome;
  if (result.kind !== 'answer') throw new Error(JSON.stringify(result));
  result.delivered(true);
  world.chain.set(String(world.state.signed.length - 1), settled);
  await world.clock.advance(5000);
  expect(world.row()).toMatchObject({ money: 'settled', final: true });
}

describe('a limit on the number of payments', () => {
  test('I3: 500 parallel calls against a limit of 10 payments pay more or fewer than 10', async () => {
    const world = createWorld({ policy: { ...allowAll, caps: [{ over: { tool: 'fore*' }, window: { rollingMinutes: 60 }, unit: 'payments', amount: '10' }] } });
    const calls = Array.from({ length: 500 }, (_, city) => world.call([answer()], { argumentsText: `{"city":${city}}` }));
    const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
    expect(outcomes.filter(({ kind }) => kind === 'answer')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome.kind === 'refusal' && outcome.error.code === 'BUDGET_EXCEEDED')).toHaveLength(490);
    expect(world.rows().filter(({ money }) => money !== 'none')).toHaveLength(10);
    await world.clock.advance(63 * 60_000);
    expect((await world.call([answer()], { argumentsText: '{"city":"later"}' }).outcome).kind).toBe('answer');
  }, 30_000);

  test('I3: a restart, or another session, opens a limit that is not of a session', async () => {
    const world = createWorld({ policy: { ...allowAll, caps: [{ over: {}, window: 'hour', unit: 'payments', amount: '1' }] } });
    await pay(world);
    world.restart();
    expect(await world.call([], { session: 's2', tool: 'other' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  });

  test('I3: a session pays more than its limit, or less because of another session', async () => {
    const world = createWorld({ policy: { ...allowAll, caps: [{ over: {}, window: 'session', unit: 'USD', amount: '0.01' }] } });
    await pay(world);
    expect(await world.call([], { tool: 'other' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('per session') } });
    await pay(world, { session: 's2', tool: 'third' });
  });

  test('I3: a limit that is added later does not know of what was paid before', async () => {
    const world = createWorld({ policy: allowAll });
    await pay(world);
    world.setPolicy({ caps: [{ over: { upstream: 'weather' }, window: 'week', unit: 'USD', amount: '0.015' }] });
    expect(await world.call([], { tool: 'other' }).outcome).toMatchObject({ error: { code: 'BUDGET_EXCEEDED', message: expect.stringContaining('$0.01 of it is used') } });
  });
});

test('I3: a clock that is set back opens a window again, or what is paid then counts as of before', async () => {
  const world = createWorld({ policy: { otherwise: 'allow', timeZone: 'UTC', caps: [{ over: {}, window: 'day', unit: 'USD', amount: '0.02' }] } });
  const buy = (tool: string) => world.call([async () => served()], { tool }).outcome;
  expect((await buy('first')).kind).toBe('answer');
  const at = world.clock.now();
  world.clock.sleep(-26 * 3_600_000);
  expect((await buy('second')).kind).toBe('answer');
  expect(world.journal.atomically((tx) => tx.held(world.row().id)).map((use) => use.at)).toEqual([at]);
  expect(await buy('third')).toMatchObject({ kind: 'refusal', error: { code: 'BUDGET_EXCEEDED' } });
  world.clock.sleep(26 * 3_600_000);
  expect(await buy('fourth')).toMatchObject({ kind: 'refusal', error: { code: 'BUDGET_EXCEEDED' } });
});

describe('a rule about the same call again', () => {
  const within10: Rule[] = [{ when: { repeatWithinMinutes: 10 }, verdict: 'ask' }];
  const verdicts = async (world: ReturnType<typeof createWorld>, change: Parameters<typeof world.call>[1] = {}) => {
    const { outcome } = world.call([answer()], change);
    await settle();
    const [waiting] = world.approvals.waiting();
    if (waiting) await world.decide('reject');
    const result = await outcome;
    if (result.kind === 'answer') result.delivered(true);
    return waiting ? waiting.assessment.rule : result.kind;
  };

  test('passes over an agent in a loop, or asks about another call, another client, or much later', async () => {
    const world = createWorld({ policy: { ...allowAll, rules: within10 } });
    await pay(world);
    expect(await verdicts(world)).toBe('Rule: ask same call again within 10 minutes');
    expect(await verdicts(world, { argumentsText: '{"city":"Rome"}' })).toBe('answer');
    expect(await verdicts(world, { client: 'another' })).toBe('answer');
    world.restart();
    expect(await verdicts(world)).toMatch(/again within/);
    await world.clock.advance(10 * 60_000);
    expect(await verdicts(world)).toBe('answer');
  });

  test('lets an agent go on in its loop because the owner, or the answer, took long', async () => {
    const world = createWorld({ policy: { ...allowAll, rules: within10 } });
    const result = await world.call([answer()]).outcome;
    if (result.kind !== 'answer') throw new Error('not paid');
    await world.clock.advance(11 * 60_000);
    result.delivered(true);
    expect(await verdicts(world)).toMatch(/again within/);
    await world.clock.advance(10 * 60_000);
    expect(await verdicts(world)).toBe('answer');
  });

  test('takes a call for bought that the owner refused, or that got no answer', async () => {
    const world = createWorld({ policy: { ...allowAll, otherwise: 'ask', rules: within10 } });
    expect(await verdicts(world)).toBe('You have set no rule for this');
    expect(await verdicts(world)).toBe('You have set no rule for this');
    await pay(world, {}, true);
    expect(await verdicts(world)).toMatch(/again within/);
  });
});

describe('pinned terms', () => {
  test.each([
    ['payee', offer('10000', { payTo: OTHER }), { before: offer().payTo, now: OTHER }],
    ['price', offer('10001'), { before: '0.01 USDC', now: '0.010001 USDC' }],
  ])('another %s is paid without asking, or keeps asking once the owner agreed', async (what, changed, difference) => {
    const world = createWorld({ policy: allowAll });
    await pay(world);
    await pay(world);
    const { outcome } = world.call([answer()], { answer: { text: challenge([changed]) } });
    await settle();
    expect(world.approvals.waiting()[0]?.assessment).toMatchObject({ verdict: 'ask', rule: expect.stringContaining(`the ${what} changed`), changes: [{ what, ...difference }] });
    await world.decide('reject');
    expect(await outcome).toMatchObject({ error: { code: 'APPROVAL_REJECTED' } });
    await pay(world, { answer: { text: challenge([changed]) } }, true);
    await pay(world, { answer: { text: challenge([changed]) } });
    world.call([], {}); // and back again is a change too
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
  });

  test('terms that were never settled are pinned, or those of another tool', async () => {
    const world = createWorld({ policy: allowAll });
    const { outcome } = world.call([answer()]);
    expect((await outcome).kind).toBe('answer'); // not settled yet
    await pay(world, { tool: 'radar', answer: { text: challenge([offer('20000')]) } });
    await pay(world, { argumentsText: '{"city":"Paris"}', answer: { text: challenge([offer('20000')]) } });
  });

  test('a rule for first payments applies to the second one', async () => {
    const world = createWorld({ policy: { ...allowAll, rules: [{ when: { firstPayment: 'payee' }, verdict: 'ask' }] } });
    await pay(world, {}, true);
    await pay(world, { tool: 'radar' });
    world.call([], { answer: { text: challenge([offer('10000', { payTo: OTHER })]) }, tool: 'sonar' });
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
  });
});

describe('a pause', () => {
  test('pays, keeps asking, or holds budget', async () => {
    const world = createWorld({ policy: allowAll });
    world.setPolicy({ otherwise: 'ask' });
    const { outcome } = world.call([]);
    await settle();
    world.setPolicy({ paused: true });
    expect(await outcome).toMatchObject({ kind: 'refusal', error: { code: 'PAYMENTS_PAUSED' } });
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none', reason: { code: 'PAYMENTS_PAUSED' } });
    expect(world.spent()).toBe(0n);
    world.setPolicy({ otherwise: 'allow' });
    expect(await world.call([], { tool: 'other' }).outcome).toMatchObject({ error: { code: 'PAYMENTS_PAUSED' } });
    expect(world.state.signed).toEqual([]);
    world.setPolicy({ paused: false });
    await pay(world);
  });

  test('lets through what the owner approved a moment before', async () => {
    const world = createWorld();
    const { outcome } = world.call([]);
    await settle();
    const [waiting] = world.approvals.waiting();
    world.approvals.report({ paymentId: waiting!.payment.id, visible: true });
    await world.clock.advance(1000);
    world.approvals.decide({ paymentId: waiting!.payment.id, termsDigest: waiting!.payment.termsDigest, nonce: waiting!.nonce, decision: 'approve' }, () => {});
    world.setPolicy({ paused: true });
    expect(await outcome).toMatchObject({ error: { code: 'PAYMENTS_PAUSED' } });
    expect(world.row().money).toBe('none');
  });
});

test('an address that a server brought up is paid without asking, or asks again after the owner paid it', async () => {
  const world = createWorld({ policy: allowAll });
  const seenIn = (reference: string) => (reference === offer().payTo.toLowerCase() ? 'a result of tool "search" of server "web"' : '');
  await pay(world, { seenIn }, true);
  expect(world.row().rule).toBe('Asks because the payee first stood in a result of tool "search" of server "web"');
  await pay(world, { seenIn, argumentsText: '{"city":"Paris"}' });
});

