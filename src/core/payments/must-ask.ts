import type { Challenge } from '../challenges/dialect.ts';
import type { Choice } from './choose-offer.ts';
import { orderMustAsk } from './order-asks.ts';
import type { Payment } from './payment.ts';

/** Why this payment may not be made without asking, whatever the rules say. */
export function mustAsk(challenge: Challenge, { offer: { paymentFlow }, rail }: Choice, earlier: Payment | undefined, now: number): string {
  // Nobody takes money and fails to answer an order: it is the sending itself.
  if (challenge.order) return orderMustAsk(challenge.order, earlier, now);
  if (challenge.textOnly) return 'Asks because the price stood in plain text, which a fetched page could have written too';
  if (earlier?.money === 'settled' && earlier.service !== 'delivered') return 'Asks because this call was paid before and got no answer';
  if (paymentFlow !== 'authorization') return `Asks because the server takes the money before it answers, even if it then fails (payment flow "${paymentFlow.slice(0, 40)}")`;
  if (rail.flow !== 'authorize' || rail.settlement === 'client') return 'Asks because the money moves before the server answers';
  return '';
}
