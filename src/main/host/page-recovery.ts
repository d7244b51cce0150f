import type { Clock } from '../../core/ports.ts';

/** How long a page may be stuck before it is ended. */
export const HANG_MS = 15_000;
const WITHIN_MS = 60_000;
const MOST = 3;

/** Brings a page back that crashed, but not for ever one that crashes each time. */
export interface PageRecovery {
  /** True where the page may be opened again by itself now: not more than three times a minute. */
  mayReopen(): boolean;
}

export function createPageRecovery(clock: Clock): PageRecovery {
  let crashes: readonly number[] = [];
  return {
    mayReopen() {
      const now = clock.now();
      crashes = [...crashes.filter((at) => now - at < WITHIN_MS && at <= now), now];
      return crashes.length <= MOST;
    },
  };
}

/** Ends a page that is stuck for too long. A window says when that begins, and when it is over. */
export function createHangWatch({ clock, end }: { readonly clock: Clock; readonly end: () => void }): { unresponsive(): void; responsive(): void } {
  let callOff: (() => void) | undefined;
  const responsive = (): void => {
    callOff?.();
    callOff = undefined;
  };
  return {
    unresponsive() {
      callOff ??= clock.after(HANG_MS, () => {
        callOff = undefined;
        end();
      });
    },
    responsive,
  };
}
