import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { base64, detectsWithoutHarm, fromBase64, http, mutated, PROOF, RECEIPT, reading, refusal, rpcError, V1, V2, V2_OFFER } from './x402-fixtures.ts';

const asked = (value: unknown = V2, body: unknown = {}) => http(402, { 'PAYMENT-REQUIRED': base64(value) }, body);

describe('detection', () => {
  test.each([
    ['in the header, with an empty body', asked()],
    ['in the header, with another page as the body', asked(V2, '<html>Pay "accepts"</html>')],
    ['in the header without padding', http(402, { 'PAYMENT-REQUIRED': base64(V2).replace(/=+$/, '') })],
    ['in a header that is repeated with the same value', http(402, { 'PAYMENT-REQUIRED': [base64(V2), base64(V2)] })],
    ['in the header and the body', asked(V2, V2)],
    ['in the body alone', http(402, {}, V2)],
    ['in the body, where the header is base64url', http(402, { 'PAYMENT-REQUIRED': base64(`{"a":"${'?'.repeat(9)}~~~"}`).replaceAll('/', '_').replaceAll('+', '-') }, V2)],
    ['in a JSON-RPC error of the body', http(402, {}, { jsonrpc: '2.0', id: 1, error: { code: 402, message: 'm', data: V2 } })],
  ])('misses a request %s', (_name, given) => {
    expect(detectChallenge(given)).toMatchObject({ dialect: 'x402-http', textOnly: false, resource: 'http://127.0.0.1:18080/evm', description: 'd', offers: [{ amount: '10000', network: 'eip155:84532', x402Version: 2, paymentFlow: 'authorization' }] });
  });

  test('misses the names of early servers', () => {
    expect(detectChallenge(http(402, { 'X-Payment-Required': base64(V2) }, V2))).toMatchObject({ dialect: 'x402-http-prefixed', offers: [{ amount: '10000' }] });
  });

  test.each([
    ['base64url', base64({ ...V2, error: '???>>>' }).replaceAll('/', '_').replaceAll('+', '-')],
    ['raw JSON', JSON.stringify(V2)],
    ['base64 of no JSON', base64('Payment required')],
    ['base64 of a list', base64([V2])],
    ['base64 of a repeated key', base64(JSON.stringify(V2).replace('"error"', '"x402Version":2,"error"'))],
    ['nothing', ''],
    ['more than any header holds', base64({ ...V2, error: 'a'.repeat(70_000) })],
  ])('takes a header for a request that is %s', (_name, value) => {
    expect(refusal(http(402, { 'PAYMENT-REQUIRED': value }))).toMatchObject({ code: 'CHALLENGE_MALFORMED' });
  });

  test.each([
    ['two values', { 'PAYMENT-REQUIRED': [base64(V2), base64({ ...V2, error: 'x' })] }],
    ['two names', { 'PAYMENT-REQUIRED': base64(V2), 'X-Payment-Required': base64({ ...V2, accepts: [{ ...V2_OFFER, amount: '1' }] }) }],
  ])('takes one of two requests that differ: %s', (_name, headers) => {
    expect(refusal(http(402, headers))).toMatchObject({ code: 'CHALLENGE_MALFORMED', message: expect.stringContaining('differ') as string });
  });

  test('forgives a repeated key in the body', () => {
    expect(refusal(http(402, {}, JSON.stringify(V2).replace('"error"', '"x402Version":2,"error"')))).toMatchObject({ code: 'CHALLENGE_MALFORMED' });
  });

  test.each([
    ['an answer that was served', http(200, { 'PAYMENT-REQUIRED': base64(V2) }, V2)],
    ['a server that broke', http(500, {}, V2)],
  ])('takes for a request: %s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });

  test.each([['nothing at all', ''], ['a page', '<html>"x402Version" "accepts"</html>'], ['an object without terms', { error: 'pay' }]])('a 402 with %s passes for an answer', (_name, body) => {
    expect(refusal(http(402, {}, body))).toMatchObject({ code: 'TERMS_LOST' });
  });

  test.each([
    ['another chain', { ...V2_OFFER, network: 'stellar:pubnet' }, 'NETWORK_UNSUPPORTED', 'stellar:pubnet'],
    ['a scheme with other fields', { scheme: 'deferred', network: 'cloudflare:402', amount: '1' }, 'NO_PAYABLE_OFFER', '"deferred"'],
    ['two amounts', { ...V2_OFFER, maxAmountRequired: '20000' }, 'CHALLENGE_MALFORMED', 'two amounts'],
    ['a name of version 1', { ...V2_OFFER, network: 'base-sepolia' }, 'CHALLENGE_MALFORMED', 'CAIP-2'],
    ['a flow that is no text', { ...V2_OFFER, extra: { paymentFlow: 1 } }, 'CHALLENGE_MALFORMED', 'paymentFlow'],
  ])('does not say why it cannot be paid: %s', (_name, offer, code, words) => {
    expect(refusal(asked({ ...V2, accepts: [offer] }))).toMatchObject({ code, message: expect.stringContaining(words) as string });
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(V2).map((required) => asked(required)));
    detectsWithoutHarm(fc.tuple(fc.string(), fc.string()).map(([header, body]) => http(402, { 'PAYMENT-REQUIRED': header }, body)));
    detectsWithoutHarm(fc.tuple(fc.nat(400), fc.constantFrom('}', ']', '"', '{"a":', '')).map(([at, text]) => http(402, {}, JSON.stringify(V2).slice(0, at) + text)));
    detectsWithoutHarm(fc.constant(http(402, {}, '{"accepts":['.repeat(20_000))), 3);
  });
});

describe('the proof', () => {
  const attached = (id: string, given: ReturnType<typeof http>) => {
    const challenge = detectChallenge(given)!;
    expect(challenge.dialect).toBe(id);
    return requireDialect(id).attach(challenge, challenge.offers[0]!, PROOF);
  };

  test('is not the echoed request in standard base64 in the header, and as an object in _meta', () => {
    const { headers, meta } = attached('x402-http', asked({ ...V2, error: '???>>>', extensions: { own: { info: { a: '???' } } } }));
    expect(Object.keys(headers ?? {})).toEqual(['PAYMENT-SIGNATURE']);
    const payload = { x402Version: 2, resource: V2.resource, extensions: { own: { info: { a: '???' } } }, accepted: V2_OFFER, payload: { signature: '0x11' } };
    expect(fromBase64(headers?.['PAYMENT-SIGNATURE'])).toEqual(payload);
    expect(headers?.['PAYMENT-SIGNATURE']).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(JSON.parse(meta?.['x402/payment'] ?? '')).toEqual(payload);
  });

  test('goes to an early server under one name alone', () => {
    const { headers } = attached('x402-http-prefixed', http(402, { 'X-Payment-Required': base64(V2) }));
    expect(Object.keys(headers ?? {})).toEqual(['PAYMENT-SIGNATURE', 'X-Payment-Signature']);
    expect(new Set(Object.values(headers ?? {})).size).toBe(1);
  });

  test('for a request of version 1 in the header of version 2 goes where nobody looks', () => {
    const { headers } = attached('x402-http', asked(V1));
    expect(Object.keys(headers ?? {})).toEqual(['PAYMENT-SIGNATURE', 'X-PAYMENT']);
    expect(fromBase64(headers?.['X-PAYMENT'])).toEqual({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x11' } });
  });

  test('breaks a text that is not ASCII', () => {
    const { headers } = attached('x402-http', asked({ ...V2, resource: { url: 'https://a.example/ä€😀' } }));
    expect(fromBase64(headers?.['PAYMENT-SIGNATURE'])).toMatchObject({ resource: { url: 'https://a.example/ä€😀' } });
  });
});

describe('the answer to a paid call', () => {
  const { readAnswer } = requireDialect('x402-http');
  const failed = { ...RECEIPT, success: false, errorReason: 'insufficient_funds', transaction: '' };

  test.each([
    ['goods with a receipt', http(200, { 'PAYMENT-RESPONSE': base64(RECEIPT) }, 'data'), { kind: 'served', receipt: { success: true, transaction: '0x3eb3' } }],
    ['a receipt under an early name', http(200, { 'X-Payment-Response': base64(RECEIPT) }), { kind: 'served', receipt: { success: true } }],
    ['a receipt in base64url beside a good one', http(200, { 'PAYMENT-RESPONSE': ['?', base64(RECEIPT)] }), { kind: 'served', receipt: { success: true } }],
    ['goods without a receipt', http(201, {}, 'data'), { kind: 'served' }],
    ['a settlement that failed: no request, only a receipt', http(402, { 'PAYMENT-RESPONSE': base64(failed) }, {}), { kind: 'refused', settlementFailed: true, message: 'insufficient_funds' }],
    ['the request again', asked({ ...V2, error: 'invalid_signature' }), { kind: 'refused', settlementFailed: false, message: 'invalid_signature' }],
    ['the request again in the body', http(402, {}, { ...V2, error: 'again' }), { kind: 'refused', settlementFailed: false, message: 'again' }],
    ['a request that cannot be read', http(402, { 'PAYMENT-REQUIRED': '%' }, '{"accepts"'), { kind: 'refused', settlementFailed: false, message: '' }],
    ['a want of allowance', http(412, {}, { error: 'permit2_allowance_required' }), { kind: 'refused', message: expect.stringContaining('Permit2') as string }],
    ['a handler that failed', http(500), { kind: 'failed', message: 'HTTP 500' }],
    ['a handler that failed after the money was taken', http(404, { 'PAYMENT-RESPONSE': base64(RECEIPT) }), { kind: 'failed', receipt: { success: true } }],
    ['a redirect', http(302, { location: 'https://elsewhere.example' }), { kind: 'failed', message: 'HTTP 302' }],
    ['a tool result with the receipt in the header', { ...http(200, { 'PAYMENT-RESPONSE': base64(RECEIPT) }), ...reading({ result: { content: [] } }) }, { kind: 'served', receipt: { transaction: '0x3eb3' } }],
    ['a tool result with both receipts', { ...http(200, { 'PAYMENT-RESPONSE': base64(failed) }), ...reading({ result: { content: [], _meta: { 'x402/payment-response': RECEIPT } } }) }, { kind: 'served', receipt: { success: true } }],
    ['a tool that failed', { ...http(200), ...rpcError(-32603, 'boom') }, { kind: 'failed', message: 'boom' }],
  ])('misreads %s', (_name, given, expected) => {
    expect(readAnswer(given)).toMatchObject(expected);
  });

  test.each([
    ['the same network', 'eip155:84532', 'eip155:84532', true],
    ['its short name', 'base-sepolia', 'eip155:84532', true],
    ['an id for a short name', 'eip155:84532', 'base-sepolia', true],
    ['no network', '', 'eip155:84532', true],
    ['another network', 'eip155:8453', 'eip155:84532', false],
    ['another short name', 'base', 'base-sepolia', false],
  ])('takes a receipt of %s wrongly', (_name, network, paidOn, success) => {
    const receipt = { ...RECEIPT, network };
    const bought = { challengeText: '{}', offerText: JSON.stringify({ ...V2_OFFER, network: paidOn }) };
    for (const given of [http(200, { 'PAYMENT-RESPONSE': base64(receipt) }), reading({ result: { content: [], _meta: { 'x402/payment-response': receipt } } })]) {
      expect(readAnswer(given, bought)).toMatchObject({ kind: 'served', receipt: { success, network } });
    }
  });

  test.each([502, 503, 504])('takes HTTP %d for a refusal, although the money may have moved', (status) => {
    expect(() => readAnswer(http(status))).toThrow(expect.objectContaining({ code: 'PAYMENT_OUTCOME_UNKNOWN' }));
  });
});
