import type { Clock, Log } from '../../../core/ports.ts';
import { toErrorInfo } from '../../../shared/errors/errors.ts';
import type { LedgerKeys } from '../keys/ledger-keys.ts';
import { encodeAnchor, type Anchor } from './anchor.ts';

export interface AnchorKeeperPorts {
  readonly clock: Clock;
  readonly log: Log;
  /** Where ledger and policy stand now. */
  readonly now: (adopting: boolean) => Anchor;
  /** False before the ledger was compared, and while it is not as Bursar left it: nothing is noted of it then by itself. */
  readonly sound: () => boolean;
}

/** Writes down with the keys where the ledger stands. */
export interface AnchorKeeper {
  /** Where it is written from now on. */
  use(keys: LedgerKeys): void;
  /** What lies there already. */
  known(bytes: Uint8Array | undefined): void;
  /** Durable when it returns. Throws what writing there throws. */
  keep(keys: LedgerKeys, adopting?: boolean): Promise<void>;
  /** In the background, after so long (ms). One write at a time; a failed one is tried again after the next. */
  keepSoon(ms: number): void;
  /** Resolves once no write of the background runs. */
  idle(): Promise<void>;
  /** Ends the background and writes a last time where `sound`. */
  close(): Promise<void>;
}

export function createAnchorKeeper({ clock, log, now, sound }: AnchorKeeperPorts): AnchorKeeper {
  let keeping: LedgerKeys | undefined;
  let kept = '';
  let cancelKeep: (() => void) | undefined;
  let lastKeep: Promise<void> = Promise.resolve();

  async function keep(keys: LedgerKeys, adopting = false): Promise<void> {
    const anchor = encodeAnchor(now(adopting));
    const text = Buffer.from(anchor).toString();
    if (text === kept) return;
    await keys.writeAnchor(anchor);
    kept = text;
  }
  const told = (error: unknown): void => log.debug('the ledger could not be noted with the keys', { code: toErrorInfo(error).code });

  return {
    use(keys) {
      keeping = keys;
    },
    known(bytes) {
      kept = bytes ? Buffer.from(bytes).toString() : '';
    },
    keep,
    keepSoon(ms) {
      if (!keeping || !sound() || (cancelKeep && ms > 0)) return;
      cancelKeep?.();
      const keys = keeping;
      cancelKeep = clock.after(ms, () => {
        cancelKeep = undefined;
        lastKeep = lastKeep.then(() => keep(keys)).catch(told);
      });
    },
    idle: () => lastKeep,
    async close() {
      cancelKeep?.();
      await lastKeep;
      if (keeping && sound()) await keep(keeping).catch(told);
    },
  };
}
