import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signedOffers, signedReceipt, signsOffer } from '../../../../src/core/challenges/offer-receipt.ts';
import { detectChallenge } from '../../../../src/core/challenges/registry.ts';
import { parseJson, type JsonObject } from '../../../../src/core/json/json.ts';
import { base64, http, mutated, PAYEE, USDC, V2 } from './x402-fixtures.ts';

const PAYLOAD = { version: 1, resourceUrl: V2.resource.url, scheme: 'exact', network: 'eip155:84532', asset: USDC, payTo: PAYEE, amount: '10000', validUntil: 1_703_123_516 };
const SIGNATURE = `0x${'12'.repeat(65)}`;
const part = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const jws = (payload: unknown) => `${part({ alg: 'ES256K', kid: 'did:web:api.example.com#key-1' })}.${part(payload)}.sig`;
const eip712 = (payload: object = PAYLOAD) => ({ format: 'eip712', acceptIndex: 0, payload, signature: SIGNATURE });
const challenge = (...offers: unknown[]) => detectChallenge(http(402, { 'PAYMENT-REQUIRED': base64({ ...V2, extensions: { 'offer-receipt': { info: { offers }, schema: {} } } }) }))!;
const found = (...offers: unknown[]) => signedOffers(challenge(...offers).source);

test.each([
  ['eip712', eip712()],
  ['jws', { format: 'jws', acceptIndex: 0, signature: jws(PAYLOAD) }],
])('a signed offer is missed, or its fields are: %s', (format, source) => {
  const given = challenge(source);
  const { artifacts: [artifact], unreadable } = signedOffers(given.source);
  expect(artifact).toMatchObject({ kind: 'offer', format });
  expect(artifact?.payload.get('validUntil')).toBe(1_703_123_516);
  expect(signsOffer(artifact!, given.offers[0]!, given)).toBe(true);
  expect(unreadable).toBe(0);
});

test.each([
  ['no format', { payload: PAYLOAD, signature: SIGNATURE }],
  ['another format', { ...eip712(), format: 'pgp' }],
  ['another version', eip712({ ...PAYLOAD, version: 2 })],
  ['no payload', { format: 'eip712', signature: SIGNATURE }],
  ['no signature', { format: 'eip712', payload: PAYLOAD }],
  ['a signature of megabytes', { ...eip712(), signature: 'a'.repeat(20_000) }],
  ['a JWS of one part', { format: 'jws', signature: part(PAYLOAD) }],
  ['a JWS in standard base64 with padding', { format: 'jws', signature: `${btoa('{"alg":"a"}')}.${btoa('{"version":1}?')}=.s` }],
  ['a JWS of no JSON', { format: 'jws', signature: jws('no') }],
  ['a JWS with a key twice', { format: 'jws', signature: jws('{"version":1,"version":1}') }],
  ['no object', 7],
])('what is no signed offer counts as one: %s', (_name, source) => {
  expect(found(source)).toEqual({ artifacts: [], unreadable: 1 });
});

test.each([
  ['amount', '1'],
  ['payTo', '0x1111111111111111111111111111111111111111'],
  ['network', 'eip155:8453'],
  ['asset', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
  ['scheme', 'upto'],
  ['resourceUrl', 'https://elsewhere.example'],
])('an offer of another %s is taken for the signed one, because it stands at the index', (key, value) => {
  const given = challenge(eip712({ ...PAYLOAD, [key]: value }));
  expect(signsOffer(signedOffers(given.source).artifacts[0]!, given.offers[0]!, given)).toBe(false);
});

test('addresses in other case are other addresses', () => {
  const given = challenge(eip712({ ...PAYLOAD, payTo: PAYEE.toLowerCase(), asset: USDC.toUpperCase().replace('0X', '0x') }));
  expect(signsOffer(signedOffers(given.source).artifacts[0]!, given.offers[0]!, given)).toBe(true);
});

test('a challenge without the extension has signed offers', () => {
  expect(signedOffers(detectChallenge(http(402, {}, V2))!.source)).toEqual({ artifacts: [], unreadable: 0 });
});

test('a signed receipt is missed, or what is none counts as one', () => {
  const settlement = (receipt: unknown) => parseJson(JSON.stringify({ success: true, extensions: { 'offer-receipt': { info: { receipt } } } }));
  expect(signedReceipt(settlement({ format: 'jws', signature: jws({ version: 1, payer: '0x1' }) }))).toMatchObject({ kind: 'receipt', format: 'jws' });
  expect(signedReceipt(settlement('thanks'))).toBe('unreadable');
  expect(signedReceipt(parseJson('{"success":true}'))).toBeUndefined();
});

test('any signed offers throw', () => {
  fc.assert(fc.property(fc.array(fc.oneof(mutated(eip712()), fc.jsonValue(), fc.string().map((signature) => ({ format: 'jws', signature })))), (offers) => {
    const required = parseJson(JSON.stringify({ extensions: { 'offer-receipt': { info: { offers } } } })) as JsonObject;
    const { artifacts, unreadable } = signedOffers(required);
    return artifacts.length + unreadable === Math.min(offers.length, 32);
  }));
});
