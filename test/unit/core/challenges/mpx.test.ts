import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Bought } from '../../../../src/core/challenges/dialect.ts';
import { mpx } from '../../../../src/core/challenges/mpx.ts';
import { detectChallenge, mayAskForMoney } from '../../../../src/core/challenges/registry.ts';
import { stringifyJson, toPlain } from '../../../../src/core/json/json.ts';
import { errorText, listing, onlyTyped, result, rpcError } from './readings.ts';

const PAYEE = '0x742d35Cc6634C0532925a3b844Bc9e7595f8fE00';
const ID = '7b0c1f6e-2f0d-4a38-9c5a-9d0b3f7f1c11';
const dev = { rail: 'dev-signature', payTo: PAYEE, requirements: { scheme: 'hmac-sha256', payTo: PAYEE, amount: '1.50', currency: 'USDC', decimals: 6 } };
const exact = {
  rail: 'x402-evm-exact',
  payTo: PAYEE,
  requirements: {
    scheme: 'exact',
    network: 'base-sepolia',
    chainId: 84532,
    maxAmountRequired: '1500000',
    resource: '',
    description: '1.50 USDC',
    mimeType: 'application/json',
    payTo: PAYEE,
    maxTimeoutSeconds: 3600,
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    extra: { name: 'USDC', version: '2' },
  },
};
const card = { rail: 'stripe-card', payTo: PAYEE, requirements: { scheme: 'stripe-payment-intent', paymentIntentId: 'pi_1', clientSecret: 'pi_1_secret_x', amount: 150, currency: 'usd', captureMethod: 'manual' } };
const CHALLENGE = {
  mpxVersion: 1,
  paymentRequestId: ID,
  expiresAt: '2026-11-21T12:05:00.000Z',
  reason: { tool: 'forecast', description: 'A forecast' },
  amount: { value: '1.50', currency: 'USDC', decimals: 6 },
  accepts: [exact, dev, card],
};
const words = [{ type: 'text', text: 'payment_required: A forecast (1.50 USDC). Retry with _meta authorization.' }];
const asked = (change: object = {}) => result({ isError: true, content: words, _meta: { 'mpx/v1.challenge': { ...CHALLENGE, ...change } } });
const offering = (entry: { requirements: object }, change: object) => asked({ accepts: [{ ...entry, requirements: { ...entry.requirements, ...change } }] });

describe('detection', () => {
  test('misreads the challenge of the specification', () => {
    const challenge = detectChallenge(asked())!;
    expect(challenge).toMatchObject({ dialect: 'mpx', textOnly: false, resource: 'forecast', description: 'A forecast', instance: ID, unreadable: [] });
    expect(challenge.argumentForm).toBeUndefined();
    expect(challenge.offers.map(({ source: _source, extra, ...rest }) => ({ ...rest, extra: toPlain(extra) }))).toEqual([
      { scheme: 'exact', network: 'eip155:84532', asset: exact.requirements.asset, amount: '1500000', payee: PAYEE, expiresAt: Date.UTC(2026, 10, 21, 12, 5), maxTimeoutSeconds: 3600, x402Version: 1, paymentFlow: 'authorization', extra: exact.requirements.extra },
      { scheme: 'dev-signature', network: 'dev:mpx', asset: 'USDC', amount: '1500000', payee: PAYEE, expiresAt: Date.UTC(2026, 10, 21, 12, 5), maxTimeoutSeconds: 600, x402Version: 1, paymentFlow: 'authorization', extra: dev.requirements },
      { scheme: 'stripe-card', network: 'stripe:card', asset: 'usd', amount: '150', payee: PAYEE, expiresAt: Date.UTC(2026, 10, 21, 12, 5), maxTimeoutSeconds: 600, x402Version: 1, paymentFlow: 'authorization', extra: { paymentIntentId: 'pi_1', clientSecret: 'pi_1_secret_x', captureMethod: 'manual' } },
    ]);
  });

  test('an offer lacks what the dev-signature of the specification is computed over', () => {
    const { offers } = detectChallenge(asked({ accepts: [dev] }))!;
    const { payTo, amount, currency, decimals } = toPlain(offers[0]!.extra) as Record<string, unknown>;
    const signed = createHmac('sha256', 's3cret').update(JSON.stringify({ rail: 'dev-signature', payTo, amount, currency, decimals })).digest('hex');
    expect(signed).toBe('634a2a8410c7ec2a6c64e418b803c32b96e0cef134e76e1f369bcb46f113bb9a');
  });

  test.each([
    ['the challenge under its key', JSON.stringify({ 'mpx/v1.challenge': CHALLENGE })],
    ['a whole _meta', JSON.stringify({ _meta: { 'mpx/v1.challenge': CHALLENGE } })],
    ['the bare challenge', JSON.stringify(CHALLENGE)],
  ])('misses a challenge in plain text, or forgets that a page could have written it: %s', (_name, text) => {
    expect(mayAskForMoney(text)).toBe(true);
    expect(detectChallenge(errorText(text))).toMatchObject({ dialect: 'mpx', textOnly: true, argumentForm: 'text' });
  });

  test.each([
    ['a result that is no error', result({ content: words, _meta: { 'mpx/v1.challenge': CHALLENGE } })],
    ['a tool error that mentions the key', errorText('see "mpx/v1.challenge" in the manual')],
    ['words alone', result({ isError: true, content: words })],
  ])('takes %s for a payment request', (_name, message) => {
    expect(detectChallenge(message)).toBeUndefined();
  });

  test.each([
    ['another version', { mpxVersion: 2 }],
    ['no id', { paymentRequestId: undefined }],
    ['an id that is no UUID', { paymentRequestId: 'pr_1' }],
    ['an expiry that is no time', { expiresAt: 'soon' }],
    ['an expiry in seconds', { expiresAt: 1795226710 }],
    ['no reason', { reason: undefined }],
    ['a number as amount', { amount: { value: 1.5, currency: 'USDC', decimals: 6 } }],
    ['a scientific amount', { amount: { value: '1e3', currency: 'USDC', decimals: 6 } }],
    ['a negative amount', { amount: { value: '-1.50', currency: 'USDC', decimals: 6 } }],
    ['an amount of nothing', { amount: { value: '0.00', currency: 'USDC', decimals: 6 } }],
    ['more decimal places than the token has', { amount: { value: '1.5000001', currency: 'USDC', decimals: 6 } }],
    ['fractional decimals', { amount: { value: '1.50', currency: 'USDC', decimals: 1.5 } }],
    ['no offers', { accepts: [] }],
    ['offers that are no list', { accepts: {} }],
    ['a rail that nobody has', { accepts: [{ rail: 'barter', payTo: 'x', requirements: {} }] }],
  ])('accepts a malformed challenge: %s', (_name, change) => {
    expect(() => detectChallenge(asked(change))).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED' }));
  });

  test.each([
    ['exact: another amount than the challenge', offering(exact, { maxAmountRequired: '1500001' }), 'maxAmountRequired'],
    ['exact: a network that contradicts the chain id', offering(exact, { chainId: 8453 }), 'network'],
    ['exact: a network that nobody knows', offering(exact, { network: 'base-goerli', chainId: undefined }), 'network'],
    ['exact: no network at all', offering(exact, { network: undefined, chainId: undefined }), 'network'],
    ['exact: two payees', offering(exact, { payTo: '0x0000000000000000000000000000000000000001' }), 'two payees'],
    ['exact: another scheme', offering(exact, { scheme: 'upto' }), 'scheme'],
    ['dev: another amount', offering(dev, { amount: '15.0' }), 'another amount'],
    ['dev: other decimals', offering(dev, { decimals: 2 }), 'another amount'],
    ['dev: two payees', offering(dev, { payTo: 'x' }), 'two payees'],
    ['card: another amount', offering(card, { amount: 151 }), 'another amount'],
    ['card: a fraction of a cent', offering(card, { amount: 150.5 }), 'another amount'],
    ['card: another currency', offering(card, { currency: 'eur' }), 'eur'],
    ['card: a currency without cents', offering(card, { currency: 'jpy' }), 'jpy'],
    ['card: captured at once', offering(card, { captureMethod: 'automatic' }), 'at once'],
    ['card: the secret of another intent', offering(card, { clientSecret: 'pi_2_secret_x' }), 'client secret'],
    ['card: a secret key as publishable key', offering(card, { publishableKey: 'sk_live_1' }), 'publishable'],
  ])('pays terms that contradict each other: %s', (_name, message, why) => {
    expect(() => detectChallenge(message)).toThrow(expect.objectContaining({ code: 'CHALLENGE_MALFORMED', message: expect.stringContaining(why) }));
  });

  test('a token that the challenge counts in other decimals is paid by the challenge\'s word', () => {
    const wrong = { amount: { value: '1.50', currency: 'USDC', decimals: 18 }, accepts: [{ ...exact, requirements: { ...exact.requirements, maxAmountRequired: '1500000000000000000' } }] };
    expect(() => detectChallenge(asked(wrong))).toThrow(/counts USDC in 18 decimals/);
  });

  test('drops a readable offer because another one is not', () => {
    expect(detectChallenge(asked({ accepts: [{ rail: 'barter', payTo: 'x', requirements: {} }, dev] }))).toMatchObject({ offers: [{ scheme: 'dev-signature' }], unreadable: [expect.stringContaining('barter')] });
  });

  test('refuses a network that is given in one way only', () => {
    const { offers } = detectChallenge(asked({ accepts: [exact, exact].map((entry, index) => ({ ...entry, requirements: { ...entry.requirements, [index === 0 ? 'network' : 'chainId']: undefined } })) }))!;
    expect(offers.map(({ network }) => network)).toEqual(['eip155:84532', 'eip155:84532']);
  });

  test('throws an untyped error on a mutated challenge', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom(exact, dev, card, [exact], '1.50', '2026-11-21T12:05:00Z', { ...card, requirements: { amount: 1e308 } }, 'x'.repeat(100_000)));
    const inner = fc.tuple(fc.constantFrom(exact, dev, card), fc.dictionary(fc.constantFrom('scheme', 'amount', 'currency', 'network', 'chainId', 'asset', 'extra', 'payTo', 'decimals', 'clientSecret'), value)).map(([entry, change]) => ({
      accepts: [{ ...entry, requirements: { ...entry.requirements, ...change } }],
    }));
    onlyTyped(fc.oneof(fc.dictionary(fc.constantFrom(...Object.keys(CHALLENGE)), value), inner), (change) => detectChallenge(asked(change)));
    onlyTyped(fc.jsonValue(), (challenge) => detectChallenge(result({ isError: true, _meta: { 'mpx/v1.challenge': challenge } })));
  });
});

describe('the proof', () => {
  test('the authorization is not what the specification says', () => {
    const challenge = detectChallenge(asked())!;
    const [exactOffer, devOffer] = challenge.offers;
    const written = mpx.attach(challenge, exactOffer!, '{"signature":"0x","authorization":{}}');
    expect(written.arguments).toBeUndefined();
    expect(JSON.parse(written.meta!['mpx/v1.authorization']!)).toEqual({
      mpxVersion: 1,
      paymentRequestId: ID,
      rail: 'x402-evm-exact',
      payload: { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: { signature: '0x', authorization: {} } },
    });
    expect(JSON.parse(mpx.attach(challenge, devOffer!, '{"signature":"ab"}').meta!['mpx/v1.authorization']!)).toMatchObject({ rail: 'dev-signature', payload: { signature: 'ab' } });
  });

  test.each([
    ['string', (value: unknown) => JSON.parse(value as string) as unknown],
    ['object', (value: unknown) => value],
  ])('a server that lists the argument as %s gets the authorization in _meta alone', (type, read) => {
    const known = { inputSchema: { properties: { payment_authorization: { type } } } };
    const challenge = detectChallenge({ ...asked(), listing: listing(known) })!;
    const { arguments: args, meta } = mpx.attach(challenge, challenge.offers[1]!, '{"signature":"ab"}');
    expect(read(JSON.parse(args!['payment_authorization']!))).toEqual(JSON.parse(meta!['mpx/v1.authorization']!));
  });
});

describe('the answer to a paid call', () => {
  const challenge = detectChallenge(asked())!;
  const bought: Bought = { challengeText: stringifyJson(challenge.source), offerText: stringifyJson(challenge.offers[0]!.source) };
  const receipt = { mpxVersion: 1, paymentRequestId: ID, rail: 'x402-evm-exact', settlementRef: '0xfeed', amount: CHALLENGE.amount, settledAt: '2026-11-21T12:01:00Z' };
  const servedWith = (change: object = {}) => result({ content: [], _meta: { 'mpx/v1.receipt': { ...receipt, ...change } } });

  test.each([
    ['an answer with receipt', servedWith(), { kind: 'served', receipt: { success: true, transaction: '0xfeed' } }],
    ['an amount that is written otherwise', servedWith({ amount: { value: '1.5', currency: 'USDC', decimals: 6 } }), { kind: 'served', receipt: { success: true } }],
    ['an answer without receipt', result({ content: [] }), { kind: 'served' }],
    ['a receipt for another request', servedWith({ paymentRequestId: '00000000-0000-4000-8000-000000000000' }), { kind: 'served', receipt: { success: false } }],
    ['a receipt of another rail', servedWith({ rail: 'dev-signature' }), { kind: 'served', receipt: { success: false } }],
    ['a receipt for another amount', servedWith({ amount: { value: '15', currency: 'USDC', decimals: 6 } }), { kind: 'served', receipt: { success: false } }],
    ['a receipt without reference', servedWith({ settlementRef: undefined }), { kind: 'served', receipt: { success: false } }],
    ['a rejection', errorText('payment_error: the signature is invalid'), { kind: 'refused', message: 'the signature is invalid', settlementFailed: false }],
    ['a request that is open again', asked(), { kind: 'refused' }],
    ['a handler that failed', errorText('no such city'), { kind: 'failed', message: 'no such city' }],
    ['a JSON-RPC error', rpcError(-32603, 'boom'), { kind: 'failed', message: 'boom' }],
  ])('misreads %s', (_name, message, expected) => {
    expect(mpx.readAnswer(message, bought)).toMatchObject(expected);
  });

  test('throws on whatever a server calls a receipt', () => {
    onlyTyped(fc.jsonValue(), (value) => mpx.readAnswer(result({ content: [], _meta: { 'mpx/v1.receipt': value } }), bought), []);
  });
});
