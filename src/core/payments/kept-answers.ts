import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { Clock, Integrity, Journal, Log } from '../ports.ts';

/** How long an answer waits for its client. It may hold anything, so it is kept no longer than somebody is likely to come for it. */
export const KEPT_FOR_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 60 * 60_000;

export interface KeptAnswersPorts {
  readonly journal: Journal;
  readonly integrity: Pick<Integrity, 'mayRecord'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly changed: () => void;
}

/** Drops the texts of answers that nobody came for; their rows stay, and say so. */
export interface KeptAnswers {
  /** Sweeps now and every hour from now on. Calling it again sweeps again. */
  start(): void;
  stop(): void;
}

export function createKeptAnswers({ journal, integrity, clock, log, changed }: KeptAnswersPorts): KeptAnswers {
  let cancel = (): void => {};

  function start(): void {
    cancel();
    try {
      sweep();
    } catch (error) {
      log.warn('answers that nobody came for could not be dropped', { error: toErrorInfo(error).message });
    }
    cancel = clock.after(SWEEP_EVERY_MS, start);
  }

  function sweep(): void {
    for (;;) {
      const ids = integrity.mayRecord() ? journal.keptAnswers(clock.now() - KEPT_FOR_MS) : [];
      if (ids.length === 0) return;
      journal.atomically((tx) => {
        for (const id of ids) tx.change(id, { answerText: '', reason: { code: 'ANSWER_EXPIRED', text: TEXT } }, { kind: 'dropped', detail: TEXT });
      });
      changed();
    }
  }

  return { start, stop: () => cancel() };
}

const TEXT = 'The client did not come back for the answer within 24 hours, so the answer is no longer kept.';
