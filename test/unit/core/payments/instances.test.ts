import { expect, test } from 'vitest';
import { settle } from '../../../support/manual-clock.ts';
import { createWorld, PAYEE, USDC } from '../../../support/payment-world.ts';

const ID = '7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c11';
const OTHER_ID = '7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c12';

/** An MPX challenge that is open until a time (ms). */
const asked = (until: number, { id = ID, value = '0.01', units = '10000' } = {}) => {
  const requirements = { scheme: 'exact', network: 'base-sepolia', chainId: 84532, maxAmountRequired: units, payTo: PAYEE, maxTimeoutSeconds: 60, asset: USDC, extra: { name: 'USDC', version: '2' } };
  const challenge = {
    mpxVersion: 1,
    paymentRequestId: id,
    expiresAt: new Date(until).toISOString(),
    reason: { tool: 'forecast', description: 'd' },
    amount: { value, currency: 'USDC', decimals: 6 },
    accepts: [{ rail: 'x402-evm-exact', payTo: PAYEE, requirements }],
  };
  return { text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text: 'payment_required' }], _meta: { 'mpx/v1.challenge': challenge } } }) };
};
const result = (text: string, isError = false) => async () => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError, content: [{ type: 'text', text }] } });
const allowAll = { otherwise: 'allow' } as const;
const MINUTE = 60_000;

test('a request that has expired is paid, or the fresh one after it is not', async () => {
  const world = createWorld({ policy: allowAll });
  const late = world.call([], { answer: asked(world.clock.now()) });
  expect(await late.outcome).toMatchObject({ kind: 'refusal', error: { code: 'CHALLENGE_EXPIRED' } });
  expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', reason: { code: 'CHALLENGE_EXPIRED' } });
  const fresh = world.call([result('sunny')], { answer: asked(world.clock.now() + MINUTE, { id: OTHER_ID }) });
  expect(await fresh.outcome).toMatchObject({ kind: 'answer' });
  expect(world.state.signed).toHaveLength(1);
});

test('a request that expired while the owner decided is signed, or keeps its budget', async () => {
  const world = createWorld({ patience: 15 * MINUTE });
  const { outcome } = world.call([], { answer: asked(world.clock.now() + 5 * MINUTE) });
  await settle();
  await world.clock.advance(5 * MINUTE);
  await world.decide('approve');
  expect(await outcome).toMatchObject({ kind: 'refusal', error: { code: 'CHALLENGE_EXPIRED' } });
  expect(world.row()).toMatchObject({ money: 'none', service: 'refused' });
  expect(world.spent()).toBe(0n);
  expect(world.state.signed).toEqual([]);
});

test('an id that comes again with other terms is paid', async () => {
  const world = createWorld({ policy: allowAll });
  const until = world.clock.now() + MINUTE;
  const first = await world.call([result('sunny')], { answer: asked(until) }).outcome;
  if (first.kind === 'answer') first.delivered(true);
  const second = world.call([], { answer: asked(until, { value: '0.02', units: '20000' }) });
  expect(await second.outcome).toMatchObject({ kind: 'refusal', error: { code: 'CHALLENGE_MALFORMED' } });
  expect(world.state.signed).toEqual([`${PAYEE} 10000`]);
});

test('I1: a request that a failed handler has opened again is paid with another proof', async () => {
  const world = createWorld({ policy: allowAll });
  const answer = asked(world.clock.now() + 10 * MINUTE);
  const proofs: unknown[] = [];
  const retrying = (turn: () => Promise<string>) => ({
    answer,
    retry: async ({ meta = {} }) => {
      proofs.push(JSON.parse(String((meta as Record<string, string>)['mpx/v1.authorization'])));
      return { text: await turn() };
    },
  });
  expect(await world.call([], retrying(result('no such city', true))).outcome).toMatchObject({ kind: 'answer' });
  const again = await world.call([], retrying(result('sunny'))).outcome;
  expect(again).toMatchObject({ kind: 'answer', responseText: expect.stringContaining('sunny') });
  expect(proofs[0]).toMatchObject({ mpxVersion: 1, paymentRequestId: ID, rail: 'x402-evm-exact', payload: { network: 'base-sepolia', payload: { nonce: '0' } } });
  expect(proofs[1]).toEqual(proofs[0]);
  expect(world.state.signed).toHaveLength(1);
});
