import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { StripeSecret } from '../../shared/contract/accounts.ts';
import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Observation, Rail, Track } from '../../core/ports.ts';
import { readTrack } from '../adapters/chain/track.ts';
import type { IntentHandle, PaymentIntent, StripeApi } from '../adapters/stripe/stripe-api.ts';
import { requireFacts, requireSameTerms } from './offer-terms.ts';

export const STRIPE_API = 'https://api.stripe.com';
/** Stripe lets an uncaptured hold go after seven days. Shown to the owner only. */
const HOLD_MS = 7 * 24 * 60 * 60_000;
const LOOK_EVERY_MS = 500;
const INTENT_ID = /^pi_[A-Za-z0-9_]{1,250}$/;
const PUBLISHABLE_KEY = /^pk_(test|live)_[A-Za-z0-9]{4,250}$/;

export interface StripeCardPorts {
  readonly keys: Keys;
  readonly stripe: StripeApi;
  /** Where accounts that name no address of their own are charged; Stripe itself by default. */
  readonly apiUrl?: string;
}

const shape = z.object({
  kind: z.literal('stripe-card'),
  account: z.string().min(1),
  paymentIntent: z.string().regex(INTENT_ID),
  clientSecret: z.string().min(1),
  publishableKey: z.string().regex(PUBLISHABLE_KEY),
  apiUrl: z.url({ protocol: /^https?$/ }),
});

/**
 * MPX `stripe-card` (wire-formats section 5): the seller made a PaymentIntent; the owner's payment method confirms it, which blocks the
 * amount on the card until the seller takes it or lets it go. What Stripe says of the intent is compared with the terms before that, and
 * again after. The track holds no secret of the owner; the key that reads the intent is the seller's public one.
 */
export function createStripeCard({ keys, stripe, apiUrl = STRIPE_API }: StripeCardPorts): Rail {
  const secretOf = (accountId: string): Promise<StripeSecret> => keys.use(accountId, (bytes) => StripeSecret.parse(JSON.parse(new TextDecoder().decode(bytes))));

  const look = async (terms: Terms, track: Track, signal: AbortSignal): Promise<Observation> => {
    try {
      const handle = handleOf(track);
      return observationOf(await stripe.retrieve(handle, signal), terms);
    } catch (error) {
      return { state: 'unreachable', why: toErrorInfo(error).message };
    }
  };

  return {
    id: 'stripe-card',
    scheme: 'stripe-card',
    namespace: 'stripe',
    flow: 'hold',
    funds: 'none',

    check(offer) {
      intentOf(offer);
      if (offer.payee === '' || offer.payee.length > 256) throw new BursarError('PAYEE_INVALID', 'It does not say who is to be paid.');
      return { payee: offer.payee };
    },

    async sign({ terms, offer, asset, account, now, signal }) {
      requireSameTerms(terms, { offer, payee: offer.payee, asset, account });
      const { id, clientSecret, publishableKey } = intentOf(offer);
      const secret = await secretOf(account.id);
      const handle = { id, clientSecret, publishableKey: publishableKey ?? secret.publishableKey, apiUrl: secret.apiUrl ?? apiUrl };
      if (modeOf(handle.publishableKey) !== modeOf(secret.publishableKey)) throw new BursarError('FLOW_UNSUPPORTED', 'The seller’s Stripe key is of another mode (test or live) than the owner’s card.');
      const found = await stripe.retrieve(handle, signal);
      requireIntent(found, terms);
      if (found.status === 'canceled' || found.status === 'succeeded') throw new BursarError('CHALLENGE_MALFORMED', 'The seller’s payment request at Stripe has ended already.');
      return {
        payloadText: JSON.stringify({ paymentIntentId: id }),
        track: { kind: 'stripe-card', account: account.id, paymentIntent: id, clientSecret, publishableKey: handle.publishableKey, apiUrl: handle.apiUrl },
        outstandingUntil: now + HOLD_MS,
      };
    },

    observe: look,

    async submit(terms, track, signal) {
      try {
        // First what a run before a crash may have done.
        const found = await stripe.retrieve(handleOf(track), signal);
        if (!mayConfirm(found)) return await untilDecided(terms, track, signal);
        requireIntent(found, terms);
        const { paymentMethod } = await secretOf(readTrack(shape, track).account);
        const confirmed = await stripe.confirm(handleOf(track), paymentMethod, signal);
        requireIntent(confirmed, terms);
        return confirmed.status === 'processing' ? await untilDecided(terms, track, signal) : observationOf(confirmed, terms, true);
      } catch (error) {
        if (isBursarError(error, 'PROOF_MISMATCH')) return { state: 'open', why: error.message };
        if (!isBursarError(error, 'PAYMENT_REJECTED')) return { state: 'unreachable', why: toErrorInfo(error).message };
        const found = await stripe.retrieve(handleOf(track), signal).catch(() => undefined);
        if (!found) return { state: 'unreachable', why: error.message };
        // Nothing is held, and nobody but us would confirm it with this card.
        return mayConfirm(found) ? { state: 'dead', why: error.message } : observationOf(found, terms);
      }
    },
  };

  /** A confirmation that Stripe still works on. */
  async function untilDecided(terms: Terms, track: Track, signal: AbortSignal): Promise<Observation> {
    for (;;) {
      const found = await stripe.retrieve(handleOf(track), signal);
      if (found.status !== 'processing' || signal.aborted) return observationOf(found, terms, true);
      await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

const mayConfirm = ({ status }: PaymentIntent): boolean => status === 'requires_payment_method' || status === 'requires_confirmation';

/** I2: what will be blocked on the card is what was approved. Throws `PROOF_MISMATCH`. */
function requireIntent(found: PaymentIntent, terms: Terms): void {
  requireFacts({ amount: found.amount === terms.amount, currency: found.currency.toLowerCase() === terms.asset, 'capture method': found.capture_method === 'manual' });
}

/** A card's columns: held is outstanding, captured is settled, voided is dead. `tried`: we asked Stripe to confirm it. */
function observationOf(found: PaymentIntent, terms: Terms, tried = false): Observation {
  const words = found.last_payment_error?.message ?? found.last_payment_error?.code ?? '';
  switch (found.status) {
    case 'succeeded':
      return { state: 'settled', transaction: found.id, final: true };
    case 'canceled':
      return { state: 'dead', why: 'The amount on the card was let go.' };
    case 'requires_capture':
      return found.amount === terms.amount ? { state: 'open', why: 'The amount is held on the card.', held: true } : { state: 'open', why: 'Another amount than the approved one is held on the card.' };
    case 'requires_action':
      return { state: 'open', why: 'The bank wants its customer to confirm the payment, which is not possible here. Nothing is held.' };
    case 'requires_payment_method':
    case 'requires_confirmation':
      if (tried && words) return { state: 'dead', why: `The card was declined: ${words.slice(0, 200)}` };
      return { state: 'open', why: 'The amount is not held on the card yet.' };
    case 'processing':
      return { state: 'open', why: 'Stripe is working on it.' };
  }
}

function intentOf(offer: Offer): { readonly id: string; readonly clientSecret: string; readonly publishableKey?: string } {
  const text = (name: string) => {
    const value = offer.extra.get(name);
    return typeof value === 'string' ? value : '';
  };
  const id = text('paymentIntentId');
  const clientSecret = text('clientSecret');
  const publishableKey = text('publishableKey');
  if (!INTENT_ID.test(id) || !clientSecret.startsWith(`${id}_secret_`) || clientSecret.length > 500) throw new BursarError('CHALLENGE_MALFORMED', 'The offer names no PaymentIntent of Stripe with its client secret.');
  const method = offer.extra.get('captureMethod');
  if (method !== undefined && method !== 'manual') throw new BursarError('FLOW_UNSUPPORTED', 'It would take the money from the card before it delivers (capture method other than "manual").');
  if (publishableKey !== '' && !PUBLISHABLE_KEY.test(publishableKey)) throw new BursarError('CHALLENGE_MALFORMED', 'The offer’s publishable key is none of Stripe’s.');
  return { id, clientSecret, ...(publishableKey !== '' && { publishableKey }) };
}

const handleOf = (track: Track): IntentHandle => {
  const { paymentIntent, ...rest } = readTrack(shape, track);
  return { id: paymentIntent, clientSecret: rest.clientSecret, publishableKey: rest.publishableKey, apiUrl: rest.apiUrl };
};

const modeOf = (publishableKey: string): string => publishableKey.slice(0, 'pk_live'.length);

