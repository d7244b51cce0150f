import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { stringifyJson } from '../../../../src/core/json/json.ts';
import { base64, detectsWithoutHarm, fromBase64, http, PAYEE, PROOF, RECEIPT, refusal, USDC, V2 } from './x402-fixtures.ts';

const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const HEADERS = { 'X-Payment-Amount': '500000', 'X-Payment-Recipient': PAYEE, 'X-Payment-Token': USDC, 'X-Payment-Network': 'eip155:84532' };
const without = (name: keyof typeof HEADERS) => Object.fromEntries(Object.entries(HEADERS).filter(([key]) => key !== name));

describe('detection', () => {
  test.each([
    ['as documented', { 'X-Payment-Amount': '500000', 'X-Payment-Recipient': 'RecipientAddress', 'X-Payment-Token': MINT, 'X-Payment-Network': DEVNET }, { network: DEVNET, asset: MINT, payee: 'RecipientAddress' }],
    ['with the payee under its other name', { ...without('X-Payment-Recipient'), 'X-Payment-PayTo': PAYEE }, { payee: PAYEE }],
    ['with both names of the payee', { ...HEADERS, 'X-Payment-PayTo': PAYEE }, { payee: PAYEE }],
    ['with a network by its short name', { ...HEADERS, 'X-Payment-Network': 'base-sepolia' }, { network: 'eip155:84532' }],
    ['with spaces and in capitals', { ...without('X-Payment-Amount'), 'X-PAYMENT-AMOUNT': ' 500000 ' }, { amount: '500000' }],
  ])('misses the headers %s', (_name, headers, offer) => {
    expect(detectChallenge(http(402, headers))).toMatchObject({ dialect: 'x402-split-headers', textOnly: false, offers: [{ scheme: 'exact', amount: '500000', maxTimeoutSeconds: 60, x402Version: 2, settlement: 'client', ...offer }] });
  });

  test.each([
    ['decimals', { ...HEADERS, 'X-Payment-Amount': '0.50' }],
    ['a sign', { ...HEADERS, 'X-Payment-Amount': '-5' }],
    ['no token', without('X-Payment-Token')],
    ['no network', without('X-Payment-Network')],
    ['two amounts', { ...HEADERS, 'X-Payment-Amount': ['500000', '5'] }],
    ['two payees', { ...HEADERS, 'X-Payment-PayTo': '0x1111111111111111111111111111111111111111' }],
  ])('pays by headers with %s', (_name, headers) => {
    expect(refusal(http(402, headers))).toMatchObject({ code: 'CHALLENGE_MALFORMED' });
  });

  test.each([
    ['an amount without a payee', without('X-Payment-Recipient')],
    ['a payee without an amount', without('X-Payment-Amount')],
  ])('takes for terms %s', (_name, headers) => {
    expect(refusal(http(402, headers))).toMatchObject({ code: 'TERMS_LOST' });
  });

  test('loses what the server wrote', () => {
    expect(stringifyJson(detectChallenge(http(402, { ...HEADERS, 'X-Payment-Network': 'base-sepolia', 'X-Other': 'x' }))!.source)).toContain('"headers":{"x-payment-amount":["500000"],"x-payment-recipient":["0x209693Bc6afc0C5328bA36FaF03C514EF312287C"],"x-payment-token":["0x036CbD53842c5426634e7929541eC2318f3dCF7e"],"x-payment-network":["base-sepolia"]}');
  });

  test('goes before the standard header', () => {
    expect(detectChallenge(http(402, { ...HEADERS, 'PAYMENT-REQUIRED': base64(V2) }))).toMatchObject({ dialect: 'x402-http', offers: [{ amount: '10000' }] });
  });

  test('throws an untyped error, or takes long, on any values', () => {
    detectsWithoutHarm(fc.record({ a: fc.string(), p: fc.string(), t: fc.string(), n: fc.string() }).map(({ a, p, t, n }) => http(402, { 'X-Payment-Amount': a, 'X-Payment-Recipient': p, 'X-Payment-Token': t, 'X-Payment-Network': n })));
  });
});

test('the proof does not go out under both names, with the offer that the headers amount to', () => {
  const challenge = detectChallenge(http(402, { ...HEADERS, 'X-Payment-Network': 'base-sepolia' }))!;
  const { headers } = requireDialect(challenge.dialect).attach(challenge, challenge.offers[0]!, PROOF);
  expect(Object.keys(headers ?? {})).toEqual(['X-Payment-Signature', 'PAYMENT-SIGNATURE']);
  const accepted = { scheme: 'exact', network: 'eip155:84532', amount: '500000', asset: USDC, payTo: PAYEE, maxTimeoutSeconds: 60 };
  expect(fromBase64(headers?.['X-Payment-Signature'])).toEqual({ x402Version: 2, accepted, payload: { signature: '0x11' } });
});

test.each([
  ['a receipt', http(200, { 'X-Payment-Response': base64(RECEIPT) }), { kind: 'served', receipt: { success: true } }],
  ['the headers again', http(402, HEADERS), { kind: 'refused', settlementFailed: false }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-split-headers').readAnswer(given)).toMatchObject(expected);
});
