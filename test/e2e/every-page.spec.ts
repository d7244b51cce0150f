import type { Page } from '@playwright/test';
import { seriousViolations } from '../integration/renderer/axe.ts';
import { DASHBOARD_PAGES, goTo, overflowOf, showIn } from '../support/dashboard-pages.ts';
import { expect, test } from './app.ts';

const THEMES = ['light', 'dark'] as const;
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };

/** What the page says to be wrong: scripts and styles that its policy refuses, and errors. Kept from the next load on. */
async function complaintsOf(page: Page): Promise<readonly string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.reload();
  await page.locator('main h1').first().waitFor();
  return complaints;
}

test.beforeEach(async ({ app }) => {
  await app.dashboard.bringToFront();
  await app.dashboard.setViewportSize(WIDE);
  await app.dashboard.reload();
  await app.dashboard.locator('main h1').first().waitFor();
});

test('pages.ts has a page that the navigation hides', async ({ app }) => {
  const links = await app.dashboard.getByRole('navigation', { name: 'Pages' }).getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(DASHBOARD_PAGES.map(({ path }) => `#${path}`).toSorted()).toEqual(links.toSorted());
});

for (const theme of THEMES) {
  test(`a page breaks its own policy or says an error, in the ${theme} theme`, async ({ app }) => {
    const page = app.dashboard;
    const complaints = await complaintsOf(page);
    await showIn(page, theme);
    for (const one of DASHBOARD_PAGES) {
      await goTo(page, one);
      expect([one.name, complaints]).toEqual([one.name, []]);
    }
    // What is drawn above a page comes with its own styles.
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.getByRole('menuitemradio').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /lock/i }).first().hover();
    await page.getByRole('tooltip').waitFor();
    expect(complaints).toEqual([]);
  });
}
