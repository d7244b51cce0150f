import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openHome } from '../../src/main/adapters/home/home.ts';
import { startApp } from '../support/app-process.ts';
import { openOwnerBrowser } from '../support/owner-browser.ts';
import { createLedgerOf } from './decide-ledger.ts';
import { median, percentile, rounded } from './statistics.ts';

const ROWS = 100_000;
const RUNS = 5;
/** Frames of one run from the newest payment to the oldest. */
const FRAMES = 240;

export interface HistoryFigures {
  readonly historyFirstPageMs: number;
  readonly scrollP95FrameMs: number;
  readonly scrollMaxFrameMs: number;
}

export const HISTORY_GOALS = { historyFirstPageMs: 150, scrollMaxFrameMs: 50 };
export const HISTORY_OF = { rows: ROWS, runs: RUNS };

/** What a person waits for in a dashboard over a hundred thousand payments: the application and a Chromium, as they run. Medians of the runs. */
export async function measureHistory(): Promise<HistoryFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-bench-desktop-'));
  const home = openHome({ environment: 'sandbox', home: folder });
  createLedgerOf(home.paths.database, ROWS, { upstream: 'weather' });
  home.close();
  const app = await startApp({ home: folder });
  const owner = await openOwnerBrowser(app.dashboard);
  try {
    const page = owner.dashboard;
    await owner.approval.close();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.bringToFront();
    const firstPages: number[] = [];
    const runs: number[][] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      const firstPage = await openHistory(page);
      const frames = await scrollThrough(page);
      // The first run warms up.
      if (run === 0) continue;
      firstPages.push(firstPage);
      runs.push(frames);
    }
    return {
      historyFirstPageMs: rounded(median(firstPages)),
      scrollP95FrameMs: rounded(median(runs.map((frames) => percentile(frames, 0.95)))),
      scrollMaxFrameMs: rounded(median(runs.map((frames) => Math.max(...frames)))),
    };
  } finally {
    await owner.close();
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the overview to the first row on screen, with nothing read before (ms). */
async function openHistory(page: Page): Promise<number> {
  await page.evaluate(() => void (window.location.hash = '#/'));
  await page.reload();
  await page.getByText('Show as a table').waitFor();
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const begun = performance.now();
        const look = (): void => {
          if (document.querySelector('[role=row] button[aria-haspopup=dialog]')) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        window.location.hash = '#/history';
        look();
      }),
  );
}

/** Scrolls through all rows, some of them in each frame, and gives the time of each frame (ms). */
async function scrollThrough(page: Page): Promise<number[]> {
  const times = await page.evaluate(
    (frames) =>
      new Promise<number[]>((resolve) => {
        const seen: number[] = [];
        const height = document.documentElement.scrollHeight - window.innerHeight;
        const step = (at: number): void => {
          seen.push(at);
          if (seen.length > frames) return resolve(seen);
          window.scrollTo(0, (height * seen.length) / frames);
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    FRAMES,
  );
  await page.locator(`[role=row][aria-rowindex="${ROWS + 1}"] button`).waitFor();
  return times.slice(1).map((at, index) => at - (times[index] ?? at));
}
