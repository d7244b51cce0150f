import { decodePaymentResponseHeader, decodePaymentSignatureHeader, encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { http, PROOF, RECEIPT, V2, V2_OFFER } from './x402-fixtures.ts';

/** Headers as the stock implementation of x402 writes and reads them. */
type Required = Parameters<typeof encodePaymentRequiredHeader>[0];
type Settled = Parameters<typeof encodePaymentResponseHeader>[0];
const asked = (change: object = {}) => http(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader({ ...V2, ...change } as Required) }, '{}');

test('a request that the stock seller writes is not read, or our proof not by the stock seller', () => {
  const challenge = detectChallenge(asked({ error: 'é€😀???>>>', extensions: { 'payment-identifier': { info: { required: true } } } }))!;
  expect(challenge).toMatchObject({ dialect: 'x402-http', error: 'é€😀???>>>', offers: [{ amount: '10000' }] });
  const { headers } = requireDialect(challenge.dialect).attach(challenge, challenge.offers[0]!, PROOF);
  expect(decodePaymentSignatureHeader(headers?.['PAYMENT-SIGNATURE'] ?? '')).toEqual({
    x402Version: 2,
    resource: V2.resource,
    extensions: { 'payment-identifier': { info: { required: true, id: expect.stringMatching(/^pay_[0-9a-f]{32}$/) as string } } },
    accepted: V2_OFFER,
    payload: { signature: '0x11' },
  });
});

test('a receipt that the stock seller writes is not read as it is by the stock client', () => {
  const text = encodePaymentResponseHeader(RECEIPT as Settled);
  expect(requireDialect('x402-http').readAnswer(http(200, { 'PAYMENT-RESPONSE': text }))).toMatchObject({ kind: 'served', receipt: { transaction: RECEIPT.transaction } });
  expect(decodePaymentResponseHeader(text)).toEqual(RECEIPT);
});

test.each([
  ['base64url', (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')],
  ['raw JSON', (text: string) => Buffer.from(text, 'base64').toString()],
])('our proof would be read by the stock seller in %s, so that the form does not matter', (_name, spoil) => {
  const challenge = detectChallenge(asked({ resource: { url: '???>>>???>>>' } }))!;
  const { headers } = requireDialect(challenge.dialect).attach(challenge, challenge.offers[0]!, PROOF);
  const text = headers?.['PAYMENT-SIGNATURE'] ?? '';
  expect(spoil(text)).not.toBe(text);
  expect(() => decodePaymentSignatureHeader(spoil(text))).toThrow();
});
