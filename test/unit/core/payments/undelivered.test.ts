import { describe, expect, test } from 'vitest';
import { isEmpty } from '../../../../src/core/payments/undelivered.ts';
import { parseJson } from '../../../../src/core/json/json.ts';
import { settle } from '../../../support/manual-clock.ts';
import { challenge, createWorld, offer, served, type World } from '../../../support/payment-world.ts';

const policy = { otherwise: 'allow' } as const;
const settled = { state: 'settled', transaction: '0xfeed', final: true } as const;
const response = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result });
const toolError = response({ isError: true, content: [{ type: 'text', text: 'out of paper' }] });
const emptyAnswer = response({ content: [] });
const inTurn = (...texts: readonly string[]) => texts.map((text) => async () => text);

/** A purchase whose money moves and whose answer is the given one, twice. */
async function unanswered(world: World, city: number, text = toolError) {
  world.chain.set(String(world.state.signed.length), settled);
  const outcome = await world.call(inTurn(text, text), { argumentsText: `{"city":${city}}` }).outcome;
  await world.clock.advance(1000);
  return outcome;
}
async function delivered(world: World, city: number) {
  const outcome = await world.call(inTurn(served()), { argumentsText: `{"city":${city}}` }).outcome;
  if (outcome.kind !== 'answer') throw new Error(`got a ${outcome.kind}`);
  outcome.delivered(true);
}
const asks = async (world: World, city: number, upstream = 'weather') => {
  const before = world.approvals.waiting().length;
  const call = world.call(inTurn(served()), { argumentsText: `{"city":${city}}`, upstream });
  await settle();
  const asked = world.approvals.waiting().length > before;
  call.leave();
  await settle();
  return asked;
};

describe('a server that took the money and did not deliver', () => {
  test.each([
    ['an error', toolError],
    ['an empty answer', emptyAnswer],
    ['another challenge', challenge([offer()], 'Payment settlement failed: timeout')],
  ])('I1: %s is paid again, or is not tried once more with the same proof', async (_name, first) => {
    const world = createWorld({ policy });
    world.chain.set('0', settled);
    const call = world.call(inTurn(first, served('late')));
    const outcome = await call.outcome;
    expect(outcome).toMatchObject({ kind: 'answer', responseText: served('late') });
    if (outcome.kind === 'answer') outcome.delivered(true);
    await world.clock.advance(1000);
    expect(call.proofs).toHaveLength(2);
    expect(call.proofs[0]).toBe(call.proofs[1]);
    expect(world.state.signed).toHaveLength(1);
    expect(world.row()).toMatchObject({ money: 'settled', service: 'delivered', reason: { code: '' } });
  });

  test.each([
    ['an error', toolError, 'answer'],
    ['an empty answer', emptyAnswer, 'refusal'],
  ])('I9: %s after the money moved, twice, is no "undelivered", or is sent a third time', async (_name, text, kind) => {
    const world = createWorld({ policy });
    expect(await unanswered(world, 1, text)).toMatchObject({ kind });
    expect(world.row()).toMatchObject({ money: 'settled', service: 'refused', reason: { code: 'PAID_NOT_DELIVERED' } });
    expect(world.spent()).toBe(10_000n);
  });

  test('a tool that failed before any money moved runs a second time by itself', async () => {
    const world = createWorld({ policy });
    const call = world.call(inTurn(toolError));
    expect(await call.outcome).toMatchObject({ kind: 'answer', responseText: toolError });
    expect(call.proofs).toHaveLength(1);
    expect(world.row()).toMatchObject({ money: 'outstanding', service: 'refused', reason: { code: 'TOOL_FAILED' } });
  });

  test('a second try that gets no answer loses the error of the first', async () => {
    const world = createWorld({ policy });
    world.chain.set('0', settled);
    const call = world.call([async () => toolError, () => Promise.reject(new Error('gone'))]);
    expect(await call.outcome).toMatchObject({ kind: 'answer', responseText: toolError });
    expect(world.row()).toMatchObject({ service: 'refused', reason: { code: 'PAID_NOT_DELIVERED' } });
  });

  test('a chain that does not answer holds the tool\'s error back for ever', async () => {
    const world = createWorld({ policy, hangingChain: true });
    const call = world.call(inTurn(toolError));
    await settle();
    await world.clock.advance(3000);
    expect(await call.outcome).toMatchObject({ kind: 'answer', responseText: toolError });
  });
});

describe('three in a row', () => {
  test('a rule goes on paying a server that does not deliver', async () => {
    const world = createWorld({ policy });
    for (const city of [1, 2]) await unanswered(world, city);
    expect(await asks(world, 3)).toBe(false);
    const again = createWorld({ policy });
    for (const city of [1, 2, 3]) await unanswered(again, city);
    expect(await asks(again, 4)).toBe(true);
    expect(again.row().rule).toBe('Asks because the last 3 payments to this server got no answer');
    expect(await asks(again, 4, 'another')).toBe(false);
  });

  test('a delivery or the owner\'s word does not end it', async () => {
    const world = createWorld({ policy });
    for (const city of [1, 2, 3]) await unanswered(world, city);
    const call = world.call(inTurn(served()), { argumentsText: '{"city":4}' });
    await world.decide('approve');
    const outcome = await call.outcome;
    if (outcome.kind === 'answer') outcome.delivered(true);
    expect(await asks(world, 5)).toBe(false);

    for (const city of [6, 7, 8]) await unanswered(world, city);
    expect(await asks(world, 9)).toBe(true);
    world.journal.atomically((tx) => tx.pardon('weather'));
    expect(await asks(world, 10)).toBe(false);
    for (const city of [11, 12]) await unanswered(world, city);
    await delivered(world, 13);
    await unanswered(world, 14);
    expect(await asks(world, 15)).toBe(false);
  });

  test('an answer whose client had gone counts against the server', async () => {
    const world = createWorld({ policy });
    for (const city of [1, 2, 3]) {
      world.chain.set(String(city - 1), settled);
      const outcome = await world.call(inTurn(served()), { argumentsText: `{"city":${city}}` }).outcome;
      if (outcome.kind === 'answer') outcome.delivered(false);
      await world.clock.advance(1000);
      expect(world.row()).toMatchObject({ money: 'settled', service: 'lost' });
    }
    expect(await asks(world, 4)).toBe(false);
  });
});

test.each([
  ['{"content":[]}', true],
  ['{"content":[{"type":"text","text":" \\n"}]}', true],
  ['{"content":[],"structuredContent":{}}', false],
  ['{"content":[{"type":"image","data":""}]}', false],
  ['{"content":[{"type":"text","text":"0"}]}', false],
  ['{"resultType":"input_required"}', false],
  ['"text"', false],
])('an answer is called empty, or is not: %s', (text, empty) => {
  expect(isEmpty(parseJson(text))).toBe(empty);
});

describe('an answer that is not what its tool declares', () => {
  const weather = '{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}';
  const structured = (content: object) => response({ structuredContent: content, content: [{ type: 'text', text: 'warm' }], _meta: { 'x402/payment-response': { success: true, transaction: '0xfeed', network: 'eip155:84532' } } });
  const [fits, misfits] = [structured({ degrees: 21 }), structured({ degrees: 'warm' })];
  const worldWith = (schema: string | undefined) => {
    const world = createWorld({ policy });
    world.schemas.note('weather', 'forecast', schema);
    world.chain.set('0', settled);
    return world;
  };

  test('I9: it counts as delivered, or does not reach the client as it came (I8)', async () => {
    const world = worldWith(weather);
    const call = world.call(inTurn(misfits, misfits));
    const outcome = await call.outcome;
    expect(outcome).toMatchObject({ kind: 'answer', responseText: misfits });
    if (outcome.kind === 'answer') outcome.delivered(true);
    expect(call.proofs).toHaveLength(2);
    expect(new Set(call.proofs).size).toBe(1);
    await world.clock.advance(1000);
    expect(world.row()).toMatchObject({ money: 'settled', service: 'refused', reason: { code: 'PAID_NOT_DELIVERED', text: expect.stringContaining('/degrees must be number') } });
  });

  test('the same proof does not get the right answer', async () => {
    const world = worldWith(weather);
    const outcome = await world.call(inTurn(misfits, fits)).outcome;
    expect(outcome).toMatchObject({ kind: 'answer', responseText: fits });
    if (outcome.kind === 'answer') outcome.delivered(true);
    expect(world.row()).toMatchObject({ service: 'delivered', reason: { code: '' } });
  });

  test.each([
    ['fits', weather, fits],
    ['has no structured content', weather, served()],
    ['is of a tool whose schema was never seen, or is gone', undefined, misfits],
    ['is of a tool whose schema is longer than is kept', `{"type":"string","description":"${'x'.repeat(20_000)}"}`, misfits],
  ])('an answer that %s counts as not delivered', async (_what, schema, text) => {
    const world = worldWith(weather);
    world.schemas.note('weather', 'forecast', schema);
    const call = world.call(inTurn(text));
    const outcome = await call.outcome;
    if (outcome.kind !== 'answer') throw new Error(`got a ${outcome.kind}`);
    outcome.delivered(true);
    expect(world.row()).toMatchObject({ service: 'delivered' });
    expect(call.proofs).toHaveLength(1);
  });
});
