import type { Clock, Log } from '../../../src/core/ports.ts';
import type { Handlers } from '../../../src/main/rpc/router.ts';

/** A log that keeps its lines for the test to read. */
export function recordingLog(): Log & { readonly lines: { level: string; message: string; fields: Record<string, unknown> }[] } {
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const write = (level: string) => (message: string, fields: Record<string, unknown> = {}) => void lines.push({ level, message, fields });
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** A clock that stands until the test moves it. */
export function manualClock(start = 1_000_000): Clock & { advance(ms: number): void; set(now: number): void } {
  let now = start;
  let elapsed = 0;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: elapsed + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      elapsed += ms;
      for (const timer of timers) if (timer.at <= elapsed && timers.delete(timer)) timer.callback();
    },
    set(value) {
      now = value;
    },
  };
}

/** Handlers of which every one that the test did not give throws. */
export const handlersOf = (given: Partial<Handlers>): Handlers =>
  new Proxy(given, {
    get(target, route, receiver) {
      return Reflect.get(target, route, receiver) ?? (() => Promise.reject(new Error(`unexpected call of ${String(route)}`)));
    },
  }) as Handlers;
