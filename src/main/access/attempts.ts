import type { Clock } from '../../core/ports.ts';

/** Wrong secrets that are answered at once, and how long each further one takes to be allowed (ms). */
const BURST = 10;
const REFILL_MS = 6_000;

/** Requests in all, whoever makes them: more than any number of honest clients. */
const ALL_BURST = 120;
const ALL_REFILL_MS = 50;

/** Slows down whoever guesses secrets, without writing anything down. */
export interface Attempts {
  /** Counts a request. How long to wait (ms) where there are too many, else 0. `key` names a client that there is; all others share one. */
  begin(key: string | undefined): number;
  /** The secret was wrong. */
  failed(key: string | undefined): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

export function createAttempts({ clock }: { readonly clock: Pick<Clock, 'now'> }): Attempts {
  const failures = new Map<string, Bucket>();
  const all: Bucket = { tokens: ALL_BURST, at: clock.now() };

  const refill = (bucket: Bucket, most: number, everyMs: number): Bucket => {
    const now = clock.now();
    bucket.tokens = Math.min(most, bucket.tokens + Math.max(0, now - bucket.at) / everyMs);
    bucket.at = now;
    return bucket;
  };
  // Keys are ids of clients that exist, so what they are kept in stays small.
  const failuresOf = (key: string | undefined): Bucket => {
    const name = key ?? '';
    const bucket = failures.get(name) ?? { tokens: BURST, at: clock.now() };
    failures.set(name, bucket);
    return refill(bucket, BURST, REFILL_MS);
  };

  return {
    begin(key) {
      const own = failuresOf(key);
      refill(all, ALL_BURST, ALL_REFILL_MS);
      if (own.tokens < 1) return (1 - own.tokens) * REFILL_MS;
      if (all.tokens < 1) return (1 - all.tokens) * ALL_REFILL_MS;
      all.tokens -= 1;
      return 0;
    },
    failed(key) {
      failuresOf(key).tokens -= 1;
    },
  };
}
