import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PresenceStatus } from '../../../src/shared/contract/presence.ts';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { seriousViolations } from './axe.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';
import { someSettings } from './settings-answers.ts';
import { answerAsWallet } from './wallet-answers.ts';

const PASSPHRASE = 'correct horse battery';

describe.skipIf(findChromium() === undefined)('the setting of presence in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let status: PresenceStatus;
  let proven: boolean;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 120_000);

  afterAll(() => world?.close());

  beforeEach(() => {
    answerAsWallet(world);
    proven = false;
    status = { above: '1.00', byDefault: true, methods: ['passphrase'], canAddPasskey: true, passkeys: [{ id: 'a'.repeat(64), label: 'Laptop <b>', createdAt: 1_700_000_000_000 }] };
    Object.assign(world.answers, {
      'settings.get': someSettings,
      'facilitators.list': () => ({ facilitators: [] }),
      'presence.get': () => status,
      'presence.set': ({ above }: { above: string }) => {
        if (!proven) throw new Refusal('PRESENCE_REQUIRED');
        return (status = { ...status, above, byDefault: false });
      },
      'presence.begin': () => ({ challenge: 'c'.repeat(43), expiresAt: Date.now() + 60_000, methods: ['passphrase'] }),
      'presence.prove': ({ passphrase }: { passphrase?: unknown }) => {
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

  const card = () => page.getByRole('region', { name: 'Proof that you are there' });
  const asked = () => world.calls.filter(({ route }) => route === 'presence.begin').at(-1)?.input;

  test('is changed without the proof that main wants, the proof is of another change, or a wrong amount is sent', async () => {
    page = await world.open({ hash: '#/settings' });
    await card().getByText('You are asked above $1.00, the usual amount.').waitFor();
    await card().getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'When to ask for proof' });
    await dialog.getByLabel('Amount').fill('5,00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Write an amount such as 5.00').waitFor();
    await dialog.getByLabel('Amount').fill('5.00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const proof = page.getByRole('dialog', { name: 'Prove that you are there' });
    await proof.getByLabel('Passphrase').fill('wrong');
    await page.keyboard.press('Enter');
    await proof.getByText('That is not the passphrase.').waitFor();
    expect(asked()).toEqual({ route: 'presence.set', input: { above: '5.00' } });
    await proof.getByLabel('Passphrase').fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    await proof.waitFor({ state: 'hidden' });
    await dialog.waitFor({ state: 'hidden' });
    expect(status.above).toBe('5.00');
  });

  test('is changed although the owner went back', async () => {
    page = await world.open({ hash: '#/settings' });
    await card().getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'When to ask for proof' });
    await dialog.getByLabel('Ask for proof').selectOption('off');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Prove that you are there' }).getByRole('button', { name: 'Back' }).click();
    await dialog.getByText('PRESENCE_REQUIRED').first().waitFor();
    expect(status.above).toBe('1.00');
  });

  test.each(['light', 'dark'] as const)('a screen reader or a weak eye is stopped, or a name is taken for markup (%s)', async (colorScheme) => {
    page = await world.open({ hash: '#/settings', colorScheme, viewport: { width: 360, height: 800 } });
    await card().getByText('Laptop <b>').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await card().getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Passphrase').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
