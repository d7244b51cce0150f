import type { OrderFacts } from '../challenges/dialect.ts';
import { isAbove, type PresenceRule } from '../policy/presence.ts';
import { NO_PRICES, usdOf } from '../policy/units.ts';
import type { Prices } from '../ports.ts';
import type { Choice } from './choose-offer.ts';
import type { Payment } from './payment.ts';

/** So long an agent that sends the very same again is asked about: it may only have lost the answer. */
export const REPEAT_ASKS_MS = 15 * 60_000;

/** Why an order is not carried out without asking, whatever the rules say. `earlier` is the newest signed payment of the very same order. */
export function orderMustAsk({ warnings }: OrderFacts, earlier: Payment | undefined, now: number): string {
  const [warning] = warnings;
  if (warning !== undefined) return `Asks because ${warning}`;
  if (!earlier || earlier.money === 'dead') return '';
  if (earlier.service !== 'delivered') return 'Asks because the very same was sent before, and nobody was told';
  return now - earlier.updatedAt < REPEAT_ASKS_MS ? `Asks because the very same was sent less than ${REPEAT_ASKS_MS / 60_000} minutes ago` : '';
}

/**
 * Why what the owner orders is asked about: above their limit it takes proof that they are there, and that is given where one approves. Whoever
 * drives their dashboard could order it too, to a payee that counts as known because the owner named it.
 */
export function ownersOrderAsks(order: OrderFacts | undefined, { asset, terms }: Pick<Choice, 'asset' | 'terms'>, { presence, prices = NO_PRICES }: { readonly presence?: () => PresenceRule; readonly prices?: Prices }): string {
  if (order?.byOwner !== true || !presence) return '';
  return isAbove(presence(), usdOf(asset, terms.amount, prices)) ? 'Asks because it is more than you send without proving that you are there' : '';
}
