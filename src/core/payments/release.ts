import { BursarError, isBursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import type { Reading, ServerAnswer } from '../challenges/answer.ts';
import type { PaidAnswer } from '../challenges/dialect.ts';
import { requireDialect } from '../challenges/registry.ts';
import { failpoint } from '../failpoint.ts';
import { member, stringifyJson } from '../json/json.ts';
import type { Clock, Journal, Log, Rail, Signatures } from '../ports.ts';
import type { Outcome, PaidCall } from './call.ts';
import type { OutputSchemas } from './output-schemas.ts';
import type { Change, Payment } from './payment.ts';
import { prepay } from './prepay.ts';
import { retryOfProof } from './proof-text.ts';
import { readingOf } from './reading.ts';
import type { Reconciler } from './reconcile.ts';
import { reasonOf, refusal } from './refusal.ts';
import { checkSignedReceipt } from './signed-terms.ts';
import { asksForMore, failure, isEmpty, RESEND_MARGIN_MS } from './undelivered.ts';

/** How long a server may take to answer a paid call before its outcome counts as unknown. */
const ANSWER_LIMIT_MS = 120_000;

export interface ReleasePorts {
  readonly rails: readonly Rail[];
  readonly journal: Journal;
  readonly reconciler: Reconciler;
  readonly signatures: Signatures;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after every change of the journal. */
  readonly changed: () => void;
  /** What tools declare about their answers; without it, answers are not held against that. */
  readonly schemas?: Pick<OutputSchemas, 'problem'>;
}

/** The part of the road after the signature: journal → retry → answer. From here on the chain decides about the money. */
export interface Release {
  /** Sends a call with the proof that its row holds. The row must be durable (I4). */
  send(call: PaidCall, payment: Payment): Promise<Outcome>;
  /** Hands over an answer that is kept in the row until it reached a client that still waits for it. */
  handOver(payment: Payment, responseText: string): Outcome;
}

interface Read {
  readonly responseText: string;
  readonly answer: PaidAnswer;
  /** False for an error, another challenge, a result without any content, and one that is not what its tool declares. */
  readonly delivers: boolean;
  /** Why it is not what its tool declares. */
  readonly misfit?: string;
  /** It asks for money under other terms than were paid. */
  readonly asksForMore: boolean;
}

export function createRelease({ journal, rails, reconciler, signatures, clock, log, changed, schemas }: ReleasePorts): Release {
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
      if (payment.terms?.flow !== 'authorize') await prepay({ rails, reconciler }, payment, limit.signal);
      const answer = await call.retry(retryOfProof(payment.proofText), limit.signal);
      if (__FAILPOINTS__) failpoint('answer-read');
      const first = await read(payment, answer);
      await noteEvidence(payment, first.answer);
      if (first.delivers) return record(call, payment, first);
      return record(call, payment, (await secondTry(call, payment, first.answer, limit.signal)) ?? first);
    } catch (error) {
      log.warn('no answer to a paid call', { payment: payment.id, code: toErrorInfo(error).code });
      if (isBursarError(error, 'SETTLEMENT_FAILED') || isBursarError(error, 'PAYMENT_OUTCOME_UNKNOWN')) return unpaid(call, payment, error);
      const unknown = new BursarError('PAYMENT_OUTCOME_UNKNOWN', `The paid call got no answer. ${toErrorInfo(error).message}`, { cause: error });
      change(payment, { service: 'lost', reason: reasonOf(unknown) }, 'unanswered');
      return refusal(call, unknown, payment.id);
    } finally {
      cancelLimit();
      reconciler.watch(payment.id);
    }
  }

  /** The money did not move before the retry, or not for certain: the server was not asked again. The next identical call goes on from here. */
  function unpaid(call: PaidCall, payment: Payment, error: BursarError): Outcome {
    const dead = error.code === 'SETTLEMENT_FAILED';
    change(payment, { service: dead ? 'refused' : 'lost', reason: reasonOf(error) }, dead ? 'failed' : 'unconfirmed');
    return refusal(call, error, payment.id);
  }

  async function read(payment: Payment, given: ServerAnswer): Promise<Read> {
    const responseText = given.text;
    const reading = strictly(given);
    // What is no message of ours to judge (a repeated key, deep nesting) was bought all the same, and passes as it came (I8).
    if (!reading) return { responseText, answer: { kind: 'served' }, delivers: true, asksForMore: false };
    const answer = requireDialect(payment.dialect).readAnswer(reading, payment);
    const result = member(reading.rpc, 'result');
    const holdsSomething = answer.kind === 'served' && !isEmpty(result);
    const misfit = holdsSomething ? await schemas?.problem(payment, result) : undefined;
    return {
      responseText,
      answer,
      delivers: holdsSomething && misfit === undefined,
      asksForMore: answer.kind === 'refused' && !!payment.terms && asksForMore(reading, payment.terms),
      ...(misfit !== undefined && { misfit }),
    };
  }

  /** A receipt that the server signed is checked while its key may still be known; the receipt itself is kept either way. */
  async function noteEvidence(payment: Payment, { receipt }: PaidAnswer): Promise<void> {
    const note = receipt && payment.terms && (await checkSignedReceipt(signatures, receipt, payment.terms));
    if (note !== undefined) journal.atomically((tx) => tx.change(payment.id, {}, { kind: 'evidence', detail: note }));
  }

  /** A server that took the money and did not deliver gets the same proof once more. Undefined where that is not to be, or did not help. */
  async function secondTry(call: PaidCall, payment: Payment, first: PaidAnswer, signal: AbortSignal): Promise<Read | undefined> {
    if (!requireDialect(payment.dialect).resendable || clock.now() >= (payment.outstandingUntil ?? 0) - RESEND_MARGIN_MS) return undefined;
    const settled = first.receipt?.success === true || (await reconciler.look(payment.id))?.money === 'settled';
    if (!settled) return undefined;
    change(payment, {}, 'resent');
    try {
      const second = await read(payment, await call.retry(retryOfProof(payment.proofText), signal));
      return second.delivers ? second : undefined;
    } catch (error) {
      log.warn('a paid call that was sent again got no answer', { payment: payment.id, code: toErrorInfo(error).code });
      return undefined;
    }
  }

  function record(call: PaidCall, payment: Payment, { responseText, answer, delivers, misfit, asksForMore: more }: Read): Outcome {
    const receipt = receiptColumns(answer);
    if (delivers) {
      const answered = change(payment, { ...receipt, answerText: responseText }, 'answered');
      if (__FAILPOINTS__) failpoint('answer-journaled');
      return handOver(answered, responseText);
    }

    // Nothing is kept: the next identical call tries again with the same proof while that may help.
    const settled = journal.get(payment.id)?.money === 'settled';
    const refuse = (error: BursarError, kind: string) => change(payment, { ...receipt, service: 'refused', reason: reasonOf(error) }, kind);
    // What the server says of its failure, and what it gave in place of what was bought, passes as it came (I8).
    const passed: Outcome = { kind: 'answer', responseText, paymentId: payment.id, delivered: () => {} };
    if (answer.kind === 'failed') {
      refuse(failure(`The server failed after it was given the payment: ${answer.message || 'it says no more'}`, settled, 'TOOL_FAILED'), 'failed');
      return passed;
    }
    if (misfit !== undefined) {
      refuse(failure(`The server was given the payment, and its answer does not fit the output schema that it declares for this tool: ${misfit}.`, settled, 'TOOL_FAILED'), 'misfit');
      return passed;
    }
    const error = refusedError(answer, { settled, more });
    refuse(error, answer.kind === 'served' ? 'empty' : 'refused');
    return refusal(call, error, payment.id);
  }

  function handOver(payment: Payment, responseText: string): Outcome {
    let delivered = false;
    return {
      kind: 'answer',
      responseText,
      paymentId: payment.id,
      delivered(written) {
        // Several identical calls may share this answer, also through another hand-over: one client that got it is enough.
        if (delivered || (!written && journal.get(payment.id)?.service === 'delivered')) return;
        delivered = written;
        if (__FAILPOINTS__ && written) failpoint('answer-written');
        if (written) change(payment, { service: 'delivered', answerText: '', ...deliveredReason(journal.get(payment.id)) }, 'delivered');
        else change(payment, { service: 'lost', reason: { code: 'PAYMENT_PENDING', text: 'The client had gone; its next identical call gets the answer.' } }, 'lost');
      },
    };
  }

  return { send, handOver };
}

/** Why an answer that asks for money again, or holds nothing, is none. */
function refusedError(answer: Exclude<PaidAnswer, { kind: 'failed' }>, { settled, more }: { settled: boolean; more: boolean }): BursarError {
  if (answer.kind === 'served') return failure('The server was given the payment, and its answer is empty.', settled);
  const words = answer.message.replace(/\.+$/, '') || 'it asks for money again';
  if (more) return failure(`The server was given the payment and asks for money again, under other terms: ${words}.`, settled, 'SECOND_CHALLENGE');
  return answer.settlementFailed
    ? failure(`The server could not settle the payment: ${words}.`, settled, 'SETTLEMENT_FAILED')
    : failure(`The server did not accept the payment: ${words}.`, settled);
}

/** The answer as dialects read it; undefined where a strict reader refuses its text. */
function strictly(answer: ServerAnswer): Reading | undefined {
  try {
    return readingOf(answer);
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}

/** Clears what was said while the answer was on its way, but not what the chain said. */
const deliveredReason = (row: Payment | undefined): Change => (row?.money === 'dead' ? {} : { reason: { code: '', text: '' } });

/** A receipt is evidence, and its transaction a claim until the chain shows one. */
function receiptColumns({ receipt }: PaidAnswer): Change {
  return receipt ? { receiptText: stringifyJson(receipt.source) } : {};
}
