import { toErrorInfo } from '../../shared/errors/errors.ts';
import { failpoint } from '../failpoint.ts';
import type { Clock, Integrity, Journal, JournalTransaction, Log, Observation, Rail } from '../ports.ts';
import type { Change, Payment, Reason } from './payment.ts';
import { railOf } from './rail-of.ts';
import { reasonOf } from './refusal.ts';
import { failure } from './undelivered.ts';

/** Waits between two looks at the chain, the last one for ever after. */
const WAITS_MS = [200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/** How long an answer may wait for the chain's word. */
const LOOK_LIMIT_MS = 3_000;

/** Follows payments on the chain until nothing about their money can change any more (I5, I9). */
export interface Reconciler {
  /** Watches a payment from now on. Watching it twice starts its waits anew. */
  watch(paymentId: string): void;
  /** Looks at the chain now, for as long as an answer may wait for it, and gives the row as it is then. Never throws. */
  look(paymentId: string): Promise<Payment | undefined>;
  /** Writes down what a rail saw of a payment while it submitted it. */
  seen(paymentId: string, observation: Observation): void;
  /**
   * Puts every row that an earlier process left behind into a true state and watches what is open. Call it before any payment, and again
   * whenever rows may be recorded that could not be before: after an unlock, or once the owner accepted a changed ledger.
   */
  recover(): void;
  stop(): void;
}

export interface ReconcilerPorts {
  readonly journal: Journal;
  readonly integrity: Pick<Integrity, 'mayRecord'>;
  readonly rails: readonly Rail[];
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}

/** Creates the reconciler. */
export function createReconciler({ journal, integrity, rails, clock, log, changed }: ReconcilerPorts): Reconciler {
  const watched = new Map<string, () => void>();
  const stopped = new AbortController();
  // What an earlier process left behind; not what this one does while the wallet is still locked.
  let leftBehind: readonly string[] | undefined;

  const schedule = (id: string, turn: number) => {
    const cancel = clock.after(WAITS_MS[Math.min(turn, WAITS_MS.length - 1)]!, () => void follow(id, turn, cancel));
    watched.set(id, cancel);
  };

  async function follow(id: string, turn: number, mine: () => void): Promise<void> {
    const resting = await observe(id, stopped.signal);
    // Watched anew meanwhile: that one goes on, and there is never a second.
    if (watched.get(id) !== mine) return;
    if (resting) watched.delete(id);
    else if (!stopped.signal.aborted) schedule(id, turn + 1);
  }

  /** Writes down what the chain shows of a payment. True where there is nothing (more) to see. */
  async function observe(id: string, signal: AbortSignal): Promise<boolean> {
    try {
      const payment = journal.get(id);
      if (!payment || atRest(payment)) return true;
      const rail = payment.terms && railOf(rails, payment.terms);
      if (!rail || !payment.terms || !payment.track) return true;
      const observation = await rail.observe(payment.terms, payment.track, signal);
      if (signal.aborted) return false;
      if (observation.state === 'unreachable') log.warn('chain unreachable', { payment: id, why: observation.why });
      if (__FAILPOINTS__ && observation.state !== 'unreachable') failpoint('chain-read');
      record(id, observation);
    } catch (error) {
      log.error('looking at the chain failed', { payment: id, error: toErrorInfo(error).message });
    }
    return false;
  }

  function record(id: string, observation: Observation): void {
    if (!integrity.mayRecord()) return;
    const moved = journal.atomically((tx) => {
      let payment = tx.get(id);
      if (observation.state === 'dead' && payment?.money === 'settled' && !payment.final) {
        // Taken back by a reorganisation and expired since we last looked: both steps are told.
        payment = tx.change(id, { money: 'outstanding', transaction: '' }, { kind: 'observed', detail: 'the settlement is gone' });
      }
      const seen = payment && unlessTaken(tx, payment, observation);
      const change = payment && seen && afterObservation(payment, seen, clock.now());
      if (!change) return false;
      tx.change(id, change, { kind: 'observed', detail: describe(seen) }, { release: change.money === 'dead' });
      return true;
    });
    if (moved) changed();
  }

  return {
    watch(id) {
      watched.get(id)?.();
      schedule(id, 0);
    },

    async look(id) {
      const limit = new AbortController();
      const cancelLimit = clock.after(LOOK_LIMIT_MS, () => limit.abort());
      await observe(id, AbortSignal.any([limit.signal, stopped.signal]));
      cancelLimit();
      return journal.get(id);
    },

    seen: record,

    recover() {
      leftBehind ??= journal.unresolved().map(({ id }) => id);
      if (!integrity.mayRecord()) return;
      for (const id of leftBehind) {
        const payment = journal.get(id);
        if (!payment) continue;
        if (__FAILPOINTS__) failpoint('row-recovering');
        const change = afterCrash(payment);
        if (change) {
          journal.atomically((tx) => tx.change(payment.id, change, { kind: 'recovered', detail: change.reason?.text ?? '' }, { release: change.money === 'none' }));
        }
        if (payment.track && !watched.has(id)) schedule(id, 0);
      }
      leftBehind = [];
    },

    stop() {
      stopped.abort();
      for (const cancel of watched.values()) cancel();
      watched.clear();
    },
  };
}

/** True when the chain can no longer change anything about a payment. */
const atRest = ({ money, final }: Payment): boolean => money === 'none' || money === 'dead' || (money === 'settled' && final);

/**
 * What a look shows once each transfer on the chain is counted for one payment alone (I1, I9). One transaction may hold several of ours, as a
 * facilitator that settles many at once makes it; the nonces of their authorizations tell them apart. Development money is on no chain.
 */
function unlessTaken(tx: JournalTransaction, { id, terms, track }: Payment, observation: Observation): Observation {
  if (observation.state !== 'settled' || !terms || terms.network.startsWith('dev:')) return observation;
  const other = tx.settledBy(terms.network, observation.transaction).find((settled) => settled.id !== id && settled.terms?.payer === terms.payer && settled.track?.['nonce'] === track?.['nonce']);
  return other ? { state: 'open', why: `The transaction ${observation.transaction} is the settlement of payment ${other.id} already.` } : observation;
}

/** What a row becomes whose process died. Before the signed proof was journaled nothing left the process, so its budget is free again. */
function afterCrash(payment: Payment): Change | undefined {
  if (payment.money === 'reserved') {
    return {
      decision: 'cancelled',
      money: 'none',
      // An agent that was told to come back has to be told that there is nothing to come back to.
      service: payment.reason.code === 'PAYMENT_PENDING' ? 'lost' : 'refused',
      reason: { code: 'APPROVAL_CANCELLED', text: 'Bursar stopped before anything was signed. Nothing was paid.' },
    };
  }
  if (payment.service !== 'open' || payment.decision !== 'approved') return undefined;
  return {
    service: 'lost',
    reason: { code: 'PAYMENT_OUTCOME_UNKNOWN', text: 'Bursar stopped while this call was being answered. The next identical call continues it.' },
  };
}

/** What the chain's word changes in a row; undefined where nothing. */
function afterObservation(payment: Payment, observation: Observation, now: number): Change | undefined {
  switch (observation.state) {
    case 'settled': {
      if (payment.money !== 'outstanding' && payment.money !== 'settled') return undefined;
      const known = payment.money === 'settled' && payment.transaction === observation.transaction && payment.final === observation.final;
      return known ? undefined : { money: 'settled', transaction: observation.transaction, final: observation.final, ...settledReason(payment) };
    }
    case 'dead':
      return payment.money === 'outstanding' ? { money: 'dead', transaction: '', ...deadReason(payment) } : undefined;
    case 'open':
      // A settlement that the chain no longer shows: a reorganisation took it back, and the authorization may settle again.
      return payment.money === 'settled' && !payment.final ? { money: 'outstanding', transaction: '' } : overdueReason(payment, observation.why, now);
    case 'unreachable':
      return overdueReason(payment, observation.why, now);
  }
}

/** A proof that has expired and still counts is something the owner should read about, and may be able to end: by a second RPC, for example. */
function overdueReason({ money, outstandingUntil = 0, reason }: Payment, why: string, now: number): { reason: Reason } | undefined {
  const text = `Still counted against the budget: ${why}`;
  return money === 'outstanding' && now > outstandingUntil && reason.text !== text ? { reason: { code: reason.code, text } } : undefined;
}

function settledReason({ service, answerText, reason }: Payment): { reason?: Reason } {
  if (service === 'delivered') return { reason: { code: '', text: '' } };
  if (service === 'open' || answerText || reason.code === 'ANSWER_EXPIRED') return {};
  // Why it was refused stays: it is what the owner has against the server.
  if (service === 'refused' && reason.code !== '') return reason.code === 'PAID_NOT_DELIVERED' ? {} : { reason: reasonOf(failure(reason.text, true)) };
  return { reason: { code: 'PAID_NOT_DELIVERED', text: 'The money moved, but the server gave no answer for it.' } };
}

function deadReason({ service, reason }: Payment): { reason: Reason } {
  if (service === 'delivered') return { reason: { code: 'NEVER_COLLECTED', text: 'The server answered but never collected the money. Nothing was charged.' } };
  return { reason: { code: reason.code, text: `${reason.text} The money did not move and no longer can.`.trim() } };
}

const describe = (observation: Observation): string =>
  observation.state === 'settled' ? `settled ${observation.transaction}${observation.final ? ' (final)' : ''}` : `${observation.state}: ${observation.why}`;
