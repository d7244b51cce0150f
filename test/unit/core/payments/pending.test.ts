import { describe, expect, test } from 'vitest';
import { clientProfile } from '../../../../src/core/payments/client-profiles.ts';
import { disputePacket } from '../../../../src/core/payments/dispute.ts';
import { settle } from '../../../support/manual-clock.ts';
import { challenge, createWorld, offer, PATIENCE_MS, served, type World } from '../../../support/payment-world.ts';

const answer = (text?: string) => async () => served(text);
const LIFETIME_MS = 10 * 60_000;
const settled = { state: 'settled', transaction: '0xfeed', final: true } as const;

async function delivered(outcome: Promise<unknown>) {
  const result = (await outcome) as { kind: string; responseText: string; delivered(written: boolean): void };
  expect(result.kind).toBe('answer');
  result.delivered(true);
  return result.responseText;
}

/** A first call whose client could not wait for the owner. */
async function sentAway(world: World, change: Parameters<World['call']>[1] = {}) {
  const call = world.call([], change);
  await settle();
  await world.clock.advance(PATIENCE_MS);
  return { ...call, notice: await call.outcome };
}
const kinds = (world: World) => world.history.timeline(world.row().id).map(({ kind }) => kind);

describe('a slow owner', () => {
  test('I9: a client gives its call up before it hears that the owner has not decided', async () => {
    const world = createWorld();
    const told: string[] = [];
    const call = world.call([], { progress: (message) => void told.push(message) });
    await settle();
    await world.clock.advance(PATIENCE_MS - 1);
    expect(told).toHaveLength(5);
    await world.clock.advance(1);
    const { id } = world.row();
    expect(await call.outcome).toEqual({ kind: 'pending', paymentId: id, expiresAt: expect.any(Number) });
    await world.clock.advance(60_000);
    expect(told).toHaveLength(5);
    call.leave(); // an answered call has nothing left to cancel
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    expect(world.row()).toMatchObject({ decision: 'waiting', money: 'reserved', service: 'open', reason: { code: 'PAYMENT_PENDING' } });
    expect(world.spent()).toBe(10_000n);
  });

  test('a call that spent its time before the owner was asked hangs until the client gives it up', async () => {
    const world = createWorld();
    const { outcome } = world.call([], { startedAt: world.clock.now() - PATIENCE_MS });
    await settle();
    await world.clock.advance(0);
    expect(await outcome).toMatchObject({ kind: 'pending' });
  });

  test('I1: an approval that came between two calls is signed without a call, or used for more than one', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    expect(world.row()).toMatchObject({ decision: 'approved', money: 'reserved', service: 'open' });
    expect(world.state.signed).toEqual([]);
    expect(world.spent()).toBe(10_000n);

    const again = world.call([answer()]);
    await delivered(again.outcome);
    expect(again.proofs).toHaveLength(1);
    expect(world.state.signed).toHaveLength(1);
    expect(world.rows()).toHaveLength(1);
    expect(kinds(world)).toEqual(['challenged', 'pending', 'approved', 'signed', 'answered', 'delivered']);

    world.call([]);
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1); // the approval was used: this is a new purchase
    expect(world.state.signed).toHaveLength(1);
  });

  test('I1: a call that comes back while the owner thinks asks a second time', async () => {
    const world = createWorld();
    await sentAway(world);
    const again = world.call([answer()]);
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    expect(world.spent()).toBe(10_000n);
    await world.decide('approve');
    await delivered(again.outcome);
    expect(world.rows()).toHaveLength(1);
    expect(world.state.signed).toHaveLength(1);
  });

  test('I1: fifty calls that come back together pay more than once, or leave one without the answer', async () => {
    const world = createWorld();
    await sentAway(world);
    const calls = Array.from({ length: 50 }, () => world.call([answer()]));
    await settle();
    await world.decide('approve');
    expect(new Set(await Promise.all(calls.map(({ outcome }) => delivered(outcome)))).size).toBe(1);
    expect(calls.flatMap(({ proofs }) => proofs)).toHaveLength(1);
    expect(world.state.signed).toHaveLength(1);
    expect(world.rows()).toHaveLength(1);
  });

  test('I1: fifty calls that come back to an approval pay more than once', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    const calls = Array.from({ length: 50 }, () => world.call([answer()]));
    await Promise.all(calls.map(({ outcome }) => delivered(outcome)));
    expect(calls.flatMap(({ proofs }) => proofs)).toHaveLength(1);
    expect(world.state.signed).toHaveLength(1);
  });

  test('one client uses what the owner approved for another', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    world.call([answer()], { client: 'cursor' });
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
    expect(world.state.signed).toEqual([]);
  });

  test('a client that comes back and leaves again takes the approval with it', async () => {
    const world = createWorld();
    await sentAway(world);
    const second = world.call([]);
    await settle();
    second.leave();
    expect(await second.outcome).toMatchObject({ error: { code: 'APPROVAL_CANCELLED' } });
    expect(world.approvals.waiting()).toHaveLength(1);
    await world.decide('approve');
    await delivered(world.call([answer()]).outcome);
    expect(world.rows()).toHaveLength(1);
  });

  test('I1: a call that began before an identical one was answered buys again', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    const startedAt = world.clock.now();
    await world.clock.advance(5);
    const first = await delivered(world.call([answer()]).outcome);
    await world.clock.advance(5);
    expect(await delivered(world.call([], { startedAt }).outcome)).toBe(first);
    expect(world.state.signed).toHaveLength(1);
    await delivered(world.call([answer()]).outcome);
    expect(world.state.signed).toHaveLength(2);
  });
});

test('a client that goes away takes along a parallel call whose challenge came later', async () => {
  const world = createWorld();
  const startedAt = world.clock.now();
  await world.clock.advance(5);
  const first = world.call([]);
  await settle();
  await world.clock.advance(5);
  first.leave();
  expect(await first.outcome).toMatchObject({ error: { code: 'APPROVAL_CANCELLED' } });
  const second = world.call([answer()], { startedAt });
  await world.decide('approve');
  await delivered(second.outcome);
});

describe('what an agent finds that comes back', () => {
  test.each([
    ['rejected', (world: World) => world.decide('reject'), 'APPROVAL_REJECTED'],
    ['expired', (world: World) => world.clock.advance(LIFETIME_MS), 'APPROVAL_EXPIRED'],
    ['approved and expired', async (world: World) => (await world.decide('approve'), await world.clock.advance(LIFETIME_MS)), 'APPROVAL_EXPIRED'],
    ['withdrawn', (world: World) => world.payments.withdraw(world.row().id), 'APPROVAL_CANCELLED'],
    ['approved and withdrawn', async (world: World) => (await world.decide('approve'), await world.payments.withdraw(world.row().id)), 'APPROVAL_CANCELLED'],
    ['lost in a restart', async (world: World) => world.restart(), 'APPROVAL_CANCELLED'],
    ['approved and lost in a restart', async (world: World) => (await world.decide('approve'), world.restart()), 'APPROVAL_CANCELLED'],
  ])('I9: a payment that was %s is signed, keeps its budget, or is asked for again before the agent hears of it', async (_name, act, code) => {
    const world = createWorld();
    await sentAway(world);
    const { id } = world.row();
    await act(world);
    await settle();
    expect(world.row()).toMatchObject({ money: 'none', service: 'lost', reason: { code } });
    expect(world.spent()).toBe(0n);
    expect(await world.call([]).outcome).toMatchObject({ kind: 'refusal', paymentId: id, error: { code } });
    expect(world.row()).toMatchObject({ id, service: 'refused' });

    await world.clock.advance(1);
    const next = world.call([answer()]);
    await world.decide('approve');
    await delivered(next.outcome);
    expect(world.rows()).toHaveLength(2);
    expect(world.state.signed).toHaveLength(1);
  });

  test('an agent that comes back the next day hears of yesterday instead of its owner being asked', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('reject');
    await world.clock.advance(24 * 3600_000);
    world.call([]);
    await settle();
    expect(world.approvals.waiting()).toHaveLength(1);
  });
});

describe('a fresh challenge under an approval', () => {
  test.each(['before', 'after'])('I2: other terms are paid on an approval that came %s them, or hold budget twice', async (order) => {
    const world = createWorld({ policy: { caps: [{ over: {}, window: 'day', unit: 'USD', amount: '0.04' }] } });
    await sentAway(world);
    const { id } = world.row();
    if (order === 'before') await world.decide('approve');
    const dearer = world.call([answer()], { answer: { text: challenge([offer('30000')]) } });
    await settle();
    expect(world.rows().map(({ decision, money }) => [decision, money])).toEqual([['waiting', 'reserved'], ['cancelled', 'none']]);
    expect(world.spent()).toBe(30_000n);
    expect(world.approvals.waiting().map(({ payment }) => payment.id)).toEqual([world.row().id]);
    expect(world.row().id).not.toBe(id);
    await world.decide('approve');
    await delivered(dearer.outcome);
    expect(world.state.signed).toEqual([expect.stringMatching(/ 30000$/)]);
  });

  test('equal terms under a new challenge are paid to the old one, or ask again', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    const fresh = challenge([offer('10000', { extra: { name: 'USDC', version: '2', session: 'second' } })]);
    const again = world.call([answer()], { answer: { text: fresh } });
    await delivered(again.outcome);
    expect(JSON.parse(again.proofs[0]!)).toMatchObject({ accepted: { extra: { session: 'second' } } });
    expect(world.rows()).toHaveLength(1);
  });

  test('I9: the row pairs a proof with an older challenge than it answers, or what the owner saw is gone', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    const shown = world.row().challengeText;
    const fresh = challenge([offer('10000', { extra: { name: 'USDC', version: '2', session: 'second' } })]);
    await delivered(world.call([answer()], { answer: { text: fresh } }).outcome);
    const { id, challengeText, offerText } = world.row();
    expect(JSON.parse(offerText)).toMatchObject({ extra: { session: 'second' } });
    expect(JSON.parse(challengeText)).toMatchObject({ accepts: [{ extra: { session: 'second' } }] });
    const timeline = world.history.timeline(id);
    expect(timeline.find(({ kind }) => kind === 'renewed')?.detail).toContain(shown);
    expect(disputePacket(world.row(), timeline, 0)).toMatchObject({ challenge: challengeText, offer: offerText });
  });

  test('I10: a late approval pays a call whose first proof is still alive', async () => {
    const world = createWorld();
    await sentAway(world);
    await world.decide('approve');
    const paid = world.call([() => Promise.reject(new Error('the connection broke'))]);
    expect(await paid.outcome).toMatchObject({ error: { code: 'PAYMENT_OUTCOME_UNKNOWN' } });
    world.chain.set('0', settled);
    const again = world.call([answer()]);
    await delivered(again.outcome);
    expect(again.proofs).toEqual(paid.proofs);
    expect(world.state.signed).toHaveLength(1);
  });
});

test('a client whose limit is not known is made to wait longer than any client does', () => {
  expect(clientProfile('some agent').answerWithinMs).toBe(50_000);
  expect(clientProfile('claude-desktop').answerWithinMs).toBe(50_000);
  expect(clientProfile('Gemini-CLI').answerWithinMs).toBe(540_000);
});
