import type { Clock } from '../../core/ports.ts';

/** Locks the keys when the owner has done nothing for a while. */
export interface IdleLock {
  /** Minutes; 0: never. */
  readonly minutes: number;
  /** Begins to count anew with another span. */
  set(minutes: number): void;
  /** The owner did something. What waits for them, what agents ask and what pages read by themselves is none of that. */
  active(): void;
  stop(): void;
}

/** Real money, where nobody chose. Play money is never locked by itself. */
export const DEFAULT_LOCK_MINUTES = 60;

/** A machine that slept fires its timers late: the time of day is looked at this often. */
const LOOK_EVERY_MS = 60_000;

export interface IdleLockOptions {
  readonly clock: Clock;
  readonly minutes: number;
  /** Called once the time is over; again after another such time. */
  readonly lock: () => void;
}

export function createIdleLock({ clock, minutes: initial, lock }: IdleLockOptions): IdleLock {
  let minutes = initial;
  let last = clock.now();
  let callOff: (() => void) | undefined;

  const wait = (): void => {
    callOff?.();
    callOff = undefined;
    if (minutes === 0) return;
    const left = last + minutes * 60_000 - clock.now();
    // A clock set back must not prolong it without end: what is left is at most the whole span.
    callOff = clock.after(Math.max(0, Math.min(left, minutes * 60_000, LOOK_EVERY_MS)), look);
  };
  const look = (): void => {
    if (clock.now() < last) last = clock.now();
    if (clock.now() - last >= minutes * 60_000) {
      last = clock.now();
      lock();
    }
    wait();
  };

  wait();
  return {
    get minutes() {
      return minutes;
    },
    set(next) {
      minutes = next;
      last = clock.now();
      wait();
    },
    active() {
      last = clock.now();
    },
    stop: () => callOff?.(),
  };
}
