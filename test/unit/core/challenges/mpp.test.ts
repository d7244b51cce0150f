import fc from 'fast-check';
import { keccak256, toBytes } from 'viem/utils';
import { describe, expect, test } from 'vitest';
import { parseAuthenticate } from '../../../../src/core/challenges/authenticate.ts';
import type { Bought } from '../../../../src/core/challenges/dialect.ts';
import { createKnownInstances } from '../../../../src/core/challenges/known-instances.ts';
import { challengeNonce } from '../../../../src/core/challenges/mpp-challenge.ts';
import { mppHttp } from '../../../../src/core/challenges/mpp-http.ts';
import { mpp } from '../../../../src/core/challenges/mpp.ts';
import { detectChallenge } from '../../../../src/core/challenges/registry.ts';
import { stringifyJson } from '../../../../src/core/json/json.ts';
import { errorText, http, onlyTyped, reading, result, rpcError } from './readings.ts';

const REQUEST = {
  amount: '10000',
  currency: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  methodDetails: { chainId: 84532, credentialTypes: ['authorization'], decimals: 6 },
  recipient: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
};
const CHALLENGE = { id: 'x7Tg2pLq', realm: 'api.example.com', method: 'evm', intent: 'charge', request: REQUEST, expires: '2026-11-21T12:05:00Z' };
const required = (challenges: readonly object[], code = -32042) => rpcError(code, 'Payment Required', { httpStatus: 402, challenges });
const offering = (change: object) => required([{ ...CHALLENGE, request: { ...REQUEST, ...change } }]);
const PAYLOAD = JSON.stringify({ signature: '0x11', authorization: { from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', to: REQUEST.recipient, value: '10000', validAfter: '0', validBefore: '1795262700', nonce: '0xab' } });
const CREDENTIAL_PAYLOAD = { type: 'authorization', from: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', to: REQUEST.recipient, value: '10000', validAfter: '0', validBefore: '1795262700', nonce: '0xab', signature: '0x11' };
const SOURCE = 'did:pkh:eip155:84532:0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const authenticate = (change: Record<string, string> = {}) => {
  const { request, ...fields } = CHALLENGE;
  return `Payment ${Object.entries({ ...fields, request: base64url(request), ...change }).map(([name, value]) => `${name}="${value}"`).join(', ')}`;
};
const refused = (header: string | readonly string[], body = '') => ({ http: http(402, { 'www-authenticate': header }, body) });

test('the nonce is not keccak-256 of id and realm', () => {
  expect(challengeNonce('x7Tg2pLq', 'api.example.com')).toBe(keccak256(toBytes('x7Tg2pLqapi.example.com')));
  expect(challengeNonce('é—', 'ü')).toBe(keccak256(toBytes('é—ü')));
});

test('I1: one nonce for two requests, because id and realm are parted elsewhere or another offer stands beside', () => {
  const read = (...challenges: readonly object[]) => detectChallenge(required(challenges.map((one) => ({ ...CHALLENGE, ...one }))))!;
  const dearer = { request: { ...REQUEST, amount: '900000' } };
  const asked = { id: 'ab', realm: 'c' };
  const again = [read({ id: 'a', realm: 'bc', ...dearer }), read({ ...asked, ...dearer }, { id: 'other' }), read({ id: 'other' }, { id: 'a', realm: 'bc', ...dearer })];
  for (const challenge of again) {
    const known = createKnownInstances();
    known.requireSame('shop', read(asked));
    known.requireSame('shop', read(asked));
    known.requireSame('shop', read(asked, { id: 'other' }));
    expect(() => known.requireSame('shop', challenge)).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  }
});

describe('over MCP', () => {
  test.each([
    ['the error of an unpaid call', required([CHALLENGE])],
    ['fresh challenges after a failed verification', required([CHALLENGE], -32043)],
    ['a result with the challenges in _meta', result({ isError: true, content: [], _meta: { 'org.paymentauth/payment-required': { challenges: [CHALLENGE] } } })],
  ])('misses %s', (_name, message) => {
    expect(detectChallenge(message)).toMatchObject({
      dialect: 'mpp',
      textOnly: false,
      resource: 'api.example.com',
      offers: [
        {
          scheme: 'exact',
          network: 'eip155:84532',
          asset: REQUEST.currency,
          amount: '10000',
          payee: REQUEST.recipient,
          expiresAt: Date.UTC(2026, 10, 21, 12, 5),
          nonce: keccak256(toBytes('x7Tg2pLqapi.example.com')),
        },
      ],
    });
  });

  test.each([
    ['a URL elicitation', rpcError(-32042, 'm', { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://pay.example' }] })],
    ['a URL elicitation that has challenges too', rpcError(-32042, 'm', { elicitations: [{ mode: 'url', url: 'https://pay.example' }], challenges: [CHALLENGE] })],
    ['a challenge without realm', required([CHALLENGE, { ...CHALLENGE, realm: undefined }])],
    ['a challenge whose request is a text', required([{ ...CHALLENGE, request: base64url(REQUEST) }])],
    ['no challenges', required([])],
    ['a result that is no error', result({ content: [], _meta: { 'org.paymentauth/payment-required': { challenges: [CHALLENGE] } } })],
    ['another code', required([CHALLENGE], -32603)],
  ])('takes %s for a payment request', (_name, message) => {
    expect(detectChallenge(message)).toBeUndefined();
  });

  test.each([
    ['a number as amount', offering({ amount: 10000 }), 'CHALLENGE_MALFORMED'],
    ['a decimal amount', offering({ amount: '0.01' }), 'CHALLENGE_MALFORMED'],
    ['an amount of nothing', offering({ amount: '0' }), 'CHALLENGE_MALFORMED'],
    ['no recipient', offering({ recipient: undefined }), 'CHALLENGE_MALFORMED'],
    ['a symbol as currency', offering({ currency: 'USDC' }), 'CHALLENGE_MALFORMED'],
    ['no chain', offering({ methodDetails: {} }), 'CHALLENGE_MALFORMED'],
    ['Permit2 alone', offering({ methodDetails: { chainId: 84532, credentialTypes: ['permit2'] } }), 'CHALLENGE_MALFORMED'],
    ['splits', offering({ methodDetails: { chainId: 84532, splits: [{ amount: '1', recipient: REQUEST.recipient }] } }), 'CHALLENGE_MALFORMED'],
    ['other decimals than the token', offering({ methodDetails: { chainId: 84532, decimals: 18 } }), 'CHALLENGE_MALFORMED'],
    ['an expiry that is no time', required([{ ...CHALLENGE, expires: 'never' }]), 'CHALLENGE_MALFORMED'],
    ['a method that this wallet does not have', required([{ ...CHALLENGE, method: 'solana' }]), 'NO_PAYABLE_OFFER'],
    ['an intent that this wallet does not have', required([{ ...CHALLENGE, intent: 'session' }]), 'NO_PAYABLE_OFFER'],
  ])('accepts %s', (_name, message, code) => {
    expect(() => detectChallenge(message)).toThrow(expect.objectContaining({ code }));
  });

  test('a method that cannot be paid hides one that can, or is not named', () => {
    expect(detectChallenge(required([{ ...CHALLENGE, method: 'tempo' }, CHALLENGE]))).toMatchObject({ offers: [{ amount: '10000' }], unreadable: [expect.stringContaining('"tempo/charge"')] });
  });

  test('the credential is not what the specification says, or does not echo the challenge as it came', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32042, message: 'm', data: { challenges: [{ ...CHALLENGE, opaque: 'abc' }] } } }).replace('"amount":"10000"', '"amount":"10000","big":12345678901234567890');
    const challenge = detectChallenge(reading(text))!;
    const { meta = {} } = mpp.attach(challenge, challenge.offers[0]!, PAYLOAD);
    expect(Object.keys(meta)).toEqual(['org.paymentauth/credential']);
    expect(meta['org.paymentauth/credential']).toContain('"big":12345678901234567890');
    expect(JSON.parse(meta['org.paymentauth/credential']!)).toMatchObject({ challenge: { ...CHALLENGE, opaque: 'abc' }, payload: CREDENTIAL_PAYLOAD, source: SOURCE });
  });

  const challenge = detectChallenge(required([CHALLENGE]))!;
  const bought: Bought = { challengeText: stringifyJson(challenge.source), offerText: stringifyJson(challenge.offers[0]!.source) };
  const receipt = (change: object = {}) => ({ _meta: { 'org.paymentauth/receipt': { status: 'success', method: 'evm', reference: '0xfeed', timestamp: '2026-11-21T12:01:00Z', challengeId: 'x7Tg2pLq', ...change } } });
  test.each([
    ['an answer with receipt', result({ content: [], ...receipt() }), { kind: 'served', receipt: { success: true, transaction: '0xfeed' } }],
    ['an answer without receipt', result({ content: [] }), { kind: 'served' }],
    ['a receipt for another challenge', result({ content: [], ...receipt({ challengeId: 'other' }) }), { kind: 'served', receipt: { success: false } }],
    ['a receipt without reference', result({ content: [], ...receipt({ reference: undefined }) }), { kind: 'served', receipt: { success: false } }],
    ['a failed verification', rpcError(-32043, 'Payment failed', { challenges: [CHALLENGE], problem: { detail: 'nonce mismatch' } }), { kind: 'refused', message: 'nonce mismatch', settlementFailed: false }],
    ['a failed verification as text', errorText('MCP error -32043: Payment verification failed'), { kind: 'refused' }],
    ['a second challenge', required([CHALLENGE]), { kind: 'refused' }],
    ['a tool that failed', errorText('no such city'), { kind: 'failed', message: 'no such city' }],
    ['a malformed credential', rpcError(-32602, 'Credential is malformed'), { kind: 'failed', message: 'Credential is malformed' }],
  ])('misreads %s', (_name, message, expected) => {
    expect(mpp.readAnswer(message, bought)).toMatchObject(expected);
  });

  test('throws an untyped error on a mutated challenge', () => {
    const change = fc.dictionary(fc.constantFrom(...Object.keys(CHALLENGE), ...Object.keys(REQUEST), 'chainId', 'splits'), fc.jsonValue());
    onlyTyped(change, (members) => detectChallenge(required([{ ...CHALLENGE, ...members, request: { ...REQUEST, ...members, methodDetails: { ...REQUEST.methodDetails, ...members } } }])));
    onlyTyped(fc.jsonValue(), (data) => detectChallenge(rpcError(-32042, 'm', data)));
  });
});

describe('over HTTP', () => {
  test('misses the challenge of the specification, alone or among others', () => {
    const expected = { dialect: 'mpp-http', resource: 'api.example.com', offers: [{ amount: '10000', nonce: keccak256(toBytes('x7Tg2pLqapi.example.com')) }] };
    expect(detectChallenge(refused(authenticate()))).toMatchObject(expected);
    expect(detectChallenge(refused(`Bearer realm="a, Payment b", error="x", ${authenticate()}, Basic realm="z"`))).toMatchObject(expected);
    expect(detectChallenge(refused(['Negotiate dGVzdA==', authenticate({ method: 'tempo' }), authenticate()]))).toMatchObject({ ...expected, unreadable: [expect.stringContaining('tempo')] });
  });

  test.each([
    ['another status', { http: http(401, { 'www-authenticate': authenticate() }) }],
    ['another scheme', refused('Bearer realm="payment "')],
    ['an incomplete challenge', refused('Payment realm="x", method="evm"')],
  ])('takes %s for a payment request', (_name, message) => {
    expect(mppHttp.detect(message)).toBeUndefined();
  });

  test.each([
    ['a request that is no base64url', refused(authenticate({ request: '***' }))],
    ['a request that is no object', refused(authenticate({ request: base64url([1]) }))],
    ['a request that repeats a key', refused(authenticate({ request: Buffer.from('{"amount":"1","amount":"2"}').toString('base64url') }))],
    ['a repeated parameter', refused(`${authenticate()}, id="other"`)],
    ['a quoted string without end', refused('Payment id="x')],
    ['a credential in a header of another meaning', refused(authenticate({ header: 'Host' }))],
    ['a request without end', refused(authenticate({ request: 'A'.repeat(20_000) }))],
  ])('accepts %s', (_name, message) => {
    expect(() => detectChallenge(message)).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });

  test('the credential is not what the specification says', () => {
    const challenge = detectChallenge(refused(authenticate({ description: 'a \\"b\\" \\u2014' })))!;
    const { headers = {} } = mppHttp.attach(challenge, challenge.offers[0]!, PAYLOAD);
    const [scheme, encoded = ''] = headers['authorization']!.split(' ');
    expect(scheme).toBe('Payment');
    expect(encoded).toMatch(/^[\w-]+$/);
    expect(JSON.parse(Buffer.from(encoded, 'base64url').toString())).toEqual({
      challenge: { ...CHALLENGE, request: base64url(REQUEST), description: 'a "b" —' },
      payload: CREDENTIAL_PAYLOAD,
      source: SOURCE,
    });
  });

  test('a server that names a header for its credential gets it in Authorization', () => {
    const challenge = detectChallenge(refused(authenticate({ header: 'X-Payment-Credential' })))!;
    expect(Object.keys(mppHttp.attach(challenge, challenge.offers[0]!, PAYLOAD).headers!)).toEqual(['x-payment-credential']);
  });

  const bought: Bought = { challengeText: '{}', offerText: '{"id":"x7Tg2pLq"}' };
  const receipt = base64url({ status: 'success', method: 'evm', reference: '0xfeed', timestamp: '2026-11-21T12:01:00Z' });
  test.each([
    ['a tool result with receipt', { ...result({ content: [] }), http: http(200, { 'payment-receipt': receipt }) }, { kind: 'served', receipt: { success: true, transaction: '0xfeed' } }],
    ['a bought page with receipt', { http: http(200, { 'payment-receipt': receipt }) }, { kind: 'served', receipt: { success: true } }],
    ['a receipt that cannot be read', { http: http(200, { 'payment-receipt': '***' }) }, { kind: 'served' }],
    ['a rejection', refused(authenticate(), '{"type":"https://paymentauth.org/problems/verification-failed","detail":"too late"}'), { kind: 'refused', message: 'too late' }],
    ['a server error', { http: http(500, {}, 'oops') }, { kind: 'failed' }],
    ['a tool that failed', { ...errorText('no such city'), http: http(200) }, { kind: 'failed', message: 'no such city' }],
  ])('misreads %s', (_name, message, expected) => {
    expect(mppHttp.readAnswer(message, bought)).toMatchObject(expected);
  });

  test.each([502, 503, 504])('a gateway that gave up (%i) is taken for a server that did not take the money', (status) => {
    expect(() => mppHttp.readAnswer({ http: http(status) }, bought)).toThrow(expect.objectContaining({ code: 'PAYMENT_OUTCOME_UNKNOWN' }));
  });

  test('throws an untyped error on a mutated header', () => {
    const piece = fc.oneof(fc.constantFrom('Payment ', 'id="x"', 'realm=y', 'method="evm"', 'intent="charge"', `request="${base64url(REQUEST)}"`, ', ', '=', '"', '\\', ' ', 'L402 '), fc.string());
    onlyTyped(fc.array(piece, { maxLength: 30 }), (pieces) => detectChallenge(refused(pieces.join(''))), ['CHALLENGE_MALFORMED', 'NO_PAYABLE_OFFER', 'PROTOCOL_UNSUPPORTED', 'TERMS_LOST']);
  });
});

describe('WWW-Authenticate (RFC 9110, section 11.6.1)', () => {
  const parsed = (line: string) => parseAuthenticate([line]).map(({ scheme, params }) => [scheme, Object.fromEntries(params)]);
  test.each([
    ['one challenge', 'Basic realm="simple"', [['basic', { realm: 'simple' }]]],
    ['two in one line', 'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""', [['basic', { realm: 'simple' }], ['newauth', { realm: 'apps', type: '1', title: 'Login to "apps"' }]]],
    ['a token68', 'Negotiate a87421000492aa874209af8bc028==, Basic realm="x"', [['negotiate', {}], ['basic', { realm: 'x' }]]],
    ['bare schemes', 'Negotiate, NTLM', [['negotiate', {}], ['ntlm', {}]]],
    ['empty elements and spaces about "="', ' , Basic realm = "x" ,, charset="UTF-8",', [['basic', { realm: 'x', charset: 'UTF-8' }]]],
    ['a scheme name inside of a quoted string', 'Payment id="a, Payment id=b"', [['payment', { id: 'a, Payment id=b' }]]],
  ])('misreads %s', (_name, line, expected) => {
    expect(parsed(line)).toEqual(expected);
  });
});
