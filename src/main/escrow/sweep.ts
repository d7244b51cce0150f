import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Log } from '../../core/ports.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { EscrowStore } from '../adapters/store/escrows.ts';
import type { Follow } from './follow.ts';

const EVERY_MS = 5_000;
const PAGE = 50;
const AT_ONCE = 4;

export interface Sweep {
  /** Begins now and goes on by itself. */
  start(): void;
  /** Looks at every open escrow whose turn has come, a few at a time; between them whatever else waits gets its turn. Resolves with how many. */
  run(signal: AbortSignal): Promise<number>;
  stop(): void;
}

export interface SweepPorts {
  readonly store: Pick<EscrowStore, 'due'>;
  readonly follow: Pick<Follow, 'look'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Follows every open escrow, so that claims are seen and what nobody claimed comes back. */
export function createSweep({ store, follow, clock, log }: SweepPorts): Sweep {
  const ending = new AbortController();
  let isStarted = false;
  let callOff = (): void => {};

  async function run(signal: AbortSignal): Promise<number> {
    const startedAt = clock.now();
    const seen = new Set<string>();
    for (;;) {
      // What was looked at is due later; a row whose look failed to say so must not be asked for for ever.
      const page = store.due(startedAt, PAGE).filter((id) => !seen.has(id));
      if (page.length === 0 || signal.aborted) return seen.size;
      const queue = page.values();
      const worker = async () => {
        for (const id of queue) {
          if (signal.aborted) return;
          seen.add(id);
          await follow.look(id, signal);
          await turn();
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
  }

  const tick = (): void => {
    run(ending.signal)
      .catch((error: unknown) => log.error('the escrows could not be followed', { reason: toErrorInfo(error).message }))
      .finally(() => {
        if (!ending.signal.aborted) callOff = clock.after(EVERY_MS, tick);
      });
  };

  return {
    start() {
      if (!isStarted) tick();
      isStarted = true;
    },
    run,
    stop() {
      ending.abort();
      callOff();
    },
  };
}
