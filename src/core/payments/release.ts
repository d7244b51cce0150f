import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { PaidAnswer } from '../challenges/dialect.ts';
import { requireDialect } from '../challenges/registry.ts';
import { failpoint } from '../failpoint.ts';
import { isObject, parseJson, stringifyJson, type JsonObject } from '../json/json.ts';
import type { Clock, Journal, Log } from '../ports.ts';
import type { Outcome, PaidCall } from './call.ts';
import type { Change, Payment } from './payment.ts';
import type { Reconciler } from './reconcile.ts';
import { reasonOf, refusal } from './refusal.ts';

/** How long a server may take to answer a paid call before its outcome counts as unknown. */
const ANSWER_LIMIT_MS = 120_000;

export interface ReleasePorts {
  readonly journal: Journal;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every change of the journal. */
  readonly changed: () => void;
}

/** The part of the road after the signature: journal → retry → answer. From here on the chain decides about the money. */
export interface Release {
  /** Sends a call with the proof that its row holds. The row must be durable (I4). */
  send(call: PaidCall, payment: Payment): Promise<Outcome>;
  /** Hands over an answer that is kept in the row until it reached a client that still waits for it. */
  handOver(payment: Payment, responseText: string): Outcome;
}

export function createRelease({ journal, reconciler, clock, log, changed }: ReleasePorts): Release {
  const change = (payment: Payment, columns: Change, kind: string): Payment => {
    const row = journal.atomically((tx) => tx.change(payment.id, columns, { kind, detail: columns.reason?.text ?? '' }));
    changed();
    return row;
  };

  async function send(call: PaidCall, payment: Payment): Promise<Outcome> {
    if (__FAILPOINTS__) failpoint('journal-committed');
    const limit = new AbortController();
    const cancelLimit = clock.after(ANSWER_LIMIT_MS, () => limit.abort());
    try {
      const responseText = await call.retry(proofMembers(payment), limit.signal);
      if (__FAILPOINTS__) failpoint('answer-read');
      return record(call, payment, responseText);
    } catch (error) {
      log.warn('no answer to a paid call', { payment: payment.id, code: toErrorInfo(error).code });
      const unknown = new BursarError('PAYMENT_OUTCOME_UNKNOWN', `The paid call got no answer. ${toErrorInfo(error).message}`, { cause: error });
      change(payment, { service: 'lost', reason: reasonOf(unknown) }, 'unanswered');
      return refusal(call, unknown, payment.id);
    } finally {
      cancelLimit();
      reconciler.watch(payment.id);
    }
  }

  function record(call: PaidCall, payment: Payment, responseText: string): Outcome {
    const response = parseJson(responseText);
    if (!isObject(response)) throw new BursarError('MESSAGE_MALFORMED', 'The answer is not a JSON-RPC response.');
    const answer = requireDialect(payment.dialect).readAnswer(response);
    const receipt = receiptColumns(answer);
    if (answer.kind === 'served') {
      const answered = change(payment, { ...receipt, answerText: responseText }, 'answered');
      if (__FAILPOINTS__) failpoint('answer-journaled');
      return handOver(answered, responseText);
    }

    if (answer.kind === 'failed') {
      // The server's own error is what the agent needs. Nothing is kept: the next identical call tries again with the same proof.
      const failed = new BursarError('PAYMENT_REJECTED', `The server failed after it was given the payment: ${answer.message || 'it says no more'}`);
      change(payment, { ...receipt, service: 'refused', reason: reasonOf(failed) }, 'failed');
      return { kind: 'answer', responseText, delivered: () => {} };
    }
    const words = answer.message || 'it asks for money again';
    const refused = answer.settlementFailed
      ? new BursarError('SETTLEMENT_FAILED', `The server could not settle the payment: ${words}.`)
      : new BursarError('PAYMENT_REJECTED', `The server did not accept the payment: ${words}.`);
    change(payment, { ...receipt, service: 'refused', reason: reasonOf(refused) }, 'refused');
    return refusal(call, refused, payment.id);
  }

  function handOver(payment: Payment, responseText: string): Outcome {
    let delivered = false;
    return {
      kind: 'answer',
      responseText,
      delivered(written) {
        // Several identical calls may share this answer: one client that got it is enough.
        if (delivered) return;
        delivered = written;
        if (__FAILPOINTS__ && written) failpoint('answer-written');
        if (written) change(payment, { service: 'delivered', answerText: '', ...deliveredReason(journal.get(payment.id)) }, 'delivered');
        else change(payment, { service: 'lost', reason: { code: 'PAYMENT_PENDING', text: 'The client had gone; its next identical call gets the answer.' } }, 'lost');
      },
    };
  }

  return { send, handOver };
}

/** Clears what was said while the answer was on its way, but not what the chain said. */
const deliveredReason = (row: Payment | undefined): Change => (row?.money === 'dead' ? {} : { reason: { code: '', text: '' } });

/** The `_meta` members that carry the proof, as raw JSON by key. */
function proofMembers(payment: Payment): Record<string, string> {
  const members = parseJson(payment.proofText) as JsonObject;
  return Object.fromEntries([...members].map(([key, value]) => [key, stringifyJson(value)]));
}

/** A receipt is evidence, and its transaction a claim until the chain shows one. */
function receiptColumns({ receipt }: PaidAnswer): Change {
  return receipt ? { receiptText: stringifyJson(receipt.source) } : {};
}
