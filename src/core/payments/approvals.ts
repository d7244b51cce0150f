import { bytesToHex } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Clock, Fee, RandomBytes } from '../ports.ts';
import type { Assessment, BudgetLine } from '../policy/assess.ts';
import type { Challenge } from '../challenges/dialect.ts';
import type { Payment } from './payment.ts';

/** How long a request must have been visible and focused before it can be answered. */
export const VISIBLE_BEFORE_ANSWER_MS = 1000;

/** Requests of one client that may wait at a time (design, "Headless page"). */
const MAX_WAITING_PER_CLIENT = 20;

/** A payment that waits for the owner. */
export interface Waiting {
  readonly payment: Payment;
  readonly challenge: Challenge;
  readonly assessment: Assessment;
  /** What paying costs besides the price, at most: what is signed is held to it. */
  readonly fees: readonly Fee[];
  readonly expiresAt: number;
  /** Single use; `decide` carries it. */
  readonly nonce: string;
}

export type Answer = 'approved' | 'rejected' | 'expired' | 'cancelled';

/** One request, under exactly the terms that were read. */
export interface ShownRequest {
  readonly paymentId: string;
  readonly termsDigest: string;
  readonly nonce: string;
}

export interface DecideRequest extends ShownRequest {
  readonly decision: 'approve' | 'reject';
}

/**
 * Keeps agents from exhausting the owner or a budget by asking: at most 20 requests of a client wait, and what waits together with the
 * new one, of whatever client, never holds more than half of a limit. Gives the assessment back, or a denial that says so.
 */
export function withRoomInQueue(assessment: Assessment, waiting: readonly Waiting[], client: string): Assessment {
  if (assessment.verdict === 'deny') return assessment;
  const own = waiting.filter((entry) => entry.payment.client === client).length;
  const held = ({ cap, label }: BudgetLine) =>
    waiting.flatMap((entry) => entry.assessment.budgets).reduce((sum, line) => (line.cap === cap && line.label === label ? sum + line.units : sum), 0n);
  const tight = waiting.length > 0 && assessment.budgets.some((line) => line.window !== 'call' && (held(line) + line.units) * 2n > line.limit);
  if (own < MAX_WAITING_PER_CLIENT && !tight) return assessment;
  const rule = tight ? `${waiting.length} payments that wait for the owner hold half of a limit already` : `${own} payments of client "${client}" wait for the owner already`;
  return { ...assessment, verdict: 'deny', rule, code: 'APPROVAL_QUEUE_FULL' };
}

/** The queue between payments and the owner. Waiting requests live in memory only: a restart cancels them. */
export interface Approvals {
  /** Resolves with the owner's answer, or when `signal` aborts or the request expires. */
  ask(request: Omit<Waiting, 'nonce'>, signal: AbortSignal): Promise<Answer>;
  waiting(): readonly Waiting[];
  /**
   * Says what a viewer shows now: the approval page, or a terminal that gives itself a name. Returns from when that one can answer it, or
   * undefined while it is not visible there.
   */
  report(shown: { readonly paymentId: string; readonly visible: boolean }, viewer?: string): number | undefined;
  /** The host's own word on its approval window; it overrules what the page reports. */
  setWindowVisible(visible: boolean): void;
  /** The owner closed the approval window: what it showed is rejected. Saying no takes no second of looking. */
  rejectShown(): void;
  /** Cancels everything that waits. */
  cancelAll(which?: (waiting: Waiting) => boolean): void;
  /**
   * Throws `APPROVAL_STALE` for anything but the current request under its own digest and nonce, `APPROVAL_TOO_EARLY` unless this viewer has
   * shown it for its second, and what `mayApprove` throws.
   */
  decide(request: DecideRequest, mayApprove: () => void, viewer?: string): void;
  /** What is asked about under this digest and nonce. Throws `APPROVAL_STALE`. */
  requireWaiting(request: ShownRequest): Waiting;
  /** The same, and this viewer has shown it for its second. Throws `APPROVAL_STALE`, `APPROVAL_TOO_EARLY`. */
  requireShown(request: ShownRequest, viewer?: string): Waiting;
}

/** The approval page, in whatever window. */
const PAGE = 'page';

/** Creates the queue. `changed` is called after every change of what waits. */
export function createApprovals({ clock, random, changed }: { clock: Clock; random: RandomBytes; changed: () => void }): Approvals {
  const queue = new Map<string, { waiting: Waiting; settle: (answer: Answer) => void }>();
  let windowVisible = true;
  let lastShown: string | undefined;
  // One for each viewer: what a terminal shows takes nothing from the page's second, nor the other way round.
  const shown = new Map<string, { readonly paymentId: string; readonly since: number }>();

  const show = (paymentId: string | undefined, viewer: string) => {
    if (paymentId === undefined || !queue.has(paymentId)) shown.delete(viewer);
    else if (shown.get(viewer)?.paymentId !== paymentId) shown.set(viewer, { paymentId, since: clock.now() });
  };

  const entryOf = ({ paymentId, termsDigest, nonce }: ShownRequest) => {
    const entry = queue.get(paymentId);
    if (!entry || entry.waiting.payment.termsDigest !== termsDigest || entry.waiting.nonce !== nonce) {
      throw new BursarError('APPROVAL_STALE', 'This payment request is no longer the one that waits.');
    }
    return entry;
  };

  const shownEntry = (request: ShownRequest, viewer: string) => {
    const entry = entryOf(request);
    const seen = shown.get(viewer);
    if (seen?.paymentId !== request.paymentId || clock.now() < seen.since + VISIBLE_BEFORE_ANSWER_MS) {
      throw new BursarError('APPROVAL_TOO_EARLY', 'The request was not on screen for a full second.');
    }
    return entry;
  };

  return {
    ask: (request, signal) =>
      new Promise((resolve) => {
        const id = request.payment.id;
        const settle = (answer: Answer) => {
          if (!queue.delete(id)) return;
          cancelExpiry();
          signal.removeEventListener('abort', cancelled);
          for (const [viewer, { paymentId }] of shown) if (paymentId === id) shown.delete(viewer);
          resolve(answer);
          changed();
        };
        const cancelled = () => settle('cancelled');
        const cancelExpiry = clock.after(Math.max(0, request.expiresAt - clock.now()), () => settle('expired'));
        queue.set(id, { waiting: { ...request, nonce: bytesToHex(random(16)) }, settle });
        if (signal.aborted) return cancelled();
        signal.addEventListener('abort', cancelled, { once: true });
        changed();
      }),

    waiting: () => [...queue.values()].map((entry) => entry.waiting),

    report({ paymentId, visible }, viewer = PAGE) {
      if (viewer === PAGE) lastShown = paymentId;
      show(visible && (windowVisible || viewer !== PAGE) ? paymentId : undefined, viewer);
      const now = shown.get(viewer);
      return now && now.since + VISIBLE_BEFORE_ANSWER_MS;
    },

    setWindowVisible(visible) {
      windowVisible = visible;
      if (!visible) show(undefined, PAGE);
    },

    rejectShown() {
      if (lastShown !== undefined) queue.get(lastShown)?.settle('rejected');
    },

    cancelAll(which = () => true) {
      for (const { waiting, settle } of queue.values()) if (which(waiting)) settle('cancelled');
    },

    decide(request, mayApprove, viewer = PAGE) {
      const entry = shownEntry(request, viewer);
      if (request.decision === 'approve') mayApprove();
      entry.settle(request.decision === 'approve' ? 'approved' : 'rejected');
    },

    requireWaiting: (request) => entryOf(request).waiting,
    requireShown: (request, viewer = PAGE) => shownEntry(request, viewer).waiting,
  };
}
