import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { answered, base64, detectsWithoutHarm, http, mutated, PROOF, result, toolError, V1, V2, V2_OFFER } from './x402-fixtures.ts';

const OFFER = { ...V2_OFFER, x402Version: 2, maxTimeoutSeconds: 900, extra: { name: 'USDC', version: '2', challengeId: 'c-1', description: 'fee' } };
const REQUIRED = { ...V2, resource: { url: 'mcp://tool/add' }, accepts: [OFFER] };
const asked = (data: object, code = 402) => result({ error: { message: 'Payment required', code, data }, isError: true });

describe('detection', () => {
  test.each([
    ['of version 2', asked(REQUIRED), 2],
    ['of version 1', asked(V1), 1],
    ['that is not marked as an error', result({ error: { code: 402, message: 'Payment required', data: REQUIRED } }), 2],
  ])('misses a request %s', (_name, given, x402Version) => {
    expect(detectChallenge(given)).toMatchObject({ dialect: 'x402-paymcp', textOnly: false, offers: [{ amount: '10000', x402Version }] });
  });

  test('misses the same request where its middleware answers HTTP 402', () => {
    expect(detectChallenge(http(402, { 'PAYMENT-REQUIRED': base64(REQUIRED) }, REQUIRED))).toMatchObject({ dialect: 'x402-http', offers: [{ amount: '10000' }] });
  });

  test.each([
    ['another code', asked(REQUIRED, 500)],
    ['no offers', asked({ ...REQUIRED, accepts: [] })],
    ['an error of the tool\'s own', result({ error: { code: 402, message: 'the bank said no' }, content: [] })],
  ])('takes for a request: %s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(REQUIRED).map((data) => asked(data)));
  });
});

test('the proof does not echo the challenge id', () => {
  const challenge = detectChallenge(asked(REQUIRED))!;
  const { meta } = requireDialect('x402-paymcp').attach(challenge, challenge.offers[0]!, PROOF);
  expect(JSON.parse(meta?.['x402/payment'] ?? '')).toEqual({ x402Version: 2, resource: REQUIRED.resource, accepted: OFFER, payload: { signature: '0x11' } });
});

test.each([
  ['a plain result', answered(), { kind: 'served' }],
  ['the request again', asked(REQUIRED), { kind: 'refused', settlementFailed: false }],
  ['an error 402 without terms', result({ error: { code: 402, message: 'Payment required' }, isError: true }), { kind: 'refused', message: 'Payment required' }],
  ['a failed payment', toolError('Payment failed'), { kind: 'refused', message: 'Payment failed' }],
  ['a signature that it does not take', toolError('Incorrect signature'), { kind: 'refused' }],
  ['a challenge that it forgot', toolError('Unknown challenge ID'), { kind: 'refused' }],
  ['a payment that it does not see yet', toolError('Payment is not confirmed yet.\nAsk user to complete payment and retry.'), { kind: 'refused' }],
  ['a tool that failed', toolError('no such city'), { kind: 'failed', message: 'no such city' }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-paymcp').readAnswer(given)).toMatchObject(expected);
});
