import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';

const intentSchema = z.looseObject({
  id: z.string(),
  client_secret: z.string(),
  amount: z.number(),
  currency: z.string(),
  status: z.string(),
  payment_method: z.string().nullable(),
});
/** A payment intent, as far as a seller looks at it. */
export type PaymentIntent = z.infer<typeof intentSchema>;

/** The seller's side of Stripe's API. Every call throws `SETTLEMENT_FAILED` where it fails. */
export interface StripeClient {
  /** An intent to be held first and captured later; equal challenges get the same one. */
  createIntent(options: { readonly amount: number; readonly currency: string; readonly description: string; readonly challengeId: string }): Promise<PaymentIntent>;
  intent(id: string): Promise<PaymentIntent>;
  capture(id: string): Promise<PaymentIntent>;
}

const TIMEOUT_MS = 10_000;

/** A client of the Stripe API at `url` with a secret key. */
export function stripeClient(url: string, secretKey: string): StripeClient {
  const call = async (method: 'GET' | 'POST', path: string, form: Record<string, string> = {}, idempotencyKey?: string): Promise<PaymentIntent> => {
    const response = await fetch(`${url}/v1/payment_intents${path}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}`, ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) },
      ...(method === 'POST' && { body: new URLSearchParams(form) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer: unknown = await response.json();
    const intent = intentSchema.safeParse(answer);
    if (response.ok && intent.success) return intent.data;
    throw new BursarError('SETTLEMENT_FAILED', `The card service answered ${response.status}.`, { context: { answer: JSON.stringify(answer).slice(0, 300) } });
  };
  return {
    createIntent: ({ amount, currency, description, challengeId }) =>
      call('POST', '', { amount: String(amount), currency, description, capture_method: 'manual', 'payment_method_types[]': 'card' }, challengeId),
    intent: (id) => call('GET', `/${encodeURIComponent(id)}`),
    capture: (id) => call('POST', `/${encodeURIComponent(id)}/capture`, {}, `capture-${id}`),
  };
}
