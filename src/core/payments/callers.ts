import { BursarError } from '../../shared/errors/errors.ts';
import type { Clock } from '../ports.ts';
import type { Outcome, PaidCall } from './call.ts';
import { refusal, unapproved } from './refusal.ts';

/** How often a waiting client is told that the owner decides. */
const PROGRESS_EVERY_MS = 10_000;

/** What a call is told whose client cannot wait any longer for the owner. */
export type Pending = Extract<Outcome, { kind: 'pending' }>;

/** The identical calls of one client that wait for one payment. Each waits as long as its client can. */
export interface Callers {
  /** Aborts once every client has gone before any was told to come back, or by `dismiss`; its reason is a BursarError then. */
  readonly signal: AbortSignal;
  /** True while calls were told to come back and none has. */
  readonly idle: boolean;
  /** True from when a call was told to come back. */
  readonly told: boolean;
  /** The oldest call whose client waits: the one whose challenge is to be paid. */
  current(): PaidCall | undefined;
  /** Adds a call; resolves with the payment's outcome, or with `pending` shortly before its client would give up. */
  add(call: PaidCall): Promise<Outcome>;
  /** From now on the owner decides. */
  ask(pending: Pending): void;
  /** The owner has decided: whoever waits now waits for the outcome, however long that takes. */
  answered(): void;
  /** The next call that comes back; undefined when none does until the given time (ms), or when dismissed. */
  next(until: number): Promise<PaidCall | undefined>;
  /** Nobody can be paid for any more. */
  dismiss(reason: BursarError): void;
  /** Gives the outcome to every call, and to each that is added later. */
  finish(outcome: Outcome): void;
}

interface Caller {
  readonly call: PaidCall;
  readonly resolve: (outcome: Outcome) => void;
  /** Its client would have given up before the owner was asked. */
  overdue: boolean;
}

export interface CallersOptions {
  readonly clock: Clock;
  /** How long a client waits for an answer (ms). */
  readonly patience: (client: string) => number;
  /** Called when the first call was told to come back, before it is. */
  readonly onTold: (pending: Pending) => void;
}

/** Starts without any call. */
export function createCallers({ clock, patience, onTold }: CallersOptions): Callers {
  const gone = new AbortController();
  /** Calls whose client waits; the others of `unanswered` have gone and get the outcome all the same, so that it is kept. */
  const waiting = new Set<Caller>();
  const unanswered = new Set<Caller>();
  let asking: Pending | undefined;
  let told = false;
  let finished: Outcome | undefined;
  let wake = () => {};
  let stopTelling = () => {};

  const current = (): PaidCall | undefined => waiting.values().next().value?.call;

  const answer = (caller: Caller, outcome: Outcome) => {
    waiting.delete(caller);
    if (unanswered.delete(caller)) caller.resolve(outcome);
  };

  const tell = (caller: Caller) => caller.call.progress('Waiting for the owner to approve the payment in Bursar.');
  const keepTelling = () => {
    for (const caller of waiting) tell(caller);
    stopTelling = clock.after(PROGRESS_EVERY_MS, keepTelling);
  };

  const sendAway = (caller: Caller) => {
    if (!waiting.has(caller)) return;
    caller.overdue = true;
    if (!asking) return;
    try {
      if (!told) onTold(asking);
      told = true;
      answer(caller, asking);
    } catch (error) {
      answer(caller, refusal(caller.call, error, asking.paymentId));
    }
  };

  const leave = (caller: Caller) => {
    if (!waiting.delete(caller)) return;
    if (waiting.size === 0 && !told) gone.abort();
    // While it is undecided the payment goes on without this call; later there is an answer to keep, and the call takes it.
    else if (asking) answer(caller, refusal(caller.call, unapproved('cancelled'), asking.paymentId));
  };

  return {
    signal: gone.signal,
    get idle() {
      return told && waiting.size === 0 && finished === undefined;
    },
    get told() {
      return told;
    },
    current,

    add(call) {
      if (finished) return Promise.resolve(finished);
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const caller: Caller = { call, resolve, overdue: false };
      waiting.add(caller);
      unanswered.add(caller);
      const left = () => leave(caller);
      const cancelPatience = clock.after(Math.max(0, call.startedAt + patience(call.client) - clock.now()), () => sendAway(caller));
      call.signal.addEventListener('abort', left, { once: true });
      if (call.signal.aborted) left();
      else {
        if (asking) tell(caller);
        wake();
      }
      return promise.finally(() => {
        cancelPatience();
        call.signal.removeEventListener('abort', left);
      });
    },

    ask(pending) {
      asking = pending;
      keepTelling();
      for (const caller of waiting) if (caller.overdue) sendAway(caller);
    },

    answered() {
      asking = undefined;
      stopTelling();
    },

    next(until) {
      const { promise, resolve } = Promise.withResolvers<PaidCall | undefined>();
      const cancelEnd = clock.after(Math.max(0, until - clock.now()), () => resolve(undefined));
      const dismissed = () => resolve(undefined);
      gone.signal.addEventListener('abort', dismissed, { once: true });
      if (gone.signal.aborted) dismissed();
      wake = () => resolve(current());
      if (waiting.size > 0) wake();
      return promise.finally(() => {
        cancelEnd();
        gone.signal.removeEventListener('abort', dismissed);
        wake = () => {};
      });
    },

    dismiss: (reason) => gone.abort(reason),

    finish(outcome) {
      finished = outcome;
      asking = undefined;
      stopTelling();
      for (const caller of unanswered) answer(caller, outcome);
    },
  };
}
