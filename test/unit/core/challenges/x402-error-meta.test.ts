import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { answered, base64, detectsWithoutHarm, fromBase64, mutated, PROOF, RECEIPT, refusal, result, toolError, V1, V2, V2_OFFER } from './x402-fixtures.ts';

const asked = (required: object) => toolError(JSON.stringify(required), { _meta: { 'x402/error': required } });
const { x402Version: _v1, ...V1_BARE } = V1;
const { x402Version: _v2, ...V2_BARE } = V2;

describe('detection', () => {
  test.each([
    ['of version 1', asked({ ...V1, error: 'PAYMENT_REQUIRED' }), 1],
    ['of version 2', asked(V2), 2],
    ['without its text', result({ isError: true, content: [], _meta: { 'x402/error': V1 } }), 1],
    ['without a version, by the name of the amount', asked(V1_BARE), 1],
    ['without a version, by the other name', asked(V2_BARE), 2],
    ['beside structured content', toolError('x', { structuredContent: V2, _meta: { 'x402/error': V2 } }), 2],
  ])('misses a request %s, or takes it for a text', (_name, given, x402Version) => {
    expect(detectChallenge(given)).toMatchObject({ dialect: 'x402-error-meta', textOnly: false, offers: [{ amount: '10000', x402Version }] });
  });

  test.each([
    ['a price that could not be computed', asked({ x402Version: 1, error: 'PRICE_COMPUTE_FAILED' })],
    ['no offers', toolError('x', { _meta: { 'x402/error': { ...V1, accepts: [] } } })],
    ['an answer that is no error', answered({ _meta: { 'x402/error': V1 } })],
  ])('takes for a request: %s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });

  test('pays a request of an unknown version', () => {
    expect(refusal(asked({ ...V2, x402Version: 3 }))).toMatchObject({ code: 'CHALLENGE_MALFORMED', message: expect.stringContaining('version 3') as string });
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(V1).map(asked));
  });
});

test.each([
  [V1, { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x11' } }],
  [V2, { x402Version: 2, resource: V2.resource, accepted: V2_OFFER, payload: { signature: '0x11' } }],
])('the proof is an object, which these servers refuse', (required, payload) => {
  const challenge = detectChallenge(asked(required))!;
  const { meta } = requireDialect('x402-error-meta').attach(challenge, challenge.offers[0]!, PROOF);
  expect(Object.keys(meta ?? {})).toEqual(['x402/payment']);
  expect(fromBase64(JSON.parse(meta?.['x402/payment'] ?? '') as string)).toEqual(payload);
});

test.each([
  ['a receipt', answered({ _meta: { 'x402/payment-response': RECEIPT } }), { kind: 'served', receipt: { transaction: '0x3eb3' } }],
  ['a receipt in base64', answered({ _meta: { 'x402/payment-response': base64(RECEIPT) } }), { kind: 'served', receipt: { transaction: '0x3eb3' } }],
  ['no receipt', answered(), { kind: 'served' }],
  ['a refusal in the same shape', asked({ ...V1, error: 'INVALID_PAYMENT' }), { kind: 'refused', message: 'INVALID_PAYMENT', settlementFailed: false }],
  ['a failed settlement in the same shape', asked({ ...V1, error: 'SETTLEMENT_FAILED' }), { kind: 'refused', settlementFailed: true }],
  ['a tool that failed', toolError('Tool execution failed: no such city'), { kind: 'failed' }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-error-meta').readAnswer(given)).toMatchObject(expected);
});
