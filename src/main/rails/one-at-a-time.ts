import { setTimeout as wait } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';

/** A signature that nobody submits within this time was thrown away before it was journaled. */
const CLAIM_MS = 15_000;
const ASK_AGAIN_MS = 50;

/** Lets one transaction of an account be under way at a time: its nonce is the account's next one for the next signature as well. */
export interface Turns {
  /** Waits for the turn of a key and takes it. Throws `SIGNING_FAILED` when the signal aborts before. */
  take(key: string, signal: AbortSignal): Promise<void>;
  /** Keeps the turn while `work` runs, and ends it after. */
  keep<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Ends a turn whose signature came to nothing. */
  end(key: string): void;
}

/** `now` counts milliseconds and never goes back. */
export function createTurns(now: () => number = () => performance.now()): Turns {
  const until = new Map<string, number>();
  return {
    async take(key, signal) {
      while (now() < (until.get(key) ?? 0)) {
        if (signal.aborted) throw new BursarError('SIGNING_FAILED', 'Another transaction of the account is still under way.', { hint: 'Try again once it has ended.' });
        await wait(ASK_AGAIN_MS, undefined, { signal }).catch(() => {});
      }
      until.set(key, now() + CLAIM_MS);
    },
    async keep(key, work) {
      until.set(key, Infinity);
      try {
        return await work();
      } finally {
        until.delete(key);
      }
    },
    end: (key) => void until.delete(key),
  };
}
