import { describe, expect, test } from 'vitest';
import { detectChallenge, mayAskForMoney, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { answered, detectsWithoutHarm, mutated, PROOF, RECEIPT, refusal, rpcError, toolError, V1, V2, V2_OFFER, wire } from './x402-fixtures.ts';

/** The example of the server's own documentation: no lifetime, no extra. */
const DOCUMENTED = {
  x402Version: 1,
  error: 'Payment required to access this resource',
  accepts: [{ scheme: 'exact', network: 'base', maxAmountRequired: '10000', asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C', resource: 'mcp://tools/search' }],
};

describe('detection', () => {
  test.each([
    ['402 with the request as data', rpcError(402, 'Payment required', DOCUMENTED), { resource: 'mcp://tools/search', offers: [{ network: 'eip155:8453', amount: '10000' }] }],
    ['402 of version 2', rpcError(402, 'Payment required', V2), { offers: [{ x402Version: 2 }] }],
    ['402 with the request one level down', rpcError(402, 'Payment required', { x402: V1 }), { offers: [{ x402Version: 1 }] }],
    ['-32042 with the request as data', rpcError(-32042, 'Payment required', V2), { offers: [{ x402Version: 2 }] }],
    ['-32042 with the request one level down', rpcError(-32042, 'Payment required', { x402: V2 }), { offers: [{ x402Version: 2 }] }],
  ])('misses an error %s', (_name, given, expected) => {
    expect(detectChallenge(given)).toMatchObject({ dialect: 'x402-error', textOnly: false, ...expected });
    expect(mayAskForMoney(wire(given))).toBe(true);
  });

  test.each([
    ['a URL to visit under the same code', rpcError(-32042, 'm', { elicitations: [{ mode: 'url', url: 'https://pay.example', message: 'm' }] })],
    ['another code', rpcError(-32000, 'Payment required', V2)],
    ['the code as a text', { rpc: new Map([['error', new Map<string, string>([['code', '402'], ['message', 'Payment required']])]]) }],
    ['an SDK that timed out', rpcError(-32001, 'Request timed out')],
    ['no offers, under a code of many meanings', rpcError(-32042, 'm', { ...V2, accepts: [] })],
  ])('takes for a request: %s', (_name, given) => {
    expect(detectChallenge(given)).toBeUndefined();
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(V1).map((data) => rpcError(402, 'Payment required', data)));
    detectsWithoutHarm(mutated(V2).map((data) => rpcError(-32042, 'm', { x402: data })));
  });
});

test.each([
  ['without data', rpcError(402, 'Payment required')],
  ['with data that is null', rpcError(402, 'Payment required', null)],
  ['of the MCP extension, without data', rpcError(-32042, 'Payment required')],
  ['that an SDK made a text of', toolError('MCP error 402: Payment required')],
])('an error %s is paid, passes, or is refused without a reason', (_name, given) => {
  expect(refusal(given)).toMatchObject({ code: 'TERMS_LOST', message: expect.stringContaining('The server lost its payment terms') as string });
});

test('the proof is no object in _meta in the version of the request', () => {
  for (const [data, payload] of [
    [DOCUMENTED, { x402Version: 1, scheme: 'exact', network: 'base', payload: { signature: '0x11' } }],
    [V2, { x402Version: 2, resource: V2.resource, accepted: V2_OFFER, payload: { signature: '0x11' } }],
  ]) {
    const challenge = detectChallenge(rpcError(402, 'Payment required', data))!;
    const { meta, headers } = requireDialect('x402-error').attach(challenge, challenge.offers[0]!, PROOF);
    expect(JSON.parse(meta?.['x402/payment'] ?? '')).toEqual(payload);
    expect(headers).toBeUndefined();
  }
});

describe('the answer to a paid call', () => {
  const failed = { success: false, network: 'base', payer: '0x7099', errorReason: 'insufficient_funds' };

  test.each([
    ['a receipt', answered({ _meta: { 'x402/payment-response': RECEIPT } }), { kind: 'served', receipt: { success: true } }],
    ['a server that only verifies', answered({ _meta: { 'x402/payment-response': { success: false, network: 'base', payer: '0x7099' } } }), { kind: 'served', receipt: { success: false } }],
    ['402 without data', rpcError(402, 'Payment invalid: expired'), { kind: 'refused', message: 'Payment invalid: expired', settlementFailed: false }],
    ['402 with the request again', rpcError(402, 'Payment required', V1), { kind: 'refused', message: V1.error }],
    ['a facilitator that is down', rpcError(-32603, 'Verification failed: connection refused'), { kind: 'refused', settlementFailed: false }],
    ['a settlement that failed', rpcError(-32603, 'Settlement failed: insufficient_funds', { 'x402/payment-response': failed }), { kind: 'refused', settlementFailed: true, receipt: { success: false } }],
    ['a settlement that failed in other words', rpcError(-32603, 'boom', { 'x402/payment-response': failed }), { kind: 'refused', settlementFailed: true }],
    ['a proof that is not understood', rpcError(-32602, 'Invalid payment: bad base64'), { kind: 'refused', settlementFailed: false }],
    ['arguments that are wrong', rpcError(-32602, 'Invalid params: city is required'), { kind: 'failed', message: 'Invalid params: city is required' }],
    ['a tool that broke', rpcError(-32603, 'Internal error'), { kind: 'failed', message: 'Internal error' }],
    ['a refusal that an SDK flattened', toolError('MCP error 402: Payment invalid: expired'), { kind: 'refused' }],
  ])('misreads %s', (_name, given, expected) => {
    expect(requireDialect('x402-error').readAnswer(given)).toMatchObject(expected);
  });
});
