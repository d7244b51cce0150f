import { describe, expect, test } from 'vitest';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { resumedResult } from '../../../src/main/wallet-tools/resumed-result.ts';
import { RESUME_TOOL, STATUS_TOOL } from '../../../src/main/wallet-tools/schemas.ts';
import { standingOf } from '../../../src/main/wallet-tools/standing.ts';
import { createWalletTools } from '../../../src/main/wallet-tools/wallet-tools.ts';
import type { Payment } from '../../../src/core/payments/payment.ts';
import { createWorld, served } from '../../support/payment-world.ts';
import { settle } from '../../support/manual-clock.ts';

const toolsOf = (world: ReturnType<typeof createWorld>) => createWalletTools({ journal: world.journal, assets: REGISTERED, isServer: (name) => name === 'weather' });
interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}
const ask = (world: ReturnType<typeof createWorld>, tool: string, paymentId: string, client = 'claude') => {
  const answer = toolsOf(world).call(tool, { client, argumentsText: JSON.stringify({ paymentId }) });
  return { answer, result: answer?.kind === 'result' ? (JSON.parse(answer.resultText) as Result) : undefined };
};

describe('payment_status and payment_resume', () => {
  test('I7: a client is told of, or goes on with, the payment of another', async () => {
    const world = createWorld();
    world.call([]);
    await settle();
    const { id } = world.row();
    for (const tool of ['payment_status', 'payment_resume']) {
      expect(ask(world, tool, id, 'other').result).toEqual(ask(world, tool, 'pay_none', 'other').result);
      expect(ask(world, tool, id, 'other').result?.isError).toBe(true);
    }
    expect(ask(world, 'payment_status', id).result?.structuredContent).toMatchObject({ paymentId: id, status: 'waiting', amount: '0.01', token: 'USDC' });
    expect(ask(world, 'payment_resume', id).answer).toMatchObject({ kind: 'again', upstream: 'weather', tool: 'forecast', argumentsText: '{"city":"Berlin"}' });
  });

  test('the status lacks what its output schema requires, or holds what it does not name', async () => {
    const world = createWorld();
    world.call([]);
    await settle();
    const told = ask(world, 'payment_status', world.row().id).result?.structuredContent ?? {};
    expect(Object.keys(told).toSorted()).toEqual(Object.keys(STATUS_TOOL.outputSchema.properties).toSorted());
    expect(STATUS_TOOL.outputSchema.required.toSorted()).toEqual(Object.keys(told).toSorted());
  });

  test('I1: a payment that was delivered is bought again by resuming it', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    const { outcome } = world.call([async () => served()]);
    const answer = await outcome;
    if (answer.kind === 'answer') answer.delivered(true);
    expect(world.row().service).toBe('delivered');
    expect(ask(world, 'payment_resume', world.row().id).result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('buy it again') }] });
  });

  test('I1: an old payment is resumed although a later one for the same call was signed', () => {
    const row = (id: string, createdAt: number, change: Partial<Payment> = {}) => ({ id, createdAt, decision: 'approved', money: 'outstanding', service: 'lost', ...change }) as Payment;
    const old = row('pay_1', 1);
    expect(standingOf(old, old)).toMatchObject({ status: 'unknown', resumable: true });
    expect(standingOf(old, row('pay_2', 2, { service: 'delivered' }))).toMatchObject({ resumable: false, next: expect.stringContaining('pay_2') });
    expect(standingOf(row('pay_3', 3, { decision: 'waiting', money: 'reserved', service: 'open' }), old)).toMatchObject({ status: 'waiting', resumable: true });
  });

  test('a payment that no server can be asked for again, is', async () => {
    const world = createWorld();
    world.call([], { upstream: 'api.example.com' });
    await settle();
    expect(ask(world, 'payment_resume', world.row().id).result?.isError).toBe(true);
  });

  test.each(['{}', '[]', 'null', '{"paymentId":7}', '{"paymentId":"pay_none"}'])('arguments of the wrong form (%s) throw instead of telling the agent', (argumentsText) => {
    const tools = toolsOf(createWorld());
    for (const { name } of [STATUS_TOOL, RESUME_TOOL]) {
      const answer = tools.call(name, { client: 'claude', argumentsText });
      expect(answer?.kind === 'result' && (JSON.parse(answer.resultText) as Result).isError).toBe(true);
    }
    expect(tools.call('weather__forecast', { client: 'claude', argumentsText })).toBeUndefined();
  });
});

describe('a result that was resumed', () => {
  const about = { paymentId: 'pay_1', server: 's', tool: 't' };

  test('structured content of the tool does not fit the output schema of payment_resume', () => {
    expect(resumedResult('{"content":[],"structuredContent":{"n":12345678901234567890},"_meta":{"x":1}}', about)).toBe('{"content":[],"structuredContent":{"paymentId":"pay_1","server":"s","tool":"t","result":{"n":12345678901234567890}},"_meta":{"x":1}}');
    expect(resumedResult('{"content":[]}', about)).toBe('{"content":[],"structuredContent":{"paymentId":"pay_1","server":"s","tool":"t"}}');
  });

  test('an error is changed', () => {
    expect(resumedResult('{"isError":true,"structuredContent":{"a":1},"content":[]}', about)).toBe('{"isError":true,"content":[]}');
    expect(resumedResult('7', about)).toBe('7');
  });
});
