import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/find-chromium.mjs';

/** The owner at the browser: a real Chromium with the real pages. */
export interface OwnerBrowser {
  readonly browser: Browser;
  /** The dashboard, opened by the one-time address. */
  readonly dashboard: Page;
  /** The approval page. */
  readonly approval: Page;
  /** Waits for a request, reads what the page shows of it, and presses a button as soon as it can be pressed. */
  decide(button: 'Approve' | 'Reject'): Promise<string>;
  close(): Promise<void>;
}

/** `patience`: how long (ms) a request may take to be on the page and answerable. */
export async function openOwnerBrowser(dashboardUrl: string, { patience = 15_000 }: { readonly patience?: number } = {}): Promise<OwnerBrowser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('No Chromium was found. Set BURSAR_CHROMIUM to one, or run: node scripts/ensure-chromium.mjs');
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  const context = await browser.newContext();
  const dashboard = await context.newPage();
  await dashboard.goto(dashboardUrl);
  const approval = await context.newPage();
  await approval.goto(new URL('/approve', dashboardUrl).href);
  return {
    browser,
    dashboard,
    approval,
    async decide(button) {
      // Not before main's second has passed is the button enabled; a click waits for that by itself.
      const choice = approval.getByRole('button', { name: new RegExp(`^${button}`) });
      await approval.bringToFront();
      await choice.and(approval.locator(':enabled')).waitFor({ timeout: patience });
      const shown = await approval.locator('main').innerText();
      await choice.click({ timeout: patience });
      return shown;
    },
    close: () => browser.close(),
  };
}
