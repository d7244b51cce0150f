import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { formatUnits } from '../../shared/money/money.ts';
import type { Cancel, CancelCost, Journal, Keys, Rail } from '../ports.ts';
import type { Payment } from './payment.ts';
import { railOf } from './rail-of.ts';
import type { Reconciler } from './reconcile.ts';
import type { Terms } from './terms.ts';

export interface CancellationPorts {
  readonly journal: Journal;
  readonly rails: readonly Rail[];
  readonly keys: Keys;
  readonly reconciler: Reconciler;
  readonly changed: () => void;
}

/** The owner's way to end a signed payment before it expires. No agent reaches it (I7). */
export interface Cancellations {
  /** True where a row can be cancelled on its chain. */
  possible(payment: Payment): boolean;
  /** Throws `NOT_FOUND`, `INPUT_INVALID` where it cannot be cancelled, `CHAIN_UNREACHABLE`. */
  cost(paymentId: string, signal: AbortSignal): Promise<CancelCost>;
  /** Sends the cancellation and gives its transaction. The row changes when the chain has it (I5). Throws what `cost` and {@link Cancel.sign} throw. */
  cancel(paymentId: string, maxFee: bigint, signal: AbortSignal): Promise<string>;
}

/** Creates them. One cancellation of a payment runs at a time. */
export function createCancellations({ journal, rails, keys, reconciler, changed }: CancellationPorts): Cancellations {
  const running = new Set<string>();
  const wayFor = (payment: Payment): { terms: Terms; cancel: Cancel } | undefined => {
    const { terms, track, money, service, answerText } = payment;
    // What was delivered is owed, and so is an answer that waits for its client: cancelling that would be taking without paying.
    if (!terms || !track || money !== 'outstanding' || service === 'delivered' || service === 'open' || answerText) return undefined;
    const rail = railOf(rails, terms);
    return rail?.cancel && { terms, cancel: rail.cancel };
  };
  const require = (paymentId: string) => {
    const payment = journal.get(paymentId);
    if (!payment) throw new BursarError('NOT_FOUND', `There is no payment ${paymentId}.`, { context: { payment: paymentId } });
    const way = wayFor(payment);
    if (!way) throw new BursarError('INPUT_INVALID', `Payment ${paymentId} cannot be cancelled: only one that is signed, unanswered and not settled can, on a chain that knows cancellation.`);
    return { ...way, payment };
  };
  const note = (id: string, kind: string, detail: string) => {
    journal.atomically((tx) => tx.change(id, {}, { kind, detail }));
    changed();
  };

  async function send(id: string, maxFee: bigint, signal: AbortSignal): Promise<string> {
    // The chain first: what it shows by now may leave nothing to cancel.
    await reconciler.look(id);
    const { payment, terms, cancel } = require(id);
    const account = keys.accounts().find(({ address }) => address === terms.payer);
    if (!account) throw new BursarError('ACCOUNT_MISSING', `The account ${terms.payer} is not in this wallet (any more).`);
    const { decimals, coin } = await cancel.cost(terms, signal);
    const signed = await cancel.sign({ terms, track: payment.track!, account, maxFee, signal });
    note(id, 'cancelling', `transaction ${signed.transaction}, fee at most ${formatUnits(signed.maxFee, decimals, 2)} ${coin}`);
    try {
      await signed.send(signal);
    } catch (error) {
      note(id, 'cancel-failed', toErrorInfo(error).message);
      throw error;
    } finally {
      reconciler.watch(id);
    }
    return signed.transaction;
  }

  return {
    possible: (payment) => wayFor(payment) !== undefined,
    cost(paymentId, signal) {
      const { terms, cancel } = require(paymentId);
      return cancel.cost(terms, signal);
    },
    async cancel(paymentId, maxFee, signal) {
      if (running.has(paymentId)) throw new BursarError('APPROVAL_STALE', `Payment ${paymentId} is being cancelled already.`);
      running.add(paymentId);
      try {
        return await send(paymentId, maxFee, signal);
      } finally {
        running.delete(paymentId);
      }
    },
  };
}
