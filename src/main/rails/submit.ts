import { setTimeout as wait } from 'node:timers/promises';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { Observation } from '../../core/ports.ts';

const LOOK_EVERY_MS = 400;
/** A transaction that a node dropped is sent again, the same bytes each time, until it landed or can no longer land. */
const SEND_EVERY_MS = 2_000;

export interface SubmitOptions {
  /** Asks the chain; never throws. */
  readonly look: () => Promise<Observation>;
  /** Sends the journaled bytes. May throw: what came of it, only the chain says. */
  readonly send: () => Promise<void>;
  /** False where what is sent is not to be sent again in this run. */
  readonly resend?: boolean;
  readonly signal: AbortSignal;
}

/** Sends until the chain shows that the money moved, or that it never will, or until the signal aborts. Looks before it sends. */
export async function submitUntilCertain({ look, send, resend = true, signal }: SubmitOptions): Promise<Observation> {
  let refusal = '';
  let last: Observation | undefined;
  let sentAt = -Infinity;
  for (;;) {
    // A look that was cut short says less than the one before it.
    const looked = await look();
    const seen = signal.aborted && looked.state === 'unreachable' ? (last ?? looked) : looked;
    if (seen.state === 'settled' || seen.state === 'dead') return seen;
    if (signal.aborted) return { ...seen, why: `${seen.why} ${refusal}`.trim() };
    last = seen;
    if (sentAt === -Infinity || (resend && performance.now() - sentAt >= SEND_EVERY_MS)) {
      sentAt = performance.now();
      refusal = await send().then(
        () => '',
        (error: unknown) => toErrorInfo(error).message,
      );
    }
    await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
