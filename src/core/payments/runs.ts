import { BursarError } from '../../shared/errors/errors.ts';
import type { Clock } from '../ports.ts';
import type { Reserved } from './assess-intent.ts';
import type { Outcome } from './call.ts';
import { createCallers, type Callers, type CallersOptions } from './callers.ts';
import type { Intent } from './intent.ts';
import type { Payment } from './payment.ts';

/** How long an outcome is kept for identical calls that began before it was there. */
const KEEP_MS = 30_000;

/** One payment under way, for every identical call that waits for it. */
export interface Run {
  readonly callers: Callers;
  /** The row that waits for the owner, once there is one. */
  payment?: Payment;
  /** The payment flow (x402 `paymentFlow`) that the owner is asked about. */
  paymentFlow?: string;
  /** What it holds of budgets until then, and for what. */
  waiting?: { readonly intent: Intent; readonly reserved: Reserved } | undefined;
  /** The newest challenge under the very terms that the owner is asked about; the payment answers this one. */
  instance?: Intent;
}

/** Payments under way by call key. In memory only: a restart ends them. */
export interface Runs {
  /** The run that a call belongs to, which began at the given time (ms): one that goes on, or one that ended while the call was under way. */
  find(callKey: string, startedAt: number): Run | undefined;
  /** Registers a run. */
  open(callKey: string): Run;
  /** Gives the run its work, whose outcome ends it. The work never rejects. */
  begin(run: Run, work: Promise<Outcome>): Promise<void>;
  /** Ends a run that waits for its owner or its agent, and resolves once its budget is free again. */
  dismiss(run: Run, reason: BursarError): Promise<void>;
  /** Runs whose payments wait. */
  waiting(): readonly Run[];
  /** The run whose payment waits. */
  ofPayment(paymentId: string): Run | undefined;
}

interface Entry extends Run {
  readonly callKey: string;
  readonly ended: PromiseWithResolvers<void>;
  endedAt?: number;
}

/** `onTold` is called when the first call of a run was told to come back. */
export function createRuns({ clock, patience, onTold }: { clock: Clock; patience: CallersOptions['patience']; onTold: (payment: Payment) => void }): Runs {
  const entries = new Map<string, Entry>();
  const forget = (entry: Entry) => {
    if (entries.get(entry.callKey) === entry) entries.delete(entry.callKey);
  };

  return {
    find(callKey, startedAt) {
      const entry = entries.get(callKey);
      return entry && (entry.endedAt === undefined || startedAt < entry.endedAt) ? entry : undefined;
    },

    open(callKey) {
      const callers = createCallers({ clock, patience, onTold: () => entry.payment && onTold(entry.payment) });
      const entry: Entry = { callKey, callers, ended: Promise.withResolvers() };
      entries.set(callKey, entry);
      return entry;
    },

    async begin(run, work) {
      const entry = run as Entry;
      const outcome = await work;
      entry.endedAt = clock.now();
      entry.callers.finish(outcome);
      entry.ended.resolve();
      // That every client had gone is no answer to one that is still on its way.
      if (entry.callers.signal.aborted) forget(entry);
      else clock.after(KEEP_MS, () => forget(entry));
    },

    async dismiss(run, reason) {
      const entry = run as Entry;
      entry.callers.dismiss(reason);
      await entry.ended.promise;
      forget(entry);
    },

    waiting: () => [...entries.values()].filter((entry) => entry.endedAt === undefined && entry.waiting !== undefined),
    ofPayment: (paymentId) => [...entries.values()].find((entry) => entry.endedAt === undefined && entry.payment?.id === paymentId),
  };
}
