import { describe, expect, test } from 'vitest';
import { detectChallenge, requireDialect } from '../../../../src/core/challenges/registry.ts';
import { base64, detectsWithoutHarm, fromBase64, http, mutated, PAYEE, PROOF, RECEIPT, refusal, USDC, V1, V1_OFFER, V2_OFFER } from './x402-fixtures.ts';

const asked = (...accepts: object[]) => http(402, {}, { ...V1, accepts });

describe('detection', () => {
  test('misses a request of version 1 in the body', () => {
    expect(detectChallenge(http(402, {}, V1))).toMatchObject({
      dialect: 'x402-v1-http',
      textOnly: false,
      resource: 'https://api.example.com/premium-data',
      description: '…',
      error: 'X-PAYMENT header is required',
      offers: [{ scheme: 'exact', network: 'eip155:84532', asset: USDC, amount: '10000', payee: PAYEE, maxTimeoutSeconds: 60, x402Version: 1 }],
    });
  });

  test.each([
    ['base', 'eip155:8453'],
    ['base-sepolia', 'eip155:84532'],
    ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    ['solana-mainnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    ['solana-devnet', 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'],
    ['eip155:84532', 'eip155:84532'],
  ])('takes the network %s for another', (network, id) => {
    expect(detectChallenge(asked({ ...V1_OFFER, network }))).toMatchObject({ offers: [{ network: id }] });
  });

  test.each([
    ['no lifetime', { ...V1_OFFER, maxTimeoutSeconds: undefined }],
    ['extra null', { ...V1_OFFER, extra: null }],
    ['no extra, resource and description', { scheme: 'exact', network: 'base', maxAmountRequired: '10000', asset: USDC, payTo: PAYEE }],
    ['the amount twice', { ...V1_OFFER, amount: '10000' }],
  ])('refuses what servers leave out or add: %s', (_name, offer) => {
    expect(detectChallenge(asked(offer))).toMatchObject({ offers: [{ amount: '10000', maxTimeoutSeconds: 60 }] });
  });

  test.each([
    ['two amounts', { ...V1_OFFER, amount: '1' }, 'CHALLENGE_MALFORMED'],
    ['a number as amount', { ...V1_OFFER, maxAmountRequired: 10000 }, 'CHALLENGE_MALFORMED'],
    ['decimals', { ...V1_OFFER, maxAmountRequired: '0.01' }, 'CHALLENGE_MALFORMED'],
    ['the terms of version 2', V2_OFFER, 'CHALLENGE_MALFORMED'],
    ['no network', { ...V1_OFFER, network: undefined }, 'CHALLENGE_MALFORMED'],
    ['a lookalike of a network', { ...V1_OFFER, network: 'bаse' }, 'CHALLENGE_MALFORMED'],
    ['a network that is not known', { ...V1_OFFER, network: 'xlayer' }, 'NETWORK_UNSUPPORTED'],
    ['the name of a member of every object', { ...V1_OFFER, network: 'constructor' }, 'NETWORK_UNSUPPORTED'],
  ])('accepts %s', (_name, offer, code) => {
    expect(refusal(asked(offer))).toMatchObject({ code });
  });

  test('drops a good offer beside one on an unknown network, or does not name that', () => {
    expect(detectChallenge(asked({ ...V1_OFFER, network: 'xlayer' }, V1_OFFER))).toMatchObject({ offers: [{ network: 'eip155:84532' }], unreadable: [expect.stringContaining('xlayer')] });
  });

  test('throws an untyped error, or takes long, on a mutated request', () => {
    detectsWithoutHarm(mutated(V1).map((required) => http(402, {}, required)));
  });
});

test('the proof is no version 1 payload in X-PAYMENT and _meta, with the network by the name that the server used', () => {
  const challenge = detectChallenge(http(402, {}, V1))!;
  const { headers, meta } = requireDialect(challenge.dialect).attach(challenge, challenge.offers[0]!, PROOF);
  const payload = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x11' } };
  expect(Object.keys(headers ?? {})).toEqual(['X-PAYMENT']);
  expect(fromBase64(headers?.['X-PAYMENT'])).toEqual(payload);
  expect(JSON.parse(meta?.['x402/payment'] ?? '')).toEqual(payload);
});

test.each([
  ['a receipt', http(200, { 'X-PAYMENT-RESPONSE': base64(RECEIPT) }), { kind: 'served', receipt: { success: true, network: 'eip155:84532' } }],
  ['another error in the same shape', http(402, {}, { ...V1, error: 'invalid_exact_evm_payload_signature' }), { kind: 'refused', message: 'invalid_exact_evm_payload_signature', settlementFailed: false }],
  ['a failed settlement', http(402, {}, { ...V1, error: 'Settlement failed: timeout' }), { kind: 'refused', settlementFailed: true }],
  ['a refusal in plain words', http(400, {}, 'Invalid payment header'), { kind: 'failed' }],
])('the answer to a paid call is misread: %s', (_name, given, expected) => {
  expect(requireDialect('x402-v1-http').readAnswer(given)).toMatchObject(expected);
});
