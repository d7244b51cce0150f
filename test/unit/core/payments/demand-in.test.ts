import { describe, expect, test } from 'vitest';
import { demandIn, MAX_READ_CHARACTERS } from '../../../../src/core/payments/demand-in.ts';
import { challenge, createWorld, offer } from '../../../support/payment-world.ts';

const error = (content: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { isError: true, ...content } });
const text = (words: string) => error({ content: [{ type: 'text', text: words }] });
const FILL = 'x'.repeat(MAX_READ_CHARACTERS);

describe('I8: an answer that is too long to be read', () => {
  test.each([
    ['speaks of payments', text(`The page says "x402Version" and "accepts". ${FILL}`)],
    ['holds a price that nothing names as one', JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Payment required', data: { paymentRequirements: {}, fill: FILL } } })],
    ['would parse for long', text(`${'['.repeat(MAX_READ_CHARACTERS)}"x402`)],
    ['is no JSON', `{"jsonrpc":"2.0","id":1,"id":1,"result":{"isError":true,"content":[{"type":"text","text":"x402 ${FILL}"}]}}`],
  ])('is refused, or parsed, although it only %s', (_name, answer) => {
    expect(demandIn({ text: answer }, {})).toBeUndefined();
  });

  test.each([
    ['x402', challenge([offer('10000', { extra: { fill: FILL } })])],
    ['x402 in a text', text(JSON.stringify({ x402Version: 2, accepts: [{}], fill: FILL }))],
    ['x402 that would parse for long', text(`{"x402Version":2,"accepts":[${'{"a":"b"},'.repeat(30_000)}1]}`)],
    ['MPX', error({ content: [], _meta: { 'mpx/v1.challenge': { fill: FILL } } })],
    ['MPP', error({ content: [], _meta: { 'org.paymentauth/payment-required': { fill: FILL } } })],
    ['x402 that is no strict JSON', `{"id":1,"id":2,"result":{"x402Version":2,"accepts":[]},"fill":"${FILL}"}`],
  ])('passes although it plainly is a request for money, or is parsed first: %s', (_name, answer) => {
    expect(() => demandIn({ text: answer }, {})).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED', message: expect.stringContaining('longer than 262144') }));
  });

  test('an HTTP body is read whatever its length, or hides what the headers ask', () => {
    const http = (body: string, headers = {}) => ({ text: '', http: { status: 402, headers, body } });
    const required = JSON.stringify({ x402Version: 2, resource: { url: 'https://a.example/' }, accepts: [offer()] });
    expect(() => demandIn(http(`{"x402Version":2,"accepts":[],"fill":"${FILL}"}`), {})).toThrow(/longer than/);
    expect(demandIn(http(`<p>${FILL}</p>`, { 'payment-required': [Buffer.from(required).toString('base64')] }), {})).toMatchObject({ offers: [{ amount: '10000' }] });
    expect(() => demandIn(http(`<p>${FILL}</p>`), {})).toThrow(expect.objectContaining({ code: 'TERMS_LOST' }));
  });

  test('I9: what was refused for its length leaves no row', async () => {
    const world = createWorld();
    const outcome = await world.call([], { answer: { text: challenge([offer('10000', { extra: { fill: FILL } })]) } }).outcome;
    expect(outcome).toMatchObject({ kind: 'refusal', error: { code: 'CHALLENGE_MALFORMED' } });
    expect(world.row()).toMatchObject({ decision: 'denied', money: 'none', reason: { code: 'CHALLENGE_MALFORMED' } });
  });
});

test.each([
  ['x402', '"note":"accepts cards"', undefined],
  ['one member of a challenge', '"accepts":[]', undefined],
  ['the other member of a challenge', '"x402Version":2', undefined],
  ['both members of a challenge', '"x402Version":2,"accepts":[]', 'CHALLENGE_MALFORMED'],
])('I8: an unpaid error with a repeated key is replaced where it only names %s, or a challenge passes', (_name, members, code) => {
  const answer = { text: `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"a":1,"a":2,"structuredContent":{"x402":1,${members}},"content":[]}}` };
  if (code === undefined) expect(demandIn(answer, {})).toBeUndefined();
  else expect(() => demandIn(answer, {})).toThrow(expect.objectContaining({ code }));
});
