import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findAsset } from '../../../src/core/registry/assets.ts';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account } from '../../../src/core/ports.ts';
import { createStripeApi } from '../../../src/main/adapters/stripe/stripe-api.ts';
import { createStripeCard } from '../../../src/main/rails/stripe-card.ts';
import { keyRing, offerOf, termsOf } from '../../unit/rails/fixtures.ts';
import { CARD, CARD_WITH_ACTION, PUBLISHABLE_KEY, startStripeServer, type StripeIntent, type StripeServer } from '../../support/stripe-server.ts';

const USD = findAsset('stripe:card', 'USD')!;
const signal = new AbortController().signal;
const account: Account = { id: 'card-1', label: 'Card', namespace: 'stripe', address: CARD, source: 'imported' };

let stripe: StripeServer;
let intent: StripeIntent;

beforeAll(async () => {
  stripe = await startStripeServer();
});
afterAll(() => stripe?.close());
beforeEach(() => {
  stripe.fault = undefined;
  stripe.asked.length = 0;
  intent = stripe.create();
});

const railOf = (paymentMethod = CARD, publishableKey = PUBLISHABLE_KEY) =>
  createStripeCard({ stripe: createStripeApi(), keys: keyRing(account, Buffer.from(JSON.stringify({ publishableKey, paymentMethod, apiUrl: stripe.url }))) });

async function sign(rail = railOf(), { amount = 150n, extra = {} }: { amount?: bigint; extra?: object } = {}) {
  const offer = { ...offerOf(USD, { payee: 'acct_seller', amount, extra: { paymentIntentId: intent.id, clientSecret: intent.client_secret, captureMethod: 'manual', ...extra } }), scheme: 'stripe-card' };
  const terms: Terms = { ...termsOf(offer, USD, account), flow: 'hold' };
  rail.check(offer, USD);
  const proof = await rail.sign({ terms, offer, asset: USD, account, now: Date.now(), signal });
  return { rail, terms, proof, submit: () => rail.submit!(terms, proof.track, AbortSignal.timeout(1_500)), observe: () => rail.observe(terms, proof.track, signal) };
}
const confirmations = () => stripe.asked.filter((path) => path.endsWith('/confirm')).length;

describe('a card payment', () => {
  test('I1: an amount that is held before the journal has it, or held twice', async () => {
    const payment = await sign();
    expect(confirmations()).toBe(0);
    expect(JSON.parse(payment.proof.payloadText)).toEqual({ paymentIntentId: intent.id });
    expect(await payment.observe()).toMatchObject({ state: 'open' });
    expect(await payment.submit()).toMatchObject({ state: 'open', held: true });
    expect(await payment.submit()).toMatchObject({ state: 'open', held: true });
    expect(confirmations()).toBe(1);
    expect(intent.status).toBe('requires_capture');
  });

  test('a captured amount that is not settled, or a voided one that stays held', async () => {
    const captured = await sign();
    await captured.submit();
    stripe.capture(intent.id);
    expect(await captured.observe()).toEqual({ state: 'settled', transaction: intent.id, final: true });
    intent = stripe.create();
    const voided = await sign();
    await voided.submit();
    stripe.cancel(intent.id);
    expect(await voided.observe()).toMatchObject({ state: 'dead' });
  });

  test('I2: another amount, currency or capture method at Stripe than in the terms is held', async () => {
    for (const change of [{ amount: 151 }, { currency: 'eur' }, { capture_method: 'automatic' }]) {
      intent = stripe.create(change);
      await expect(sign(), JSON.stringify(change)).rejects.toMatchObject({ code: 'PROOF_MISMATCH' });
    }
    expect(confirmations()).toBe(0);
  });

  test('I2: an amount that the seller raises after it was approved is held', async () => {
    const payment = await sign();
    intent.amount = 15_000;
    expect(await payment.submit()).toMatchObject({ state: 'open', why: expect.stringContaining('amount') as string });
    expect(confirmations()).toBe(0);
  });

  test('I2: an amount that is raised between look and confirmation passes for the approved one', async () => {
    const payment = await sign();
    stripe.fault = 'raise-after-retrieve';
    const seen = await payment.submit();
    expect(seen).toMatchObject({ state: 'open' });
    expect(seen).not.toHaveProperty('held');
  });

  test('a declined card that counts as held, or holds budget for ever', async () => {
    const payment = await sign(railOf('pm_card_chargeDeclined'));
    expect(await payment.submit()).toMatchObject({ state: 'dead', why: expect.stringContaining('declined') as string });
  });

  test('a bank that wants its customer: money called held', async () => {
    const payment = await sign(railOf(CARD_WITH_ACTION));
    const seen = await payment.submit();
    expect(seen).toMatchObject({ state: 'open', why: expect.stringContaining('bank') as string });
    expect(seen).not.toHaveProperty('held');
  });

  for (const fault of ['confirm-then-500', 'confirm-then-hang'] as const) {
    test(`I1: a confirmation whose answer was lost (${fault}) is called dead, or confirmed again`, async () => {
      const payment = await sign();
      stripe.fault = fault;
      expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
      stripe.fault = undefined;
      expect(await payment.submit()).toMatchObject({ state: 'open', held: true });
      expect(confirmations()).toBe(1);
    });
  }

  test('I6: a redirect that is followed with the card in hand', async () => {
    const payment = await sign();
    stripe.fault = 'redirect';
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
  });

  test('I6: the payment method in journal or proof', async () => {
    const { proof } = await sign();
    expect(JSON.stringify(proof)).not.toContain(CARD);
  });

  test('the seller’s own key that is not used, or one of another mode that is', async () => {
    await sign(railOf(CARD, 'pk_test_ofSomebodyElse'), { extra: { publishableKey: PUBLISHABLE_KEY } });
    await expect(sign(railOf(CARD, 'pk_test_ofSomebodyElse'))).rejects.toMatchObject({ code: 'PAYMENT_REJECTED' });
    await expect(sign(railOf(CARD, 'pk_live_ofSomebodyElse'), { extra: { publishableKey: PUBLISHABLE_KEY } })).rejects.toMatchObject({ code: 'FLOW_UNSUPPORTED' });
  });

  test('an offer without an intent of its own client secret, or one that takes the money at once', async () => {
    for (const extra of [{ paymentIntentId: '../balance' }, { clientSecret: 'pi_999_secret_x' }, { clientSecret: undefined }]) await expect(sign(railOf(), { extra })).rejects.toMatchObject({ code: 'CHALLENGE_MALFORMED' });
    await expect(sign(railOf(), { extra: { captureMethod: 'automatic' } })).rejects.toMatchObject({ code: 'FLOW_UNSUPPORTED' });
  });
});
