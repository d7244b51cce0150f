import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { anApproval } from '../../unit/renderer/support/approval.ts';
import { seriousViolations } from './axe.ts';
import { openPageWorld, type PageWorld } from './page-world.ts';
import { answerAsWallet } from './wallet-answers.ts';

const PAGES = ['Overview', 'Approvals', 'History', 'Activity', 'Wallets', 'Budgets', 'Contacts', 'Sent links', 'Discover', 'Servers', 'Connect', 'Clients', 'Settings'];

describe.skipIf(findChromium() === undefined)('the navigation in Chromium', () => {
  let world: PageWorld;
  let page: Page;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 60_000);
  afterAll(() => world?.close());
  beforeEach(() => answerAsWallet(world));
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const focused = () => page.evaluate(() => document.activeElement?.textContent);

  test('a large window lacks a page, or does not say which one is open', async () => {
    page = await world.open({ hash: '#/wallets', viewport: { width: 1280, height: 800 } });
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    expect(await links.allInnerTexts()).toEqual(PAGES);
    expect(await page.locator('[aria-current=page]').allInnerTexts()).toEqual(['Wallets']);
    await links.filter({ hasText: 'Contacts' }).click();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    expect(await focused()).toBe('Contacts');
    expect(await page.getByRole('button', { name: 'Open the list of pages' }).isVisible()).toBe(false);
  });

  test('a small window loses the pages, the focus while they are open, or the place it came from', async () => {
    page = await world.open({ hash: '#/wallets', viewport: { width: 360, height: 640 } });
    const menu = page.getByRole('button', { name: 'Open the list of pages' });
    await menu.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Pages' });
    await drawer.getByRole('link').first().waitFor();
    expect(await drawer.getByRole('link').allInnerTexts()).toEqual(PAGES);
    for (let press = 0; press < PAGES.length + 6; press += 1) {
      await page.keyboard.press('Tab');
      // The browser's own controls may have it for a moment; nothing behind the drawer may.
      expect(await page.evaluate(() => document.activeElement === document.body || document.activeElement?.closest('[role=dialog]') !== null)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true);
    await menu.click();
    await drawer.getByRole('link', { name: 'Budgets' }).click();
    await page.getByRole('heading', { name: 'Budgets', level: 1 }).waitFor();
    await drawer.waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('Budgets and rules');
  });

  test('a small window hides that payments wait', async () => {
    world.answers['approvals.waiting'] = () => ({ waiting: [anApproval({ paymentId: 'a' }), anApproval({ paymentId: 'b' })] });
    page = await world.open({ hash: '#/wallets', viewport: { width: 360, height: 640 } });
    await page.getByRole('button', { name: /2 payments wait for you/ }).waitFor();
  });

  test.each(['light', 'dark'] as const)('a screen reader or a weak eye is stopped by the drawer (%s)', async (colorScheme) => {
    page = await world.open({ hash: '#/wallets', colorScheme, viewport: { width: 360, height: 640 } });
    await page.getByRole('button', { name: 'Open the list of pages' }).click();
    await page.getByRole('dialog', { name: 'Pages' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });
});
