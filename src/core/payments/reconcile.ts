import { toErrorInfo } from '../../shared/errors/errors.ts';
import { failpoint } from '../failpoint.ts';
import type { Clock, Journal, Log, Observation, Rail } from '../ports.ts';
import type { Change, Payment, Reason } from './payment.ts';

/** Waits between two looks at the chain, the last one for ever after. */
const WAITS_MS = [200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/** Follows payments on the chain until nothing about their money can change any more (I5, I9). */
export interface Reconciler {
  /** Watches a payment from now on. Watching it twice starts its waits anew. */
  watch(paymentId: string): void;
  /** Puts every row that an earlier process left behind into a true state and watches what is open. Call once, before any payment. */
  recover(): void;
  stop(): void;
}

export interface ReconcilerPorts {
  readonly journal: Journal;
  readonly rails: readonly Rail[];
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}

/** Creates the reconciler. */
export function createReconciler({ journal, rails, clock, log, changed }: ReconcilerPorts): Reconciler {
  const watched = new Map<string, () => void>();
  const stopped = new AbortController();

  const schedule = (id: string, turn: number) => {
    const cancel = clock.after(WAITS_MS[Math.min(turn, WAITS_MS.length - 1)]!, () => void look(id, turn));
    watched.set(id, cancel);
  };

  async function look(id: string, turn: number): Promise<void> {
    try {
      const payment = journal.get(id);
      if (!payment || atRest(payment)) return void watched.delete(id);
      const rail = rails.find((candidate) => candidate.scheme === payment.terms?.scheme && payment.terms.network.startsWith(`${candidate.namespace}:`));
      if (!rail || !payment.terms || !payment.track) return void watched.delete(id);
      const observation = await rail.observe(payment.terms, payment.track, stopped.signal);
      if (stopped.signal.aborted) return;
      if (observation.state === 'unreachable') log.warn('chain unreachable', { payment: id, why: observation.why });
      if (__FAILPOINTS__ && observation.state !== 'unreachable') failpoint('chain-read');
      record(id, observation);
    } catch (error) {
      log.error('looking at the chain failed', { payment: id, error: toErrorInfo(error).message });
    }
    if (!stopped.signal.aborted) schedule(id, turn + 1);
  }

  function record(id: string, observation: Observation): void {
    const moved = journal.atomically((tx) => {
      const payment = tx.get(id);
      const change = payment && afterObservation(payment, observation, clock.now());
      if (!change) return false;
      tx.change(id, change, { kind: 'observed', detail: describe(observation) }, { release: change.money === 'dead' });
      return true;
    });
    if (moved) changed();
  }

  return {
    watch(id) {
      watched.get(id)?.();
      schedule(id, 0);
    },

    recover() {
      for (const payment of journal.unresolved()) {
        if (__FAILPOINTS__) failpoint('row-recovering');
        const change = afterCrash(payment);
        if (change) {
          journal.atomically((tx) => tx.change(payment.id, change, { kind: 'recovered', detail: change.reason?.text ?? '' }, { release: change.money === 'none' }));
        }
        if (payment.track) schedule(payment.id, 0);
      }
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

/** What a row becomes whose process died. Before the signed proof was journaled nothing left the process, so its budget is free again. */
export function afterCrash(payment: Payment): Change | undefined {
  if (payment.money === 'reserved') {
    return {
      decision: payment.decision === 'waiting' ? 'cancelled' : payment.decision,
      money: 'none',
      service: 'refused',
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
export function afterObservation(payment: Payment, observation: Observation, now: number): Change | undefined {
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

function settledReason({ service, answerText }: Payment): { reason?: Reason } {
  if (service === 'delivered') return { reason: { code: '', text: '' } };
  if (service === 'open' || answerText) return {};
  return { reason: { code: 'PAID_NOT_DELIVERED', text: 'The money moved, but the server gave no answer for it.' } };
}

function deadReason({ service, reason }: Payment): { reason: Reason } {
  if (service === 'delivered') return { reason: { code: 'NEVER_COLLECTED', text: 'The server answered but never collected the money. Nothing was charged.' } };
  return { reason: { code: reason.code, text: `${reason.text} The money did not move and no longer can.`.trim() } };
}

const describe = (observation: Observation): string =>
  observation.state === 'settled' ? `settled ${observation.transaction}${observation.final ? ' (final)' : ''}` : `${observation.state}: ${observation.why}`;
