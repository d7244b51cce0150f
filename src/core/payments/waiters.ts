/** Clients that wait for one and the same payment. */
export interface Waiters {
  /** Aborts once every one of them has gone. */
  readonly signal: AbortSignal;
  join(signal: AbortSignal): void;
}

/** Starts with one waiting client; identical calls join it (design, "Dedupe"). */
export function waitersOf(first: AbortSignal): Waiters {
  const gone = new AbortController();
  let waiting = 0;
  const join = (signal: AbortSignal) => {
    if (signal.aborted) {
      if (waiting === 0) gone.abort();
      return;
    }
    waiting++;
    signal.addEventListener(
      'abort',
      () => {
        waiting--;
        if (waiting === 0) gone.abort();
      },
      { once: true },
    );
  };
  join(first);
  return { signal: gone.signal, join };
}
