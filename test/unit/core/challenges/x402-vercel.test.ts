import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { answered, detectsWithoutHarm, fromBase64, mutated, PROOF, RECEIPT, toolError, V1 } from './x402-fixtures.ts';

const REQUIRED = { ...V1, error: '_meta.x402.payment is required' };
const asked = (required: object) => toolError(JSON.stringify(required), { structuredContent: required });

describe('detection', () => {
  test('takes its first words for the official form', () => {
    expect(detectChallenge(asked(REQUIRED))).toMatchObject({ dialect: 'x402-vercel', textOnly: false, offers: [{ network: 'eip155:84532', x402Version: 1 }] });
  });

  test('takes it for the official form once it has other words, although it asked before', () => {
    expect(detectChallenge({ ...asked({ ...V1, error: 'Invalid payment' }), lastDialect: 'x402-vercel' })).toMatchObject({ dialect: 'x402-vercel' });
  });

  test.each(['Payment required', '_meta.x402.payment is required.', '_meta["x402/payment"] is required'])('takes the official form for this one: %s', (error) => {
    expect(detectChallenge(asked({ ...V1, error }))).toMatchObject({ dialect: 'x402-mcp' });
  });

  test('auto-approves it as a text alone', () => {
    expect(detectChallenge(toolError(JSON.stringify(REQUIRED)))).toMatchObject({ dialect: 'x402-vercel', textOnly: true });
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(REQUIRED).map(asked));
  });
});

test('the proof is no base64 text under the name with a dot', () => {
  const challenge = detectChallenge(asked(REQUIRED))!;
  const { meta } = requireDialect('x402-vercel').attach(challenge, challenge.offers[0]!, PROOF);
  expect(Object.keys(meta ?? {})).toEqual(['x402.payment']);
  expect(fromBase64(JSON.parse(meta?.['x402.payment'] ?? '') as string)).toEqual({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x11' } });
});

test.each([
  ['a receipt', answered({ _meta: { 'x402.payment-response': RECEIPT } }), { kind: 'served', receipt: { success: true } }],
  ['a receipt under the official name, which it does not use', answered({ _meta: { 'x402/payment-response': { ...RECEIPT, success: false } } }), { kind: 'served' }],
  ['a settlement that it did not mention', answered(), { kind: 'served' }],
  ['a refusal in the same shape', asked({ ...V1, error: 'invalid_scheme', payer: '0x7099' }), { kind: 'refused', message: 'invalid_scheme', settlementFailed: false }],
  ['a failed settlement in the same shape', asked({ ...V1, error: 'Settlement failed: Error: timeout' }), { kind: 'refused', settlementFailed: true }],
  ['a tool that failed', toolError('Tool execution failed: Error: x'), { kind: 'failed' }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-vercel').readAnswer(given)).toMatchObject(expected);
});
