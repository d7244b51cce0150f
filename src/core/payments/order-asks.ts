import type { OrderFacts } from '../challenges/dialect.ts';
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
