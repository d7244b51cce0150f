import { describe, expect, test } from 'vitest';
import { REGISTERED } from '../../../src/core/registry/assets.ts';
import { resumedResult } from '../../../src/main/wallet-tools/resumed-result.ts';
import { standingOf } from '../../../src/main/wallet-tools/standing.ts';
import { createPaymentTools } from '../../../src/main/wallet-tools/payment-tools.ts';
import type { Scope } from '../../../src/shared/access/scopes.ts';
import { createToolSet } from '../../../src/main/wallet-tools/tool-set.ts';
import type { Payment } from '../../../src/core/payments/payment.ts';
import { createWorld, served } from '../../support/payment-world.ts';
import { settle } from '../../support/manual-clock.ts';

const toolsOf = (world: ReturnType<typeof createWorld>) => createPaymentTools({ journal: world.journal, assets: REGISTERED, isServer: (name) => name === 'weather' });
interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}
const run = async (world: ReturnType<typeof createWorld>, tool: string, argumentsText: string, client = 'claude') => {
  const answer = await toolsOf(world)
    .find(({ name }) => name === tool)
    ?.run({ client, session: '', seenIn: () => '', argumentsText, startedAt: 0, signal: new AbortController().signal, progress: () => {} });
  return { answer, result: answer?.kind === 'result' ? (JSON.parse(answer.resultText) as Result) : undefined };
};
const ask = (world: ReturnType<typeof createWorld>, tool: string, paymentId: string, client?: string) => run(world, tool, JSON.stringify({ paymentId }), client);
/** The members that the output schema of `payment_status` names, and those that it requires. */
const statusSchema = () => {
  const { entryText = '{}' } = toolsOf(createWorld()).find(({ name }) => name === 'payment_status') ?? {};
  const { outputSchema } = JSON.parse(entryText) as { readonly outputSchema: { readonly properties: object; readonly required: readonly string[] } };
  return { named: Object.keys(outputSchema.properties).toSorted(), required: outputSchema.required.toSorted() };
};

describe('payment_status and payment_resume', () => {
  test('I7: a client is told of, or goes on with, the payment of another', async () => {
    const world = createWorld();
    world.call([]);
    await settle();
    const { id } = world.row();
    for (const tool of ['payment_status', 'payment_resume']) {
      expect((await ask(world, tool, id, 'other')).result).toEqual((await ask(world, tool, 'pay_none', 'other')).result);
      expect((await ask(world, tool, id, 'other')).result?.isError).toBe(true);
    }
    expect((await ask(world, 'payment_status', id)).result?.structuredContent).toMatchObject({ paymentId: id, status: 'waiting', amount: '0.01', token: 'USDC' });
    expect((await ask(world, 'payment_resume', id)).answer).toMatchObject({ kind: 'again', upstream: 'weather', tool: 'forecast', argumentsText: '{"city":"Berlin"}' });
  });

  test('the status lacks what its output schema requires, or holds what it does not name', async () => {
    const world = createWorld();
    world.call([]);
    await settle();
    const told = (await ask(world, 'payment_status', world.row().id)).result?.structuredContent ?? {};
    expect(statusSchema()).toEqual({ named: Object.keys(told).toSorted(), required: Object.keys(told).toSorted() });
  });

  test('I1: a payment that was delivered is bought again by resuming it', async () => {
    const world = createWorld({ policy: { otherwise: 'allow' } });
    const { outcome } = world.call([async () => served()]);
    const answer = await outcome;
    if (answer.kind === 'answer') answer.delivered(true);
    expect(world.row().service).toBe('delivered');
    expect((await ask(world, 'payment_resume', world.row().id)).result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('buy it again') }] });
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
    expect((await ask(world, 'payment_resume', world.row().id)).result?.isError).toBe(true);
  });

  test.each(['{}', '[]', 'null', '{"paymentId":7}', '{"paymentId":"pay_none"}', '{"paymentId":"pay_1","more":1}'])('arguments of the wrong form (%s) throw instead of telling the agent', async (argumentsText) => {
    for (const tool of ['payment_status', 'payment_resume']) expect((await run(createWorld(), tool, argumentsText)).result?.isError).toBe(true);
  });
});

describe('the tools of a client', () => {
  const tools = toolsOf(createWorld());

  test('I7: a tool outside of its scopes is listed or can be called, or is still there after the owner took the scope back', () => {
    const granted: Scope[] = ['payment_context:read'];
    const view = createToolSet({ tools: () => tools, scopesOf: () => granted, require: () => {} }).open('claude', () => {});
    expect(view.listed().map((entry) => (JSON.parse(entry) as { readonly name: string }).name)).toEqual(['payment_status']);
    expect(view.find('payment_resume')).toBeUndefined();
    granted.splice(0);
    expect(view.listed()).toEqual([]);
    expect(view.find('payment_status')).toBeUndefined();
  });

  test('a connection that was closed is still told of changes', () => {
    let told = 0;
    const set = createToolSet({ tools: () => tools, scopesOf: () => [], require: () => {} });
    const views = [1, 2].map(() => set.open('claude', () => told++));
    set.changed();
    views[0]?.close();
    set.changed();
    expect(told).toBe(3);
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
