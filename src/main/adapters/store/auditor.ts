import { toErrorInfo } from '../../../shared/errors/errors.ts';
import { audit, type Audited } from './audit.ts';
import type { Db } from './database.ts';

/** Rest between two slices of the audit that runs beside payments. */
const REST_MS = 10;

/** Reads the whole ledger, now or beside payments. */
export interface Auditor {
  /** Begins in the background; once more after that, where it runs. */
  inBackground(): void;
  /** Resolves once the whole ledger was read since the last {@link Auditor.inBackground}; begins where that never was. */
  whole(): Promise<void>;
  read(): Promise<Audited>;
  /** What was read says nothing any more: the owner accepted the ledger as it is. */
  anew(): void;
  stop(): void;
}

/** `raise` is told what a reading in the background found. */
export function createAuditor(db: Db, raise: (...findings: readonly string[]) => void): Auditor {
  const stopped = new AbortController();
  let reading = new AbortController();
  /** The one in the background that runs or ran last. */
  let background: Promise<void> | undefined;
  let isRunning = false;
  let again = false;

  async function read(restMs: number): Promise<Audited> {
    for (;;) {
      const { signal } = reading;
      const result = await audit({ db, signal: AbortSignal.any([stopped.signal, signal]), restMs });
      if (!signal.aborted || stopped.signal.aborted) return result;
    }
  }

  async function run(): Promise<void> {
    isRunning = true;
    try {
      do {
        again = false;
        const { findings } = await read(REST_MS);
        raise(...findings);
      } while (isWanted());
    } catch (error) {
      raise(`The ledger in ${db.name} cannot be read: ${toErrorInfo(error).message}`);
    } finally {
      isRunning = false;
    }
  }
  const isWanted = (): boolean => again && !stopped.signal.aborted;

  function inBackground(): void {
    // What is changed behind the place that is being read would not be seen.
    if (isRunning) again = true;
    else background = run();
  }

  return {
    inBackground,
    async whole() {
      if (!background) inBackground();
      await background;
    },
    read: () => read(0),
    anew() {
      reading.abort();
      reading = new AbortController();
    },
    stop: () => stopped.abort(),
  };
}
