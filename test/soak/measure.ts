import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REPORT_MS = 30_000;

/** What a process holds after all of its garbage is collected. Bytes; handles by kind. */
export interface Holding {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly resources: Readonly<Record<string, number>>;
}

/** What the operating system holds for a process. */
export interface Footprint {
  readonly fds: number;
  readonly children: number;
}

/** The environment of an application that can be asked what it holds. */
export const measuredEnvironment = (report: string): Record<string, string> => ({ NODE_OPTIONS: `--require=${fileURLToPath(new URL('collect.cjs', import.meta.url))}`, BURSAR_SOAK_REPORT: report });

/** Has the application collect its garbage and say what is left. */
export async function holdingOf(pid: number, report: string): Promise<Holding> {
  rmSync(report, { force: true });
  process.kill(pid, 'SIGUSR2');
  const deadline = performance.now() + REPORT_MS;
  while (!existsSync(report)) {
    if (performance.now() > deadline) throw new Error('the application does not say what it holds');
    await delay(20);
  }
  return JSON.parse(readFileSync(report, 'utf8')) as Holding;
}

/** Linux alone: from /proc. */
export function footprintOf(pid: number): Footprint {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return { fds: readdirSync(join('/proc', String(pid), 'fd')).length, children: processes.filter((name) => parentOf(name) === pid).length };
}

function parentOf(pid: string): number | undefined {
  try {
    // The name in brackets may hold anything, brackets too.
    return Number(readFileSync(join('/proc', pid, 'stat'), 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** The most that was held in a while without clients: connections that are kept for the next request come and go. */
export async function restingFootprint(pid: number, ms: number): Promise<Footprint> {
  const end = performance.now() + ms;
  let most = footprintOf(pid);
  while (performance.now() < end) {
    await delay(250);
    const now = footprintOf(pid);
    most = { fds: Math.max(most.fds, now.fds), children: Math.max(most.children, now.children) };
  }
  return most;
}

/** Waits until no more is held than before, or gives up and says what is. */
export async function backTo(pid: number, before: Footprint, withinMs: number): Promise<Footprint> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const now = footprintOf(pid);
    if ((now.fds <= before.fds && now.children <= before.children) || performance.now() > deadline) return now;
    await delay(250);
  }
}
