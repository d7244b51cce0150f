import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../../src/core/challenges/answer.ts';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { readOfferV1 } from '../../../../src/core/challenges/x402-v1.ts';
import { readOfferV2 } from '../../../../src/core/challenges/x402-v2.ts';
import { parseJson, type Json } from '../../../../src/core/json/json.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';
import { answered, base64, http, mutated, result, rpcError, toolError, V1, V1_OFFER, V2, V2_OFFER } from './x402-fixtures.ts';

const json = (value: unknown): Json => parseJson(JSON.stringify(value));

describe.each([
  ['version 1', readOfferV1, V1_OFFER, { network: 'eip155:84532', amount: '10000', x402Version: 1 }],
  ['version 2', readOfferV2, V2_OFFER, { network: 'eip155:84532', amount: '10000', x402Version: 2 }],
] as const)('an offer of %s', (_version, read, honest, expected) => {
  test('is read otherwise than it stands there', () => {
    expect(read(json(honest))).toMatchObject(expected);
  });

  test('throws, or is taken with terms that nobody could pay', () => {
    fc.assert(
      fc.property(fc.oneof(mutated(honest), fc.jsonValue()), (source) => {
        const offer = read(json(source));
        if ('why' in offer) return ['CHALLENGE_MALFORMED', 'NETWORK_UNSUPPORTED', 'NO_PAYABLE_OFFER'].includes(offer.code) && offer.why !== '';
        return /^[1-9]\d{0,77}$/.test(offer.amount) && /^(eip155|solana):/.test(offer.network) && offer.payee !== '' && offer.asset !== '' && Number.isSafeInteger(offer.maxTimeoutSeconds) && offer.maxTimeoutSeconds > 0;
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the answer to a paid call', () => {
  const dialects = ['x402-http', 'x402-http-prefixed', 'x402-v1-http', 'x402-split-headers', 'x402-error', 'x402-error-meta', 'x402-vercel', 'x402-mcp', 'x402-paymcp', 'x402-text'];
  const receipt = { success: true, transaction: '0x1', network: 'base', payer: '0x2' };
  const bought = { challengeText: '{}', offerText: JSON.stringify(V2_OFFER) };

  test('throws what is not typed, whatever the server writes', () => {
    const anything: fc.Arbitrary<Reading> = fc.oneof(
      mutated(receipt).map((written) => answered({ _meta: { 'x402/payment-response': written, 'x402.payment-response': written } })),
      mutated(receipt).map((written) => http(200, { 'PAYMENT-RESPONSE': base64(written) })),
      mutated(V2).map((required) => toolError(JSON.stringify(required), { structuredContent: required })),
      mutated(V1).map((required) => rpcError(402, 'm', required)),
      fc.tuple(fc.integer(), fc.string(), fc.jsonValue()).map(([code, message, data]) => rpcError(code, message, data)),
      fc.tuple(fc.constantFrom(200, 301, 402, 404, 412, 500, 502), fc.string(), fc.string()).map(([status, value, body]) => http(status, { 'PAYMENT-RESPONSE': value, 'PAYMENT-REQUIRED': value }, body)),
      fc.dictionary(fc.constantFrom('isError', 'content', '_meta', 'structuredContent', 'error'), fc.jsonValue()).map(result),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(...dialects), (given, dialect) => {
        try {
          return ['served', 'refused', 'failed'].includes(requireDialect(dialect).readAnswer(given, bought).kind);
        } catch (error) {
          return isBursarError(error, 'PAYMENT_OUTCOME_UNKNOWN');
        }
      }),
      { numRuns: 3000 },
    );
  });

  test.each(dialects)('in %s: a refusal in any shape of x402 is taken for goods', (dialect) => {
    const { readAnswer } = requireDialect(dialect);
    for (const given of [
      rpcError(402, 'Payment invalid: expired'),
      rpcError(402, 'Payment required', V2),
      toolError(JSON.stringify(V2)),
      toolError('x', { structuredContent: V2 }),
      toolError('x', { _meta: { 'x402/error': V1 } }),
      result({ error: { code: 402, data: V2 } }),
      http(402, { 'PAYMENT-REQUIRED': base64(V2) }),
      http(402, {}, V1),
    ]) {
      expect(readAnswer(given, bought).kind).toBe('refused');
    }
  });
});

test('the same request over HTTP and in the message itself is read as two', () => {
  const given = { ...toolError('x', { structuredContent: V2 }), ...http(402, { 'PAYMENT-REQUIRED': base64(V2) }) };
  expect(detectChallenge(given)?.dialect).toBe('x402-http');
});
