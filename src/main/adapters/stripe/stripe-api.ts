import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';

const TRY_MS = 10_000;
const MAX_ANSWER_BYTES = 1 << 20;

const intent = z.object({
  id: z.string(),
  status: z.enum(['requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'requires_capture', 'canceled', 'succeeded']),
  amount: z.number().int().nonnegative().transform(BigInt),
  currency: z.string(),
  capture_method: z.string(),
  confirmation_method: z.string().nullish(),
  last_payment_error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
  customer: z.unknown().optional(),
  setup_future_usage: z.unknown().optional(),
  off_session: z.unknown().optional(),
  mandate: z.unknown().optional(),
  payment_method_options: z.unknown().optional(),
  amount_details: z.unknown().optional(),
});
const failure = z.object({ error: z.object({ type: z.string().nullish(), code: z.string().nullish(), message: z.string().nullish() }) });

/** A Stripe PaymentIntent, as far as its payer may see it. */
export type PaymentIntent = z.infer<typeof intent>;

/** Which intent, and whose: a publishable key sees nothing but the intent whose client secret it is given. */
export interface IntentHandle {
  readonly apiUrl: string;
  readonly publishableKey: string;
  readonly id: string;
  readonly clientSecret: string;
}

/** What a payer can do with a PaymentIntent, by Stripe's API. Both throw `CHAIN_UNREACHABLE` where the outcome is not known. */
export interface StripeApi {
  retrieve(handle: IntentHandle, signal: AbortSignal): Promise<PaymentIntent>;
  /**
   * Blocks the amount on the card. A request with the same key is the same one, however often it is sent: Stripe repeats its first answer.
   * Throws `PAYMENT_REJECTED` where Stripe says no, with its words; `context.declined` where it says that of the card, so that this request ran and has ended.
   */
  confirm(handle: IntentHandle, request: { readonly paymentMethod: string; readonly key: string }, signal: AbortSignal): Promise<PaymentIntent>;
}

export function createStripeApi(): StripeApi {
  async function ask(handle: IntentHandle, post: { readonly path: string; readonly form: URLSearchParams; readonly key: string } | undefined, signal: AbortSignal): Promise<PaymentIntent> {
    const url = new URL(`${handle.apiUrl.replace(/\/$/, '')}/v1/payment_intents/${encodeURIComponent(handle.id)}${post?.path ?? ''}`);
    if (!post) url.searchParams.set('client_secret', handle.clientSecret);
    const unreachable = (why: string) => new BursarError('CHAIN_UNREACHABLE', `Stripe (${url.host}) ${why}.`, { hint: 'Try again later.' });
    const response = await fetch(url, {
      method: post ? 'POST' : 'GET',
      // No redirect is followed with a key and a card in hand.
      redirect: 'error',
      headers: { authorization: `Bearer ${handle.publishableKey}`, ...(post && { 'idempotency-key': post.key }) },
      ...(post && { body: post.form }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]),
    }).catch(() => {
      throw unreachable('cannot be reached');
    });
    const text = await response.text().catch(() => {
      throw unreachable('broke off its answer');
    });
    const body = text.length > MAX_ANSWER_BYTES ? undefined : parse(text);
    if (response.ok) {
      const read = intent.safeParse(body);
      if (read.success && read.data.id === handle.id) return read.data;
      throw unreachable('answered with something that is not this payment');
    }
    const refused = failure.safeParse(body);
    const words = refused.success ? (refused.data.error.message ?? refused.data.error.code ?? '') : '';
    if (response.status >= 400 && response.status < 500 && response.status !== 409 && response.status !== 429) {
      const declined = response.status === 402 && refused.success && refused.data.error.type === 'card_error';
      throw new BursarError('PAYMENT_REJECTED', `Stripe refused: ${words.slice(0, 200) || `HTTP ${response.status}`}`, { context: { code: refused.success ? (refused.data.error.code ?? '') : '', ...(declined && { declined: 'yes' }) } });
    }
    throw unreachable(`answered HTTP ${response.status}`);
  }

  return {
    retrieve: (handle, signal) => ask(handle, undefined, signal),
    confirm: (handle, { paymentMethod, key }, signal) =>
      ask(handle, { path: '/confirm', form: new URLSearchParams({ client_secret: handle.clientSecret, payment_method: paymentMethod }), key }, signal),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
