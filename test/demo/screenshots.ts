// npm run screenshots: every page in both themes, as it looks to a person who has settled in, on play money.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openHome } from '../../src/main/adapters/home/home.ts';
import { startApp } from '../support/app-process.ts';
import { DASHBOARD_PAGES, goTo, showIn } from '../support/dashboard-pages.ts';
import { writePast } from '../support/lived-in/ledger.ts';
import { settleIn } from '../support/lived-in/owner-hands.ts';
import { openOwnerBrowser } from '../support/owner-browser.ts';

const folder = process.env['BURSAR_SCREENSHOTS'] ?? new URL('../../docs/screenshots/', import.meta.url).pathname;
const THEMES = ['light', 'dark'] as const;
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };
/** A page that is higher (px) is shown as its window shows it: of a virtual list nothing below the window is drawn. */
const HIGHEST = 3000;
/** Shown at the width of a phone too. */
const ALSO_NARROW = ['overview', 'approvals', 'history'];

const home = openHome({ environment: 'sandbox', home: mkdtempSync(join(tmpdir(), 'bursar-screenshots-')) });
writePast(home.paths.database, Date.now());
home.close();
const app = await startApp({ home: home.folder });
const owner = await openOwnerBrowser(app.dashboard);
try {
  await settleIn(app, owner);
  const { dashboard, approval } = owner;
  for (const theme of THEMES) {
    await approval.bringToFront();
    await showIn(approval, theme);
    await approval.setViewportSize({ width: 360, height: 820 });
    await approval.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
    await shoot(approval, `approval-${theme}`);

    await dashboard.bringToFront();
    await showIn(dashboard, theme);
    for (const page of DASHBOARD_PAGES) {
      await dashboard.setViewportSize(WIDE);
      await goTo(dashboard, page);
      await shoot(dashboard, `${page.name}-${theme}`);
      if (!ALSO_NARROW.includes(page.name)) continue;
      await dashboard.setViewportSize(NARROW);
      await goTo(dashboard, page);
      await shoot(dashboard, `${page.name}-narrow-${theme}`);
    }
  }
  console.log(`${folder}: ${DASHBOARD_PAGES.length} pages in ${THEMES.length} themes, the approval page, and ${ALSO_NARROW.length} pages at ${NARROW.width} px.`);
} finally {
  await owner.close();
  await app.stop();
  rmSync(home.folder, { recursive: true, force: true });
}

/** The whole page, without what blinks: a cursor, a countdown's last second. */
async function shoot(page: Page, name: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: height <= HIGHEST, animations: 'disabled', caret: 'hide' });
}
