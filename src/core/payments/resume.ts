import { BursarError } from '../../shared/errors/errors.ts';
import { ORDER } from '../challenges/order.ts';
import { requireDialect } from '../challenges/registry.ts';
import type { Clock, Journal, JournalTransaction } from '../ports.ts';
import { assessSigned, type AssessPorts } from './assess-intent.ts';
import type { Outcome, PaidCall } from './call.ts';
import { KEPT_FOR_MS } from './kept-answers.ts';
import type { Payment } from './payment.ts';
import { reasonOf, refusal } from './refusal.ts';
import type { Release } from './release.ts';
import { RESEND_MARGIN_MS } from './undelivered.ts';

export interface ResumePorts extends AssessPorts {
  readonly journal: Journal;
  readonly release: Release;
  readonly clock: Clock;
  /** Called after every change of the journal. */
  readonly changed: () => void;
}

/**
 * Continues an earlier signed payment of the same call; undefined where the call is a new purchase (design, "Dedupe"). Throws
 * `PAYMENT_OUTCOME_UNKNOWN` where neither may be (I10).
 */
export type Resume = (call: PaidCall, earlier: Payment) => Promise<Outcome | undefined>;

export function createResume(ports: ResumePorts): Resume {
  const { journal, policies, release, clock, changed } = ports;

  /** What was signed is sent on, unless its owner would not have it signed by now. It then stays as it is, and the same call goes on once they agree. */
  async function sendAgain(call: PaidCall, earlier: Payment): Promise<Outcome> {
    const refused = journal.atomically((tx) => {
      const error = heldBack(tx, earlier);
      if (error && earlier.reason.text !== reasonOf(error).text) tx.change(earlier.id, { reason: reasonOf(error) }, { kind: 'held-back', detail: error.message });
      return error;
    });
    if (!refused) return release.send(call, earlier);
    changed();
    return refusal(call, refused, earlier.id);
  }

  /** Why a signed payment is not sent on. A rule or limit has no say over money that moved: only the answer is missing then. */
  function heldBack(tx: JournalTransaction, earlier: Payment): BursarError | undefined {
    if (policies.current().policy.paused) return new BursarError('PAYMENTS_PAUSED', 'The owner has paused all payments. What was signed is not sent on until they go on.');
    if (earlier.money === 'settled') return undefined;
    const assessed = assessSigned(tx, earlier, ports);
    if (!assessed) return new BursarError('POLICY_DENIED', 'The policy changed since the payment was signed. It no longer knows the token.');
    return assessed.verdict === 'deny' ? new BursarError(assessed.code || 'POLICY_DENIED', `The policy changed since the payment was signed. ${assessed.rule}.`) : undefined;
  }

  return async (call, earlier) => {
    if (earlier.service === 'delivered' || !earlier.proofText) return undefined;
    if (earlier.answerText) return release.handOver(earlier, earlier.answerText);
    if (earlier.money === 'dead' || (earlier.money === 'settled' && earlier.service === 'refused')) return undefined;
    // After so long the same words are likely a new order; the owner is asked, for nobody was told of the old one.
    if (earlier.dialect === ORDER && earlier.money === 'settled' && clock.now() - earlier.updatedAt > KEPT_FOR_MS) return undefined;
    // Money that moves before the retry: whatever became of it, the same signature goes on.
    if (earlier.terms?.flow !== 'authorize' && earlier.service === 'lost') return sendAgain(call, earlier);
    if (requireDialect(earlier.dialect).resendable && clock.now() < (earlier.outstandingUntil ?? 0) - RESEND_MARGIN_MS) return sendAgain(call, earlier);
    if (earlier.money === 'settled') return undefined;
    throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', 'An earlier payment for the same call is not settled yet.', { context: { payment: earlier.id } });
  };
}
