import type { Clock } from '../../src/core/ports.ts';

/** A clock that only a test moves. Timers fire in the order of their time, while `advance` passes them. */
export class ManualClock implements Clock {
  private time: number;
  private timers: { at: number; callback: () => void }[] = [];

  constructor(start = Date.UTC(2026, 0, 15, 12)) {
    this.time = start;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Moves time while no timer runs, as for a process that is not there. */
  sleep(ms: number): void {
    this.time += ms;
  }

  /** Moves time and lets what the timers started run as far as it can without more time. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const next = this.timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
      await settle();
    }
    this.time = end;
    await settle();
  }
}

/** Lets every promise that is ready go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}
