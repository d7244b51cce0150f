declare global {
  /** Replaced by the bundler: true in test builds alone, so that no other build holds a failpoint. */
  const __FAILPOINTS__: boolean;
}

/** A named place at which a test may stop the process. */
export type Failpoint = 'journal-committed' | 'answer-read';

let reached: (name: Failpoint) => void = () => {};

/** Says what happens at a failpoint. */
export function onFailpoint(callback: (name: Failpoint) => void): void {
  reached = callback;
}

/** Callers guard it with `if (__FAILPOINTS__)`, so that the call and its name drop out of every build but the tests'. */
export const failpoint = (name: Failpoint): void => reached(name);
