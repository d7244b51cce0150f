import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anApproval } from '../../unit/renderer/support/approval.ts';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { seriousViolations } from './axe.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';

const PASSPHRASE = 'correct horse battery';

describe.skipIf(findChromium() === undefined)('the proof of presence on the approval page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let waiting: boolean;
  let proven: boolean;
  let methods: readonly string[];

  beforeAll(async () => {
    world = await openPageWorld('approval');
  }, 120_000);

  afterAll(() => world?.close());

  beforeEach(() => {
    waiting = true;
    proven = false;
    methods = ['passphrase'];
    Object.assign(world.answers, {
      'app.status': () => ({ environment: 'mainnet' }),
      'policy.get': () => ({ policy: {} }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: true, locked: false }),
      'approvals.current': () => ({ ...(waiting && { approval: anApproval() }), count: waiting ? 1 : 0 }),
      'approvals.report': ({ visible }: { visible?: unknown }) => (visible === true ? { answerableAt: 0 } : {}),
      'approvals.decide': ({ decision }: { decision?: unknown }) => {
        if (decision === 'approve' && !proven) throw new Refusal('PRESENCE_REQUIRED');
        waiting = false;
        return {};
      },
      'presence.begin': () => ({ challenge: 'c'.repeat(43), expiresAt: Date.now() + 60_000, methods }),
      'presence.prove': ({ kind, passphrase }: { kind?: unknown; passphrase?: unknown }) => {
        if (kind === 'touch-id') throw new Refusal('PRESENCE_FAILED', 'Touch ID was not confirmed.');
        if (passphrase !== PASSPHRASE) throw new Refusal('PASSPHRASE_WRONG', 'That is not the passphrase.');
        proven = true;
        return {};
      },
    });
  });

  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const approve = () => page.getByRole('button', { name: /^Approve/ });
  const step = () => page.getByRole('region', { name: 'Prove that you are there' });
  const asksFor = async (): Promise<void> => {
    await approve().and(page.locator(':enabled')).click();
    await step().waitFor();
  };

  test('cannot be given by keyboard alone, a wrong passphrase is not said, or the payment waits on after it', async () => {
    page = await world.open({ viewport: { width: 360, height: 640 } });
    await approve().and(page.locator(':enabled')).focus();
    await page.keyboard.press('Space');
    await step().getByLabel('Passphrase').and(page.locator(':focus')).waitFor();
    expect(await step().getByLabel('Passphrase').getAttribute('autocomplete')).toBe('off');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await step().getByRole('alert').getByText('That is not the passphrase.').waitFor();
    await step().getByLabel('Passphrase').and(page.locator(':focus')).waitFor();
    await page.keyboard.type(PASSPHRASE);
    await page.keyboard.press('Enter');
    await page.getByText(/^Approved: /).waitFor();
    expect(waiting).toBe(false);
  });

  test('has no way back, or leaves the passphrase in the page', async () => {
    page = await world.open();
    await asksFor();
    await step().getByLabel('Passphrase').fill(PASSPHRASE);
    await step().getByRole('button', { name: 'Back' }).click();
    await step().waitFor({ state: 'hidden' });
    await approve().and(page.locator(':enabled:focus')).waitFor();
    expect(await page.locator('#presence-passphrase').inputValue()).toBe('');
    expect([proven, waiting]).toEqual([false, true]);
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/^Rejected: /).waitFor();
  });

  test('by Touch ID that was called off offers nothing else', async () => {
    methods = ['touch-id', 'passphrase'];
    page = await world.open();
    await asksFor();
    await step().getByRole('alert').getByText('Touch ID was not confirmed.').waitFor();
    await step().getByRole('button', { name: 'Use Touch ID' }).and(page.locator(':enabled:focus')).waitFor();
    await step().getByRole('button', { name: 'Use the passphrase instead' }).click();
    await step().getByLabel('Passphrase').fill(PASSPHRASE);
    await step().getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(/^Approved: /).waitFor();
  });

  test.each(['light', 'dark'] as const)('a screen reader or a weak eye is stopped, or it runs over the edge (%s)', async (colorScheme) => {
    methods = ['touch-id', 'passphrase'];
    page = await world.open({ colorScheme, viewport: { width: 360, height: 640 } });
    await asksFor();
    await step().getByRole('alert').getByText('Touch ID was not confirmed.').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await step().getByRole('button', { name: 'Use the passphrase instead' }).click();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
