import { BursarError } from '../../shared/errors/errors.ts';
import type { Terms } from '../../core/payments/terms.ts';
import type { PaymentIntent } from '../adapters/stripe/stripe-api.ts';
import { requireFacts } from './offer-terms.ts';

/** Members by which a PaymentIntent does more than hold this amount once; each with what the owner is told. */
const MORE: readonly (readonly [string, (found: PaymentIntent) => boolean, string])[] = [
  ['setup_future_usage', (found) => keepsCard(found.setup_future_usage) || keepsCard(found.payment_method_options), 'It would let the seller keep the card for later payments'],
  ['off_session', ({ off_session }) => isSet(off_session), 'It would be confirmed as a payment without its payer'],
  ['mandate', ({ mandate }) => isSet(mandate), 'It comes with a standing permission to debit'],
  ['customer', ({ customer }) => isSet(customer), 'It belongs to a customer of the seller’s, with whom the card could be kept'],
  ['confirmation_method', ({ confirmation_method: method }) => isSet(method) && method !== 'automatic', 'Only the seller’s server could confirm it'],
  ['amount_details', ({ amount_details }) => hasAmount(amount_details), 'It names amounts besides the approved one, such as a tip'],
];

/**
 * I2: what will be blocked on the card is what was approved, once, and nothing that outlives it. Throws `PROOF_MISMATCH`, with the member
 * of Stripe's answer in `context.field`.
 */
export function requireIntent(found: PaymentIntent, terms: Terms): void {
  requireFacts({ amount: found.amount === terms.amount, currency: found.currency.toLowerCase() === terms.asset, 'capture method': found.capture_method === 'manual' });
  for (const [field, does, what] of MORE) {
    if (does(found)) throw new BursarError('PROOF_MISMATCH', `The seller’s payment request at Stripe is more than a single payment. ${what} (${field}).`, { context: { field } });
  }
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;

/** True for a usage, and for options of payment methods that name one. */
function keepsCard(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isSet(value);
  return Object.entries(value).some(([key, member]) => (key === 'setup_future_usage' ? isSet(member) && member !== 'none' : typeof member === 'object' && keepsCard(member)));
}

/** True where any number in it, however deep, is not zero: Stripe's own answers have `{"tip":{}}`. */
const hasAmount = (value: unknown): boolean => (typeof value === 'object' && value !== null ? Object.values(value).some(hasAmount) : isSet(value) && value !== 0);
