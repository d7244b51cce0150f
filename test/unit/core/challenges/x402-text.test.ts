import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectChallenge, mayAskForMoney, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { answered, detectsWithoutHarm, mutated, PROOF, RECEIPT, refusal, result, toolError, V1, V2, V2_OFFER, wire } from './x402-fixtures.ts';

const wrapped = (data: object, code: unknown = 402) => JSON.stringify({ 'x402/error': { code, data } });
const text = (value: unknown) => ({ type: 'text', text: JSON.stringify(value) });

describe('a text that asks for money', () => {
  test.each([
    ['the wrapper of version 2', wrapped(V2), 'x402-text', 2],
    ['the wrapper of version 1', wrapped(V1), 'x402-text', 1],
    ['the official form, version 2', JSON.stringify(V2), 'x402-mcp', 2],
    ['the official form, version 1', JSON.stringify(V1), 'x402-mcp', 1],
    ['the official form over several lines', `\n${JSON.stringify(V2, null, 2)}\n`, 'x402-mcp', 2],
    ['the form of Vercel', JSON.stringify({ ...V1, error: '_meta.x402.payment is required' }), 'x402-vercel', 1],
  ])('is missed, or may be paid without asking: %s', (_name, words, dialect, x402Version) => {
    const given = toolError(words);
    expect(detectChallenge(given)).toMatchObject({ dialect, textOnly: true, offers: [{ amount: '10000', x402Version }] });
    expect(mayAskForMoney(wire(given))).toBe(true);
  });

  test('is refused in words of its own where it cannot be read', () => {
    expect(refusal(toolError(wrapped({ ...V2, x402Version: 9 })))).toMatchObject({ code: 'CHALLENGE_MALFORMED' });
  });
});

describe('a text of a tool that is changed or held back (I8)', () => {
  test.each([
    ['a page that holds a request', `Here is what I found: ${JSON.stringify(V2)}`],
    ['a request with a word after it', `${JSON.stringify(V2)} thanks`],
    ['two requests', `${JSON.stringify(V2)}${JSON.stringify(V2)}`],
    ['a request in a fence', `\`\`\`json\n${JSON.stringify(V2)}\n\`\`\``],
    ['a list', JSON.stringify([V2])],
    ['a request one level down', JSON.stringify({ result: V2 })],
    ['the wrapper with a member beside it', JSON.stringify({ 'x402/error': { code: 402, data: V2 }, more: 1 })],
    ['the wrapper of another code', wrapped(V2, 500)],
    ['the wrapper with its code as a text', wrapped(V2, '402')],
    ['the wrapper without terms', wrapped({ message: 'x402Version' })],
    ['a repeated key', JSON.stringify(V2).replace('"error"', '"x402Version":2,"error"')],
    ['half a request', JSON.stringify(V2).slice(0, -1)],
  ])('%s', (_name, words) => {
    expect(detectChallenge(toolError(words))).toBeUndefined();
  });

  test.each([
    ['that is no error', result({ content: [text(V2)] })],
    ['that says it is none', result({ isError: false, content: [text(V2)] })],
    ['with a second text', result({ isError: true, content: [text(V2), { type: 'text', text: '' }] })],
    ['with an image', result({ isError: true, content: [text(V2), { type: 'image', data: '', mimeType: 'image/png' }] })],
    ['in a resource', result({ isError: true, content: [{ type: 'resource', text: JSON.stringify(V2) }] })],
  ])('a result %s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });
});

test('detection throws an untyped error, or takes long, on a mutated text', () => {
  detectsWithoutHarm(mutated(V2).map((required) => toolError(wrapped(required))));
  detectsWithoutHarm(fc.tuple(fc.nat(400), fc.string()).map(([at, end]) => toolError(JSON.stringify(V2).slice(0, at) + end)));
  detectsWithoutHarm(fc.constant(toolError(`{"x402${'"x402}'.repeat(100_000)}`)), 3);
});

test('the proof is no object in _meta', () => {
  const challenge = detectChallenge(toolError(wrapped(V2)))!;
  const { meta } = requireDialect('x402-text').attach(challenge, challenge.offers[0]!, PROOF);
  expect(JSON.parse(meta?.['x402/payment'] ?? '')).toEqual({ x402Version: 2, resource: V2.resource, accepted: V2_OFFER, payload: { signature: '0x11' } });
});

test.each([
  ['a receipt', answered({ _meta: { 'x402/payment-response': RECEIPT } }), { kind: 'served', receipt: { success: true } }],
  ['the request again', toolError(wrapped({ ...V2, error: 'Payment verification failed: expired' })), { kind: 'refused', settlementFailed: false }],
  ['a tool that failed', toolError('no such city'), { kind: 'failed' }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-text').readAnswer(given)).toMatchObject(expected);
});
