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

  test('I1, I5: a decline of one confirmation ends a payment whose earlier one is in flight, or they are two requests', async () => {
    const payment = await sign();
    stripe.fault = 'confirm-in-flight';
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
    expect(await payment.observe()).toMatchObject({ state: 'open' });
    stripe.fault = undefined;
    stripe.land();
    expect(await payment.submit()).toMatchObject({ state: 'open', held: true });
    expect(intent.status).toBe('requires_capture');
  });

  test('I5: another’s declined try with the same PaymentIntent ends ours, which is still on its way', async () => {
    const payment = await sign();
    stripe.fault = 'confirm-not-arrived';
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
    intent.last_payment_error = { code: 'card_declined', message: 'Your card was declined.' };
    expect(await payment.observe()).toMatchObject({ state: 'open' });
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
  });

  test('I5: a decline whose answer was lost is never told, or confirmed as a second request', async () => {
    const payment = await sign(railOf('pm_card_chargeDeclined'));
    stripe.fault = 'confirm-then-500';
    expect(await payment.submit()).toMatchObject({ state: 'unreachable' });
    stripe.fault = undefined;
    intent.last_payment_error = null;
    expect(await payment.submit()).toMatchObject({ state: 'dead', why: expect.stringContaining('declined') as string });
    expect(intent.last_payment_error).toBeNull();
  });

  test('I5: a decline of a payment that an earlier version sent without a key', async () => {
    const { terms, proof, rail } = await sign(railOf('pm_card_chargeDeclined'));
    const { confirmation: _, ...track } = proof.track;
    expect(await rail.submit!(terms, track, AbortSignal.timeout(1_500))).toMatchObject({ state: 'open' });
    stripe.cancel(intent.id);
    expect(await rail.observe(terms, track, signal)).toMatchObject({ state: 'dead' });
  });

  test('I5: a bank’s question that blocks for ever, or counts as dead while the seller can still use it', async () => {
    const payment = await sign(railOf(CARD_WITH_ACTION));
    for (const seen of [await payment.submit(), await payment.submit(), await payment.observe()]) {
      expect(seen).toMatchObject({ state: 'open', why: expect.stringContaining(`the seller cancels the PaymentIntent ${intent.id}`) as string });
    }
    intent.status = 'requires_payment_method';
    intent.last_payment_error = { code: 'payment_intent_authentication_failure', message: 'The customer did not confirm.' };
    expect(await payment.submit()).toEqual({ state: 'dead', why: 'The card was declined: The customer did not confirm.' });
  });

  test('I2: a PaymentIntent that keeps the card, asks for a tip, or is confirmed elsewhere', async () => {
    const harmless: Partial<StripeIntent>[] = [{ setup_future_usage: null, customer: null, confirmation_method: 'automatic', amount_details: { tip: {} }, payment_method_options: { card: { request_three_d_secure: 'automatic', setup_future_usage: 'none' } } }];
    const more: Partial<StripeIntent>[] = [
      { setup_future_usage: 'off_session' },
      { setup_future_usage: 'on_session' },
      { payment_method_options: { card: { setup_future_usage: 'off_session' } } },
      { customer: 'cus_ofTheSeller' },
      { off_session: true },
      { confirmation_method: 'manual' },
      { amount_details: { tip: { amount: 500 } } },
    ];
    for (const change of harmless) {
      intent = stripe.create(change);
      await sign();
    }
    for (const change of more) {
      intent = stripe.create(change);
      await expect(sign(), JSON.stringify(change)).rejects.toMatchObject({ code: 'PROOF_MISMATCH', message: expect.stringContaining('more than a single payment') as string });
      intent = stripe.create();
      const payment = await sign();
      Object.assign(intent, change);
      expect(await payment.submit(), JSON.stringify(change)).toMatchObject({ state: 'open' });
      expect(intent.status).toBe('requires_payment_method');
    }
    expect(confirmations()).toBe(0);
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
