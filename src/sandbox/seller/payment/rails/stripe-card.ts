import { z } from 'zod';
import type { PaymentRail, Settlement } from '../rail.ts';
import type { Price } from '../terms.ts';
import type { StripeClient } from '../stripe-client.ts';

/** Id of the rail in MPX. */
export const STRIPE_CARD = 'stripe-card';

const payloadSchema = z.looseObject({ paymentIntentId: z.string().regex(/^pi_\w+$/) });

export interface StripeCardOptions {
  readonly stripe: StripeClient;
  /** What a buyer confirms with. */
  readonly publishableKey: string;
  /** The account that is paid. */
  readonly payTo: string;
}

/** MPX's `stripe-card`: a payment intent that is held, then captured. */
export const stripeCardRail = ({ stripe, publishableKey, payTo }: StripeCardOptions): PaymentRail => ({
  id: STRIPE_CARD,
  offer: async ({ price, product, challengeId }) => {
    const amount = cents(price);
    const intent = await stripe.createIntent({ amount, currency: 'usd', description: product.description, challengeId });
    const terms = { scheme: 'stripe-payment-intent', paymentIntentId: intent.id, clientSecret: intent.client_secret, amount, currency: 'usd', captureMethod: 'manual', publishableKey };
    return { rail: STRIPE_CARD, network: 'none', payTo, terms };
  },
  verify: async (proof, { terms }) => {
    const payload = payloadSchema.safeParse(proof);
    if (!payload.success) return { valid: false, reason: 'it names no payment intent' };
    if (payload.data.paymentIntentId !== terms['paymentIntentId']) return { valid: false, reason: 'the payment intent is not the one offered' };
    const intent = await stripe.intent(payload.data.paymentIntentId);
    if (intent.amount !== terms['amount'] || intent.currency !== terms['currency']) return { valid: false, reason: 'amount or currency differ from the offer' };
    if (intent.status !== 'requires_capture') return { valid: false, reason: `the payment intent is ${intent.status}` };
    return { valid: true, payer: intent.payment_method ?? '' };
  },
  coerce: (raw) => (typeof raw['paymentIntentId'] === 'string' ? { paymentIntentId: raw['paymentIntentId'] } : undefined),
  spendingKey: (proof) => {
    const payload = payloadSchema.safeParse(proof);
    return payload.success ? `stripe:${payload.data.paymentIntentId}` : undefined;
  },
  retryText: ({ terms }) => `Confirm the payment intent ${String(terms['paymentIntentId'])} with a card and send {"paymentIntentId"}.`,
  redact: (proof) => ({ paymentIntentId: payloadSchema.safeParse(proof).data?.paymentIntentId ?? 'unreadable' }),
});

/** Captures what is held. */
export const stripeCapture =
  (stripe: StripeClient): Settlement =>
  async ({ proof, payer }) => {
    const captured = await stripe.capture(payloadSchema.parse(proof).paymentIntentId);
    const success = captured.status === 'succeeded';
    return { success, transaction: captured.id, network: 'none', payer, ...(!success && { errorReason: `the payment intent is ${captured.status}` }) };
  };

/** US cents of a price in dollars or a dollar coin. */
const cents = ({ units, decimals }: Price): number => Number((units * 100n) / 10n ** BigInt(decimals));
