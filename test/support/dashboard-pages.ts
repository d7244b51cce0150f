import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** A page of the dashboard: its address behind the hash, and a name for files. */
export interface DashboardPage {
  readonly path: string;
  readonly name: string;
  /** Other pages lead there, and the navigation does not. */
  readonly hidden: boolean;
}

/** Every page that pages.ts lists. Its components need a browser, so the file is read, not run. */
export const DASHBOARD_PAGES: readonly DashboardPage[] = [...readFileSync(new URL('../../src/renderer/dashboard/pages.ts', import.meta.url), 'utf8').matchAll(/\{ path: '(\/[^']*)'(.*)\}/g)].map(([, path = '/', rest = '']) => ({
  path,
  name: path === '/' ? 'overview' : path.slice(1).replaceAll('/', '-'),
  hidden: rest.includes('hidden: true'),
}));
if (DASHBOARD_PAGES.length < 10) throw new Error('pages.ts is not written as this file reads it');

/** Goes to a page and waits until it shows what it has: no grey lines, no room kept for a chart. */
export async function goTo(page: Page, { path, hidden }: DashboardPage): Promise<void> {
  await page.evaluate((to) => void (window.location.hash = `#${to}`), path);
  await page.waitForFunction((to) => document.querySelector('nav') === null || document.querySelector('nav [aria-current=page]')?.getAttribute('href') === to, hidden ? undefined : `#${path}`);
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('main .animate-pulse, main [data-chart-room]') === null);
}

/** Shows the page in a theme, as its reader's choice would. */
export const showIn = (page: Page, theme: 'light' | 'dark'): Promise<void> => page.evaluate((chosen) => void (document.documentElement.dataset['theme'] = chosen), theme);

/** How far (px) the page reaches over the right edge of its window. */
export const overflowOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
