import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reading } from '../../../../src/core/challenges/answer.ts';
import { detectChallenge } from '../../../../src/core/challenges/registry.ts';
import { x402Mcp } from '../../../../src/core/challenges/x402-mcp.ts';
import { parseJson, type JsonObject } from '../../../../src/core/json/json.ts';
import { isBursarError } from '../../../../src/shared/errors/errors.ts';

const OFFER = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
};
const REQUIRED = { x402Version: 2, error: 'Payment required', resource: { url: 'mcp://tool/forecast', description: 'd' }, accepts: [OFFER] };

const reading = (text: string): Reading => ({ rpc: parseJson(text) as JsonObject });
const response = (result: unknown): Reading => reading(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
const asText = (required: unknown) => response({ isError: true, content: [{ type: 'text', text: JSON.stringify(required) }] });
const structured = (required: unknown) => response({ isError: true, structuredContent: required, content: [{ type: 'text', text: '{}' }] });

describe('detection', () => {
  test('misses the official form with structured content', () => {
    expect(detectChallenge(structured(REQUIRED))).toMatchObject({ dialect: 'x402-mcp', textOnly: false, resource: 'mcp://tool/forecast', offers: [{ amount: '10000', paymentFlow: 'authorization' }] });
  });

  test('misses version 1 of the official form', () => {
    const offer = { scheme: 'exact', network: 'base-sepolia', maxAmountRequired: '10000', asset: OFFER.asset, payTo: OFFER.payTo, resource: 'mcp://tool/forecast', description: 'd', maxTimeoutSeconds: 60, extra: null };
    const challenge = detectChallenge(structured({ x402Version: 1, error: 'Payment required', accepts: [offer] }))!;
    expect(challenge).toMatchObject({ dialect: 'x402-mcp', resource: 'mcp://tool/forecast', offers: [{ amount: '10000', network: 'eip155:84532', x402Version: 1 }] });
    const { meta = {} } = x402Mcp.attach(challenge, challenge.offers[0]!, '{"signature":"0x"}');
    expect(JSON.parse(meta['x402/payment']!)).toEqual({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x' } });
  });

  test('misses the form with text alone, or forgets that a page could have written it', () => {
    expect(detectChallenge(asText(REQUIRED))).toMatchObject({ textOnly: true, offers: [{ payee: OFFER.payTo }] });
  });

  test.each([
    ['a normal result', response({ content: [{ type: 'text', text: JSON.stringify(REQUIRED) }] })],
    ['a tool error', response({ isError: true, content: [{ type: 'text', text: 'x402Version is a word' }] })],
    ['two text blocks', response({ isError: true, content: [{ type: 'text', text: JSON.stringify(REQUIRED) }, { type: 'text', text: 'x' }] })],
    ['a JSON-RPC error', reading('{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[]}}}')],
  ])('takes %s for a payment request', (_name, message) => {
    expect(detectChallenge(message)).toBeUndefined();
  });

  test.each([
    ['no offers', { ...REQUIRED, accepts: [] }],
    ['accepts is no list', { ...REQUIRED, accepts: {} }],
    ['another version', { ...REQUIRED, x402Version: 7 }],
    ['a number as amount', { ...REQUIRED, accepts: [{ ...OFFER, amount: 10000 }] }],
    ['a negative amount', { ...REQUIRED, accepts: [{ ...OFFER, amount: '-10000' }] }],
    ['a scientific amount', { ...REQUIRED, accepts: [{ ...OFFER, amount: '1e4' }] }],
    ['an amount of nothing', { ...REQUIRED, accepts: [{ ...OFFER, amount: '0' }] }],
    ['a network without namespace', { ...REQUIRED, accepts: [{ ...OFFER, network: 'base-sepolia' }] }],
    ['a fractional lifetime', { ...REQUIRED, accepts: [{ ...OFFER, maxTimeoutSeconds: 1.5 }] }],
    ['no payee', { ...REQUIRED, accepts: [{ ...OFFER, payTo: '' }] }],
  ])('accepts a malformed request: %s', (_name, required) => {
    expect(() => detectChallenge(structured(required))).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });

  test('drops a readable offer because another one is not', () => {
    const challenge = detectChallenge(structured({ ...REQUIRED, accepts: [{ ...OFFER, amount: '1.5' }, OFFER] }));
    expect(challenge).toMatchObject({ offers: [{ amount: '10000' }], unreadable: [expect.stringContaining('offer 1')] });
  });

  test('throws an untyped error on a mutated request', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('exact', 'eip155:84532', '10000', 60, null, {}, []));
    const mutated = fc.dictionary(fc.constantFrom(...Object.keys(OFFER)), value).map((change) => ({ ...REQUIRED, accepts: [{ ...OFFER, ...change }] }));
    fc.assert(
      fc.property(fc.oneof(mutated, fc.jsonValue()), (required) => {
        try {
          detectChallenge(structured(required));
        } catch (error) {
          expect(isBursarError(error)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the proof', () => {
  test('does not echo offer, resource and extensions as they came', () => {
    const text = JSON.stringify({ ...REQUIRED, extensions: { 'payment-identifier': { info: {} } } }).replace('"maxTimeoutSeconds":60', '"maxTimeoutSeconds":60,"big":12345678901234567890');
    const challenge = detectChallenge(reading(`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":${text}}}`))!;
    const { meta = {} } = x402Mcp.attach(challenge, challenge.offers[0]!, '{"signature":"0x"}');
    expect(Object.keys(meta)).toEqual(['x402/payment']);
    expect(meta['x402/payment']).toContain('"big":12345678901234567890');
    expect(JSON.parse(meta['x402/payment']!)).toMatchObject({ x402Version: 2, accepted: OFFER, resource: REQUIRED.resource, extensions: { 'payment-identifier': { info: {} } }, payload: { signature: '0x' } });
  });
});

describe('the answer to a paid call', () => {
  const receipt = (success: boolean) => ({ _meta: { 'x402/payment-response': { success, transaction: '0xab', network: 'eip155:84532', payer: '0x1', errorReason: 'nope' } } });

  test.each([
    ['an answer with receipt', response({ content: [], ...receipt(true) }), { kind: 'served', receipt: { success: true, transaction: '0xab' } }],
    ['an answer without receipt', response({ content: [] }), { kind: 'served' }],
    ['a failed settlement in the shape of a challenge', structured({ ...REQUIRED, error: 'Payment settlement failed: timeout' }), { kind: 'refused', settlementFailed: true }],
    ['a second challenge', structured(REQUIRED), { kind: 'refused', settlementFailed: false, message: 'Payment required' }],
    ['a receipt that says no', response({ content: [], ...receipt(false) }), { kind: 'refused', settlementFailed: true, message: 'nope' }],
    ['a tool that failed', response({ isError: true, content: [{ type: 'text', text: 'no such city' }] }), { kind: 'failed', message: 'no such city' }],
    ['a JSON-RPC error', reading('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"boom"}}'), { kind: 'failed', message: 'boom' }],
    ['a refusal that an SDK flattened', response({ isError: true, content: [{ type: 'text', text: 'MCP error 402: Payment invalid: expired' }] }), { kind: 'refused', settlementFailed: false }],
    ['a tool that failed with its receipt', response({ isError: true, content: [{ type: 'text', text: 'no such city' }], ...receipt(true) }), { kind: 'failed', receipt: { success: true } }],
    ['a tool that speaks of payments', response({ isError: true, content: [{ type: 'text', text: 'Your payment of 1 USD to Bob failed' }] }), { kind: 'failed' }],
  ])('misreads %s', (_name, message, expected) => {
    expect(x402Mcp.readAnswer(message)).toMatchObject(expected);
  });
});
