import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUrlElicitation, readPayLink } from '../../../../src/core/challenges/elicitation.ts';
import { createKnownInstances } from '../../../../src/core/challenges/known-instances.ts';
import { detectChallenge } from '../../../../src/core/challenges/registry.ts';
import { refuseUnpayable } from '../../../../src/core/challenges/unpayable.ts';
import { errorText, http, onlyTyped, result, rpcError } from './readings.ts';

const elicitation = { mode: 'url', elicitationId: 'e1', url: 'https://pay.example/checkout/1', message: 'Please pay 1 USD' };
const nevermined = { x402Version: 2, resource: { url: '/x' }, accepts: [{ scheme: 'nvm:erc4337', network: 'eip155:84532', planId: '1', extra: { agentId: '2' } }], extensions: {} };
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

describe('pages that the person shall open', () => {
  test('a URL elicitation is paid, or not shown', () => {
    const message = rpcError(-32042, 'URL elicitation required', { elicitations: [elicitation] });
    expect(detectChallenge(message)).toBeUndefined();
    expect(isUrlElicitation(message)).toBe(true);
    expect(readPayLink(message)).toEqual({ kind: 'url-elicitation', url: elicitation.url, message: elicitation.message });
  });

  test.each([
    ['structured', result({ content: [], structuredContent: { payment_url: 'https://pay.example/1', payment_id: 'p1', message: 'Pay here' } })],
    ['as text', result({ content: [{ type: 'text', text: JSON.stringify({ payment_url: 'https://pay.example/1', payment_id: 'p1', message: 'Pay here' }) }] })],
  ])('a payment link in a result is not shown: %s', (_name, message) => {
    expect(detectChallenge(message)).toBeUndefined();
    expect(readPayLink(message)).toEqual({ kind: 'payment-link', url: 'https://pay.example/1', message: 'Pay here' });
  });

  test.each([
    ['a link that runs a script', rpcError(-32042, 'm', { elicitations: [{ ...elicitation, url: 'javascript:alert(1)' }] })],
    ['no link', rpcError(-32042, 'm', { elicitations: [{}] })],
    ['a result that has only a link', result({ content: [], structuredContent: { payment_url: 'https://pay.example' } })],
    ['a plain result', result({ content: [] })],
  ])('shows the owner %s', (_name, message) => {
    expect(readPayLink(message)).toBeUndefined();
  });

  test('throws on whatever a server calls an elicitation', () => {
    onlyTyped(fc.jsonValue(), (data) => readPayLink(rpcError(-32042, 'm', { elicitations: data })), []);
    onlyTyped(fc.jsonValue(), (value) => readPayLink(result(value)), []);
  });
});

describe('what is known and cannot be paid', () => {
  test.each([
    ['L402', { http: http(402, { 'www-authenticate': 'L402 macaroon="AGIAJE", invoice="lnbc1"' }) }],
    ['L402', { http: http(402, { 'www-authenticate': 'LSAT macaroon="AGIAJE", invoice="lnbc1"' }) }],
    ['L402', { http: http(402, { 'www-authenticate': 'L402 version="0", token="AGIAJE", invoice="lnbc1"' }) }],
    ['Nevermined', { http: http(402, { 'payment-required': encoded(nevermined) }) }],
    ['Nevermined', { http: http(402, {}, JSON.stringify(nevermined)) }],
    ['Nevermined', result({ isError: true, structuredContent: nevermined, content: [] })],
    ['Nevermined', rpcError(-32003, 'Authorization required', { reason: 'missing' })],
    ['Nevermined', rpcError(-32003, 'Payment required. Available plans: 1...', { reason: 'invalid' })],
    ['Skyfire', { http: http(402, {}, '{"error":"Missing Skyfire token `skyfire-pay-id`"}') }],
    ['Skyfire', rpcError(402, 'Missing skyfire-pay-id')],
  ])('%s is not named in the refusal', (name, message) => {
    expect(() => detectChallenge(message)).toThrow(expect.objectContaining({ code: 'PROTOCOL_UNSUPPORTED', message: expect.stringContaining(name), context: { protocol: name } }));
  });

  test.each([
    ['a tool error that explains Skyfire', errorText('Give the token in skyfire-pay-id')],
    ['an L402 challenge with another status', { http: http(401, { 'www-authenticate': 'L402 macaroon="A", invoice="l"' }) }],
    ['an L402 challenge without invoice', { http: http(402, { 'www-authenticate': 'L402 macaroon="A"' }) }],
    ['a demand that can be paid in another way too', { http: http(402, { 'payment-required': encoded({ ...nevermined, accepts: [...nevermined.accepts, { scheme: 'exact' }] }) }) }],
    ['an error of that code', rpcError(-32003, 'Resource not found', { reason: 'missing' })],
  ])('refuses %s', (_name, message) => {
    expect(() => refuseUnpayable(message)).not.toThrow();
  });

  test('throws an untyped error on a mutated refusal', () => {
    const codes = ['PROTOCOL_UNSUPPORTED', 'CHALLENGE_MALFORMED'];
    onlyTyped(fc.string(), (text) => refuseUnpayable({ http: http(402, { 'www-authenticate': `L402 ${text}`, 'payment-required': text }, `${text}"nvm:`) }), codes);
    onlyTyped(fc.jsonValue(), (data) => refuseUnpayable(rpcError(-32003, 'Authorization required', data)), codes);
  });
});

describe('ids of requests', () => {
  const asked = (id: string, value: string) => {
    const challenge = {
      mpxVersion: 1,
      paymentRequestId: id,
      expiresAt: '2026-11-21T12:05:00Z',
      reason: { tool: 't', description: 'd' },
      amount: { value, currency: 'USDC', decimals: 6 },
      accepts: [{ rail: 'dev-signature', payTo: 'p', requirements: { scheme: 'hmac-sha256', payTo: 'p', amount: value, currency: 'USDC', decimals: 6 } }],
    };
    return detectChallenge(result({ isError: true, content: [], _meta: { 'mpx/v1.challenge': challenge } }))!;
  };
  const [first, second] = ['7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c11', '7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c12'] as const;

  test('an id that comes again with other terms is paid, or one with the same terms is not', () => {
    const known = createKnownInstances();
    known.requireSame('shop', asked(first, '1.50'));
    known.requireSame('shop', asked(first, '1.50'));
    known.requireSame('shop', asked(second, '15'));
    known.requireSame('another', asked(first, '15'));
    expect(() => known.requireSame('shop', asked(first, '15'))).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });
});
