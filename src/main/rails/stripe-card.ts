import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { StripeSecret } from '../../shared/contract/accounts.ts';
import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Offer } from '../../core/challenges/dialect.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { Keys, Observation, Rail, Track } from '../../core/ports.ts';
import { readTrack } from '../adapters/chain/track.ts';
import type { IntentHandle, PaymentIntent, StripeApi } from '../adapters/stripe/stripe-api.ts';
import { requireSameTerms } from './offer-terms.ts';
import { requireIntent } from './stripe-intent.ts';

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
  /** Names the one confirmation that this payment sends; rows of earlier versions have none, and what they sent stays unknown. */
  confirmation: z.uuid().optional(),
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
        track: { kind: 'stripe-card', account: account.id, paymentIntent: id, clientSecret, publishableKey: handle.publishableKey, apiUrl: handle.apiUrl, confirmation: randomUUID() },
        outstandingUntil: now + HOLD_MS,
      };
    },

    observe: look,

    async submit(terms, track, signal) {
      try {
        // First what a run before a crash may have done.
        const found = await untilDecided(track, signal);
        if (!mayConfirm(found)) return observationOf(found, terms);
        requireIntent(found, terms);
        const { account, confirmation } = readTrack(shape, track);
        const { paymentMethod } = await secretOf(account);
        const refusal = await confirm(track, { paymentMethod, key: confirmation ?? `bursar-${found.id}` }, signal);
        const after = await untilDecided(track, signal);
        if (!mayConfirm(after)) {
          requireIntent(after, terms);
          return observationOf(after, terms);
        }
        const words = refusal || (after.last_payment_error?.message ?? after.last_payment_error?.code ?? '');
        // Stripe has answered the only request that there is for this payment, and nothing is held: with its key it never runs again.
        if (confirmation !== undefined && words) return { state: 'dead', why: `The card was declined: ${words.slice(0, 200)}` };
        return observationOf(after, terms);
      } catch (error) {
        return { state: isBursarError(error, 'PROOF_MISMATCH') || isBursarError(error, 'PAYMENT_REJECTED') ? 'open' : 'unreachable', why: toErrorInfo(error).message };
      }
    },
  };

  /** Sends the payment's confirmation. Gives Stripe's words where that very request ended in a decline. */
  async function confirm(track: Track, request: { readonly paymentMethod: string; readonly key: string }, signal: AbortSignal): Promise<string> {
    try {
      await stripe.confirm(handleOf(track), request, signal);
      return '';
    } catch (error) {
      if (isBursarError(error, 'PAYMENT_REJECTED') && error.context['declined'] === 'yes') return error.message;
      throw error;
    }
  }

  /** The intent, once Stripe no longer works on a confirmation of it. */
  async function untilDecided(track: Track, signal: AbortSignal): Promise<PaymentIntent> {
    for (;;) {
      const found = await stripe.retrieve(handleOf(track), signal);
      if (found.status !== 'processing' || signal.aborted) return found;
      await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

const mayConfirm = ({ status }: PaymentIntent): boolean => status === 'requires_payment_method' || status === 'requires_confirmation';

/** A card's columns: held is outstanding, captured is settled, voided is dead. A decline is told by the answer to a confirmation alone. */
function observationOf(found: PaymentIntent, terms: Terms): Observation {
  switch (found.status) {
    case 'succeeded':
      return { state: 'settled', transaction: found.id, final: true };
    case 'canceled':
      return { state: 'dead', why: 'The amount on the card was let go.' };
    case 'requires_capture':
      return found.amount === terms.amount ? { state: 'open', why: 'The amount is held on the card.', held: true } : { state: 'open', why: 'Another amount than the approved one is held on the card.' };
    case 'requires_action':
      return { state: 'open', why: `The bank wants its customer to confirm the payment, which is not possible here. Nothing is held. It ends once the seller cancels the PaymentIntent ${found.id}.` };
    case 'requires_payment_method':
    case 'requires_confirmation':
      return { state: 'open', why: 'The amount is not held on the card.' };
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

