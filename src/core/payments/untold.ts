import { BursarError } from '../../shared/errors/errors.ts';
import type { Clock, Journal, JournalTransaction } from '../ports.ts';
import type { Outcome, PaidCall } from './call.ts';
import type { Callers } from './callers.ts';
import type { Change, Payment, PaymentEvent } from './payment.ts';
import { refusal, writtenDown } from './refusal.ts';

/** A refusal older than this is history: the call begins anew instead of hearing of it. */
const TOLD_WITHIN_MS = 60 * 60_000;

/** What an agent that was told to come back has to find when it does: the payment that it was approved, or why there is none. */
export interface Untold {
  /** Notes that an agent was told to come back. */
  sentAway(payment: Payment): void;
  /** Notes the owner's approval and resolves with the call that comes back to use it; undefined when none does in time. */
  collected(payment: Payment, callers: Callers, until: number): Promise<PaidCall | undefined>;
  /** Why an approved payment was never made. */
  uncollected(signal: AbortSignal): BursarError;
  /** The refused payment of which a call that comes back was never told. */
  missed(tx: JournalTransaction, callKey: string): Payment | undefined;
  /** Tells a call what it {@link Untold.missed}, once. */
  tell(call: PaidCall, missed: Payment): Outcome;
}

export function createUntold({ journal, clock, changed }: { journal: Journal; clock: Clock; changed: () => void }): Untold {
  const note = (id: string, columns: Change, event: PaymentEvent) => {
    journal.atomically((tx) => tx.change(id, columns, event));
    changed();
  };

  return {
    sentAway({ id }) {
      const text = 'The agent was told to call again.';
      note(id, { reason: { code: 'PAYMENT_PENDING', text } }, { kind: 'pending', detail: text });
    },

    collected({ id }, callers, until) {
      const text = 'Approved. It is paid when the agent calls again.';
      note(id, { decision: 'approved', reason: { code: 'PAYMENT_PENDING', text } }, { kind: 'approved', detail: text });
      return callers.next(until);
    },

    uncollected: (signal) =>
      signal.reason instanceof BursarError ? signal.reason : new BursarError('APPROVAL_EXPIRED', 'The owner approved it, but the agent did not call again in time.'),

    missed(tx, callKey) {
      const missed = tx.untoldOfCall(callKey);
      return missed && clock.now() - missed.updatedAt <= TOLD_WITHIN_MS ? missed : undefined;
    },

    tell(call, missed) {
      note(missed.id, { service: 'refused' }, { kind: 'told', detail: missed.reason.text });
      return refusal(call, writtenDown(missed), missed.id);
    },
  };
}
