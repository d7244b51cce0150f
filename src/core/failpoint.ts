declare global {
  /** Replaced by the bundler: true in test builds alone, so that no other build holds a failpoint. */
  const __FAILPOINTS__: boolean;
}

/**
 * A named place at which a test may stop the process, in the order of a payment's life: budget reserved and owner not asked yet, owner
 * answered and nothing signed, proof signed and not journaled, row committed and proof not sent, money moved before the retry and that not journaled, answer read and not journaled, answer
 * journaled and not written, answer written and not noted, chain read and not journaled, a row of an earlier process about to be recovered. Of an escrow:
 * refund journaled and not sent, refund on the chain and not journaled, claim mail about to be sent, claim mail taken by the server and that not noted.
 */
export type Failpoint =
  | 'budget-reserved'
  | 'owner-answered'
  | 'proof-signed'
  | 'journal-committed'
  | 'payment-submitted'
  | 'answer-read'
  | 'answer-journaled'
  | 'answer-written'
  | 'chain-read'
  | 'row-recovering'
  | 'refund-journaled'
  | 'refund-moved'
  | 'mail-sending'
  | 'mail-sent';

let reached: (name: Failpoint) => void = () => {};

/** Says what happens at a failpoint. */
export function onFailpoint(callback: (name: Failpoint) => void): void {
  reached = callback;
}

/** Callers guard it with `if (__FAILPOINTS__)`, so that the call and its name drop out of every build but the tests'. */
export const failpoint = (name: Failpoint): void => reached(name);
