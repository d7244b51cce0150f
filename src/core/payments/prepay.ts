import { BursarError } from '../../shared/errors/errors.ts';
import { failpoint } from '../failpoint.ts';
import type { Rail } from '../ports.ts';
import type { Payment } from './payment.ts';
import { railOf } from './rail-of.ts';
import type { Reconciler } from './reconcile.ts';

export interface PrepayPorts {
  readonly rails: readonly Rail[];
  readonly reconciler: Reconciler;
}

/**
 * Moves the money of a payment whose rail does so before the retry (flows `prepay` and `hold`), by what its row holds: a second call goes on
 * with the same signature, whatever became of the first (I1, I10). Throws `SETTLEMENT_FAILED` where the money did not move and no longer
 * can, and `PAYMENT_OUTCOME_UNKNOWN` where that is not certain.
 */
export async function prepay({ rails, reconciler }: PrepayPorts, { id, terms, track }: Payment, signal: AbortSignal): Promise<void> {
  const rail = terms && railOf(rails, terms);
  if (!rail?.submit || !terms || !track) return;
  const seen = await rail.submit(terms, track, signal);
  if (__FAILPOINTS__) failpoint('payment-submitted');
  reconciler.seen(id, seen);
  if (seen.state === 'settled' || (seen.state === 'open' && seen.held)) return;
  if (seen.state === 'dead') throw new BursarError('SETTLEMENT_FAILED', `The payment did not go through: ${seen.why} Nothing was paid.`, { hint: 'The call may be repeated.' });
  throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', `The payment was sent and is not confirmed yet. ${seen.why}`.trim());
}
