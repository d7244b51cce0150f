import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import type { SettingsView } from '../../../src/shared/contract/settings.ts';
import { seriousViolations } from './axe.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import { openPageWorld, Refusal, type PageWorld } from './page-world.ts';
import { someSettings } from './settings-answers.ts';

describe.skipIf(findChromium() === undefined)('the Settings page in Chromium', () => {
  let world: PageWorld;
  let page: Page;
  let settings: SettingsView;

  beforeAll(async () => {
    world = await openPageWorld('dashboard');
  }, 120_000);
  afterAll(() => world?.close());

  beforeEach(() => {
    settings = someSettings();
    Object.assign(world.answers, {
      'app.status': () => ({ version: '0.1.0', environment: 'mainnet', host: 'electron', home: '/home', commandLine: 'npm run -s bursar --', mcpUrl: 'http://127.0.0.1:1/mcp', keys: { backend: 'keychain', locked: false, passphraseBeside: false }, networks: [], warnings: [] }),
      'owner.status': () => ({ passphraseSet: true, sessionNeeded: false, locked: false, lockAfterMinutes: 60 }),
      'approvals.waiting': () => ({ waiting: [] }),
      'policy.get': () => ({ number: 3, savedAt: 1, author: 'owner', policy: { version: 1, timeZone: 'Europe/Berlin', caps: [], rules: [], otherwise: 'ask' } }),
      'facilitators.list': () => ({ facilitators: [{ network: 'eip155:8453', urls: ['https://facilitator.example'], own: true }, { network: '*', urls: [HOSTILE_TEXTS[0]], own: true }] }),
      'settings.get': () => settings,
      'presence.get': () => ({ above: '1.00', byDefault: true, methods: ['passphrase'], canAddPasskey: false, passkeys: [] }),
      'desktop.get': () => ({ supported: false, lockOn: { screenLock: false, sleep: false }, updates: { kind: 'none', check: true } }),
    });
  });
  afterEach(async () => {
    await page.context().close();
    expect(world.complaints).toEqual([]);
  });

  const sent = (route: string) => world.calls.filter((call) => call.route === route).map(({ input }) => input);
  const open = async (options: Parameters<PageWorld['open']>[0] = {}) => {
    page = await world.open({ hash: '#/settings', ...options });
    await page.getByRole('heading', { name: 'Networks', exact: true }).waitFor();
  };

  test.each(['light', 'dark'] as const)('a screen reader or a keyboard cannot use it in the %s theme', async (colorScheme) => {
    await open({ colorScheme });
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Change Base' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Addresses').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  test('somebody without a terminal cannot get to another kind of money, or is shown the way to one that this program does not bring', async () => {
    settings = { ...someSettings(), starts: { ...someSettings().starts, sandbox: '' }, startsByItself: true };
    world.answers['settings.start'] = () => ({});
    await open();
    const card = page.getByRole('region', { name: 'Kind of money' });
    await card.getByRole('button', { name: 'Open test networks' }).click();
    await expect.poll(() => sent('settings.start')).toEqual([{ environment: 'testnet' }]);
    expect(await card.getByRole('button').count()).toBe(1);
    expect(await card.innerText()).not.toContain('npm');
  });

  test('it is wider than a small window', async () => {
    await open({ viewport: { width: 360, height: 700 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  test('an address is saved that is none, a wrong chain looks right, or what was found stays beside other addresses', async () => {
    world.answers['settings.checkRpc'] = ({ rpcUrls }) => ({ checks: (rpcUrls as string[]).map((url, index) => ({ url, state: index === 0 ? 'wrong-network' : 'ok', text: index === 0 ? 'rpc.example serves Ethereum (eip155:1), not Base (eip155:8453).' : 'second.example answers.' })) });
    world.answers['networks.set'] = () => ({});
    await open();
    await page.getByRole('button', { name: 'Change Base' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Addresses').fill('rpc.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('is not an address that begins with', { exact: false }).waitFor();
    expect(sent('networks.set')).toEqual([]);
    await dialog.getByLabel('Addresses').fill('https://rpc.example\nhttps://second.example');
    await dialog.getByRole('button', { name: 'Check them' }).click();
    await dialog.getByText('Wrong chain').waitFor();
    await dialog.getByText('Reachable', { exact: true }).waitFor();
    await dialog.getByLabel('Addresses').fill('https://second.example');
    expect(await dialog.getByText('Wrong chain').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(sent('networks.set')).toEqual([{ network: 'eip155:8453', rpcUrls: ['https://second.example'] }]);
  });

  test('a network whose payments are not final is disabled, or nobody learns why not', async () => {
    world.answers['networks.disable'] = () => {
      throw new Refusal('NETWORK_BUSY', 'One payment is not final on this network, so it cannot be disabled now.');
    };
    await open();
    await page.getByRole('button', { name: 'Disable Base' }).click();
    await page.getByRole('alert').getByText('One payment is not final', { exact: false }).waitFor();
    await page.getByText('One more network').click();
    await page.getByRole('button', { name: 'Enable Polygon' }).click();
    await page.getByRole('dialog').getByText('RPC addresses of Polygon').waitFor();
  });

  test('a lock of the desktop application that is switched changes another one, or is offered where nothing hears of it', async () => {
    const desktop = { supported: true, lockOn: { screenLock: false, sleep: false }, updates: { kind: 'notice', check: true } };
    world.answers['desktop.get'] = () => desktop;
    world.answers['desktop.set'] = ({ lockOn, checkForUpdates }) => {
      Object.assign(desktop.lockOn, lockOn);
      if (checkForUpdates !== undefined) desktop.updates = { ...desktop.updates, check: checkForUpdates === true };
      return desktop;
    };
    await open();
    await page.getByLabel('Lock on sleep').click();
    await page.getByRole('switch', { name: 'Lock on sleep', checked: true }).and(page.locator(':enabled')).waitFor();
    await page.getByLabel('Look for newer versions').click();
    await expect.poll(() => sent('desktop.set')).toEqual([{ lockOn: { sleep: true } }, { checkForUpdates: false }]);
    expect(await page.getByLabel('Lock with the screen').isChecked()).toBe(false);
    expect(await seriousViolations(page)).toEqual([]);
    await page.context().close();
    desktop.supported = false;
    await open();
    await page.getByText('Start Bursar when you sign in').waitFor();
    expect(await page.getByLabel('Lock on sleep').count()).toBe(0);
  });

  test('a notification that is switched changes another one, or autostart that the system refuses looks done', async () => {
    world.answers['settings.set'] = ({ notifications, autostart }) => {
      if (autostart !== undefined) throw new Refusal('LOGIN_ITEM_FAILED', 'The system refused.');
      settings = { ...settings, notifications: { ...settings.notifications, on: { ...settings.notifications.on, ...(notifications as object) } } };
      return settings;
    };
    await open();
    await page.getByLabel('Something needs your attention').click();
    await expect.poll(() => sent('settings.set')).toEqual([{ notifications: { warnings: true } }]);
    await page.getByLabel('Start Bursar when you sign in').click();
    await page.getByText('The system refused.').waitFor();
    expect(await page.getByLabel('Start Bursar when you sign in').isChecked()).toBe(false);
    expect(await page.getByLabel('A payment waits for you').isChecked()).toBe(true);
  });

  test('real money is put aside without the word and the passphrase, or nobody learns where it lies', async () => {
    world.answers['settings.reset'] = ({ passphrase }) => {
      if (passphrase !== 'correct horse') throw new Refusal('PASSPHRASE_WRONG', 'The passphrase is wrong.');
      return { keptIn: '/home/somebody/.local/share/bursar/mainnet-kept-2026-11-21' };
    };
    await open();
    await page.getByRole('button', { name: 'Start over…' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Put it aside' });
    await confirm.click();
    await dialog.getByText('Type the word “move”.').waitFor();
    await dialog.getByLabel('Type “move”').fill('move');
    await confirm.click();
    expect(sent('settings.reset')).toEqual([]);
    await dialog.getByLabel('Passphrase').fill('wrong one');
    await confirm.click();
    await dialog.getByText('The passphrase is wrong.').waitFor();
    await dialog.getByLabel('Passphrase').fill('correct horse');
    await confirm.click();
    await dialog.getByText('/home/somebody/.local/share/bursar/mainnet-kept-2026-11-21').waitFor();
  });

  test('settings that cannot be read leave an empty page', async () => {
    world.answers['settings.get'] = () => {
      throw new Refusal('INTERNAL', 'The request settings.get failed inside Bursar.');
    };
    page = await world.open({ hash: '#/settings' });
    await page.getByRole('alert').getByText('failed inside Bursar', { exact: false }).waitFor();
    world.answers['settings.get'] = () => settings;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Networks', exact: true }).waitFor();
  });
});
