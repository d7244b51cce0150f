import type { Page } from '@playwright/test';
import { COLOUR_RULES, seriousViolations } from '../integration/renderer/axe.ts';
import { DASHBOARD_PAGES, goTo, overflowOf, showIn } from '../support/dashboard-pages.ts';
import { walkByKeyboard } from '../support/keyboard-walk.ts';
import { httpAgent } from '../support/http-agent.ts';
import { expect, test } from './app.ts';

const THEMES = ['light', 'dark'] as const;
/** The pages are one document in both themes: the second can break colours alone. */
const RULES = { light: undefined, dark: COLOUR_RULES } as const;
const ONCE = 'the same pages in the same Chromium: once is enough';
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };

/** What the page says to be wrong: scripts and styles that its policy refuses, and errors. Kept from the next load on. */
async function complaintsOf(page: Page): Promise<readonly string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await load(page);
  return complaints;
}

async function load(page: Page): Promise<void> {
  await page.reload();
  await page.locator('main h1').first().waitFor();
}

/** Buttons that open a dialog say so by three dots. */
const openers = (page: Page) => page.locator('main').getByRole('button', { name: /…$/, disabled: false });

test.beforeEach(async ({ app }) => {
  test.slow();
  await app.dashboard.bringToFront();
  await app.dashboard.setViewportSize(WIDE);
  await load(app.dashboard);
});

test('pages.ts has a page that the navigation hides, or the navigation one that is reached from others', async ({ app }) => {
  const links = await app.dashboard.getByRole('navigation', { name: 'Pages' }).getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(new Set(links)).toEqual(new Set(DASHBOARD_PAGES.filter(({ hidden }) => !hidden).map(({ path }) => `#${path}`)));
});

for (const theme of THEMES) {
  test(`a page breaks its own policy or says an error, in the ${theme} theme`, async ({ app }) => {
    const page = app.dashboard;
    const complaints = await complaintsOf(page);
    await showIn(page, theme);
    for (const one of DASHBOARD_PAGES) {
      await goTo(page, one);
      expect.soft([one.name, complaints]).toEqual([one.name, []]);
    }
    // What is drawn above a page comes with its own styles.
    await page.getByRole('button', { name: /^Theme/ }).click();
    await page.getByRole('menuitemradio').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /lock/i }).first().hover();
    await page.getByRole('tooltip').waitFor();
    expect(complaints).toEqual([]);
  });

  test(`a page or a dialog stops a screen reader or a weak eye, in the ${theme} theme`, async ({ app, host }) => {
    test.skip(host === 'double', ONCE);
    const page = app.dashboard;
    await showIn(page, theme);
    for (const one of DASHBOARD_PAGES) {
      await goTo(page, one);
      expect.soft([one.name, await seriousViolations(page, RULES[theme])]).toEqual([one.name, []]);
      for (const name of new Set(await openers(page).allInnerTexts())) {
        await openers(page).filter({ hasText: name }).first().click();
        await page.getByRole('dialog').waitFor();
        expect.soft([one.name, name, await seriousViolations(page, RULES[theme])]).toEqual([one.name, name, []]);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      }
    }
    await page.setViewportSize(NARROW);
    await page.getByRole('button', { name: /list of pages/ }).click();
    await page.getByRole('dialog', { name: 'Pages' }).waitFor();
    expect(await seriousViolations(page, RULES[theme])).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test(`the approval page stops a screen reader or a weak eye, or scrolls sideways at 360 px, in the ${theme} theme`, async ({ app }) => {
    const answer = (await httpAgent(app)).call('sun_times', { latitude: 52.5, longitude: 13.4, date: `2026-06-2${THEMES.indexOf(theme)}` });
    const page = await app.attendedApproval();
    await page.setViewportSize(NARROW);
    await showIn(page, theme);
    await page.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
    expect(await seriousViolations(page, RULES[theme])).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await page.getByRole('button', { name: /^Reject/ }).click();
    expect((await answer).result?.isError).toBe(true);
  });
}

test('a page scrolls sideways at 360 px', async ({ app, host }) => {
  test.skip(host === 'double', ONCE);
  const page = app.dashboard;
  await page.setViewportSize(NARROW);
  for (const one of DASHBOARD_PAGES) {
    await goTo(page, one);
    expect.soft([one.name, await overflowOf(page)]).toEqual([one.name, 0]);
  }
});

test('a control cannot be reached by the keyboard, or does not show that it has the focus', async ({ app, host }) => {
  test.skip(host === 'double', ONCE);
  for (const one of DASHBOARD_PAGES) {
    await goTo(app.dashboard, one);
    const { missed, unseen } = await walkByKeyboard(app.dashboard);
    expect.soft({ page: one.name, missed, unseen }).toEqual({ page: one.name, missed: [], unseen: [] });
  }
});

test('a dialog that closes loses the focus', async ({ app, host }) => {
  test.skip(host === 'double', ONCE);
  const page = app.dashboard;
  for (const one of DASHBOARD_PAGES) {
    await goTo(page, one);
    for (const name of new Set(await openers(page).allInnerTexts())) {
      const opener = openers(page).filter({ hasText: name }).first();
      await opener.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      expect.soft([one.name, name, await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)]).toEqual([one.name, name, true]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect(opener).toBeFocused();
    }
  }
});
