import { describe, expect, test } from 'vitest';
import { BursarError } from '../../../../src/shared/errors/errors.ts';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, served } from '../../../support/payment-world.ts';

const answer = async () => served();
const allowing = { otherwise: 'allow' as const, caps: [] };
const asking = { otherwise: 'ask' as const, caps: [] };

/** What the owner lets a client do, until they do not. */
function permission(given = true) {
  const state = { given };
  const requireMayPay = () => {
    if (!state.given) throw new BursarError('SCOPE_MISSING', 'It may not.');
  };
  return { state, requireMayPay };
}
const refused = { kind: 'refusal', error: { code: 'SCOPE_MISSING' } };

describe('a client that may not have calls paid', () => {
  test('has one signed, a free one refused, or leaves the owner without a row', async () => {
    const world = createWorld({ policy: allowing });
    const { requireMayPay } = permission(false);
    const { outcome, proofs } = world.call([answer], { requireMayPay });
    expect(await outcome).toMatchObject(refused);
    expect([proofs, world.state.signed]).toEqual([[], []]);
    expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', service: 'refused', reason: { code: 'SCOPE_MISSING' } });
    expect(await world.call([], { requireMayPay, answer: { text: served() } }).outcome).toEqual({ kind: 'pass' });
    expect(world.rows()).toHaveLength(1);
  });

  test('is handed the kept answer of what it bought before', async () => {
    const world = createWorld({ policy: allowing });
    const { state, requireMayPay } = permission();
    const first = world.call([answer], { requireMayPay });
    const bought = await first.outcome;
    if (bought.kind === 'answer') bought.delivered(false);
    await settle();
    state.given = false;
    expect(await world.call([], { requireMayPay }).outcome).toMatchObject(refused);
    expect(world.state.signed).toHaveLength(1);
  });
});

describe('the owner takes the access away', () => {
  test('while a payment is signed, and its proof leaves all the same', async () => {
    const { state, requireMayPay } = permission();
    const world = createWorld({
      policy: allowing,
      rail: {
        async sign({ now }) {
          state.given = false;
          return { payloadText: '{}', track: { nonce: '1' }, outstandingUntil: now + 60_000 };
        },
      },
    });
    const { outcome, proofs } = world.call([answer], { requireMayPay });
    expect(await outcome).toMatchObject(refused);
    expect(proofs).toEqual([]);
    expect(world.spent()).toBe(0n);
    expect(world.rows()).toEqual([]);
  });

  test('between the question and the signature, and the approval still pays', async () => {
    const { state, requireMayPay } = permission();
    const world = createWorld({ policy: asking });
    const { outcome, proofs } = world.call([answer], { requireMayPay });
    await settle();
    state.given = false;
    await world.decide('approve');
    expect(await outcome).toMatchObject(refused);
    expect(proofs).toEqual([]);
    expect(world.row()).toMatchObject({ decision: 'cancelled', money: 'none', service: 'refused', reason: { code: 'SCOPE_MISSING' } });
    expect(world.spent()).toBe(0n);
  });

  test('and what waits goes on: undecided, answered payment_pending, or approved and not collected; or another client\'s ends too', async () => {
    const world = createWorld({ policy: asking, patience: 1000 });
    const told = [world.call([], { tool: 'undecided' }), world.call([], { tool: 'approved' })];
    await settle();
    await world.clock.advance(1000);
    expect((await Promise.all(told.map(({ outcome }) => outcome))).map(({ kind }) => kind)).toEqual(['pending', 'pending']);
    const approved = world.approvals.waiting().find(({ payment }) => payment.tool === 'approved')!;
    world.approvals.report({ paymentId: approved.payment.id, visible: true });
    await world.clock.advance(1000);
    world.approvals.decide({ paymentId: approved.payment.id, termsDigest: approved.payment.termsDigest, nonce: approved.nonce, decision: 'approve' }, () => {});
    await settle();
    const waiting = world.call([], { tool: 'waiting' });
    const other = world.call([], { client: 'other', tool: 'other' });
    await settle();

    world.payments.callOff((client) => client === 'claude', new BursarError('APPROVAL_CANCELLED', 'Taken away.'));
    expect(await waiting.outcome).toMatchObject({ kind: 'refusal', error: { code: 'APPROVAL_CANCELLED' } });
    await settle();
    expect(world.approvals.waiting().map(({ payment }) => payment.client)).toEqual(['other']);
    const rows = world.rows().filter(({ client }) => client === 'claude');
    expect(rows.map(({ tool, decision, money, reason }) => [tool, decision, money, reason.code].join(' ')).toSorted()).toEqual(['approved', 'undecided', 'waiting'].map((tool) => `${tool} cancelled none APPROVAL_CANCELLED`));
    other.leave();
  });
});
