import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronApplication, Page } from '@playwright/test';
import { httpAgent } from '../support/http-agent.ts';
import { startHoldingProxy } from '../support/servers/holding-proxy.ts';
import { expect, test } from './app.ts';
import { startElectron } from './launch-electron.ts';
import { askFrom, requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

/** What only the double writes down. */
interface Recorded {
  readonly __record: {
    readonly notifications: { readonly title: string; readonly body: string; readonly actions?: unknown; click(): void }[];
    readonly questions: { readonly options: { readonly message: string; readonly buttons: readonly string[] }; answer(button: number): void }[];
    readonly badge: number;
  };
}

test.beforeEach(({ app }) => test.skip(app.electron === undefined, 'only Electron has windows, links and a desktop around them'));

const electronOf = (app: RunningApp): ElectronApplication => {
  if (app.electron === undefined) throw new Error('no Electron');
  return app.electron;
};
const hashOf = (page: Page) => new URL(page.url()).hash;
const dashboards = (electron: ElectronApplication) => electron.windows().filter((page) => /\/(#.*)?$/.test(page.url()));
const openLink = (electron: ElectronApplication, link: string) => electron.evaluate(({ app }, url) => void app.emit('second-instance', {}, ['bursar', url], '/'), link);
const logOf = (app: RunningApp) => readFileSync(join(app.home, 'logs', 'bursar.log'), 'utf8');

test.describe('links', () => {
  test('a link that the system hands to a second process opens nothing, or a second window', async ({ app, host }) => {
    if (host === 'headless') return;
    const electron = electronOf(app);
    await expect(startElectron(host, app.home, ['bursar://history'])).rejects.toThrow();
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/history');
    expect(dashboards(electron)).toHaveLength(1);
  });

  test('the event that macOS sends instead is not heard', async ({ app }) => {
    await electronOf(app).evaluate(({ app: application }) => void application.emit('open-url', { preventDefault() {} }, 'bursar://wallets'));
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/wallets');
  });

  test('I7: a link of a web page does more than open a page of ours', async ({ app }) => {
    const electron = electronOf(app);
    await openLink(electron, 'bursar://budgets');
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/budgets');
    const bad = ['bursar://approve', 'bursar://budgets?limit=9', 'bursar://evil.example/#/wallets', 'bursar:app.quit', 'bursar://settings/../wallets'];
    for (const link of bad) await openLink(electron, link);
    await expect.poll(() => logOf(app).split('\n').filter((line) => line.includes('a link was ignored')).length).toBe(bad.length);
    expect(hashOf(app.dashboard)).toBe('#/budgets');
    expect(electron.windows().filter((page) => page.url().includes('approve'))).toEqual([]);
  });

  test('a page that somebody types in loses what is in it when a link opens the page that it is on', async ({ app }) => {
    const electron = electronOf(app);
    await openLink(electron, 'bursar://contacts');
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/contacts');
    await app.dashboard.evaluate(() => void ((window as unknown as { kept: boolean }).kept = true));
    await openLink(electron, 'bursar://contacts');
    await openLink(electron, 'bursar://overview');
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/');
    expect(await app.dashboard.evaluate(() => (window as unknown as { kept?: boolean }).kept)).toBe(true);
  });
});

test.describe('the window', () => {
  test('is not where it was, is lost on a screen that is gone, or does not open over a broken file', async ({ launch }) => {
    const app = await launch();
    const electron = electronOf(app);
    const file = join(app.home, 'electron', 'window.json');
    const reopened = async () => {
      const again = electron.waitForEvent('window');
      await electron.evaluate(({ app: application }) => void application.emit('activate'));
      const page = await again;
      await expect(page.getByRole('heading').first()).toBeVisible();
      const window = await electron.browserWindow(page);
      return { page, bounds: await window.evaluate((one) => one.getNormalBounds()), maximized: await window.evaluate((one) => one.isMaximized()) };
    };
    const window = await electron.browserWindow(app.dashboard);
    const bounds = { x: 40, y: 30, width: 900, height: 640 };
    await window.evaluate((one, to) => one.setBounds(to), bounds);
    await window.evaluate((one) => one.maximize());
    await app.dashboard.close();
    await expect.poll(() => existsSync(file)).toBe(true);
    const second = await reopened();
    expect(second).toMatchObject({ bounds, maximized: true });

    await second.page.close();
    writeFileSync(file, JSON.stringify({ version: 1, bounds: { ...bounds, x: 5000 }, maximized: false }));
    const third = await reopened();
    expect(third.bounds).toMatchObject({ width: 1080, height: 760 });
    expect(third.bounds.x).toBeLessThan(1920);

    await third.page.close();
    writeFileSync(file, '{"version":1,"bounds":');
    const fourth = await reopened();
    await expect(fourth.page.getByRole('heading').first()).toBeVisible();
    await fourth.page.close();
  });

  test('stays away after its page crashed, or comes back on another page', async ({ launch }) => {
    const app = await launch();
    const electron = electronOf(app);
    await openLink(electron, 'bursar://activity');
    await expect.poll(() => hashOf(app.dashboard)).toBe('#/activity');
    const again = electron.waitForEvent('window');
    const window = await electron.browserWindow(app.dashboard);
    await window.evaluate((one) => void one.webContents.forcefullyCrashRenderer());
    const page = await again;
    await page.waitForURL(/#\/activity$/);
    await expect(page.getByRole('heading').first()).toBeVisible();
    expect(await askFrom(page, 'app.status', {})).toMatchObject({ ok: true });
    expect(electron.process().exitCode).toBeNull();
  });
});

test('a popup whose page crashed answers the request by it, or is not shown again', async ({ launch }) => {
  const app = await launch();
  const electron = electronOf(app);
  const agent = await httpAgent(app);
  const answer = agent.call('moon_phase', { date: '2026-02-02' });
  const crashed = await app.attendedApproval();
  await expect(crashed.getByText('moon_phase').first()).toBeVisible();
  const again = electron.waitForEvent('window');
  const window = await electron.browserWindow(crashed);
  await window.evaluate((one) => void one.webContents.forcefullyCrashRenderer());
  const page = await again;
  await expect(page.getByText('moon_phase').first()).toBeVisible();
  expect((await requestFrom(app.dashboard, 'approvals.waiting', {})).waiting).toHaveLength(1);
  const popup = await electron.browserWindow(page);
  await popup.evaluate((one) => one.focus());
  await page.getByRole('button', { name: /^Reject/ }).click();
  expect((await answer).result?.content[0]?.text).toContain('APPROVAL_REJECTED');
});

test('Bursar quits in the middle of a paid call without a word', async ({ launch, host }) => {
  test.skip(host !== 'double', 'a question of the system can be answered in the double alone');
  const app = await launch();
  const electron = electronOf(app);
  const { upstreams } = await requestFrom(app.dashboard, 'upstreams.list', {});
  const demo = upstreams.find(({ name }) => name === 'demo');
  const proxy = await startHoldingProxy(demo?.address ?? '');
  try {
    await requestFrom(app.dashboard, 'upstreams.add', { name: 'slow', transport: { kind: 'http', url: proxy.url, headers: {} } });
    const answer = (await httpAgent(app, 'slow')).call('moon_phase', { date: '2026-03-03' });
    const page = await app.attendedApproval();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await proxy.held;

    const questions = () => electron.evaluate((all) => {
      const { __record: record } = all as unknown as Recorded;
      return record.questions.map(({ options }) => options.message);
    });
    const answerWith = (button: number) => electron.evaluate((all, place) => {
      const { __record: record } = all as unknown as Recorded;
      return record.questions.at(-1)?.answer(place);
    }, button);
    const quit = () => electron.evaluate(({ app: application }) => application.quit());
    await quit();
    await expect.poll(questions).toEqual(['A payment is under way.']);
    await quit();
    expect(await questions()).toHaveLength(1);
    await answerWith(2);
    expect(await requestFrom(app.dashboard, 'payments.list', { limit: 1 })).toMatchObject({ payments: [{ status: 'paying' }] });

    await quit();
    await expect.poll(questions).toHaveLength(2);
    const code = new Promise((resolve) => electron.process().once('exit', resolve));
    await answerWith(0);
    expect(await askFrom(app.dashboard, 'app.status', {})).toMatchObject({ ok: true });
    proxy.release();
    expect((await answer).result?.isError ?? false).toBe(false);
    expect(await code).toBe(0);
  } finally {
    await proxy.close();
  }
});

test('the keys stay open behind a locked screen, or are locked unasked', async ({ launch }) => {
  const app = await launch();
  const electron = electronOf(app);
  const happens = (event: 'lock-screen' | 'suspend') => electron.evaluate(({ powerMonitor }, name) => void powerMonitor.emit(name), event);
  const locked = async () => (await requestFrom(app.dashboard, 'owner.status', {})).locked;
  await requestFrom(app.dashboard, 'owner.setPassphrase', { passphrase: 'correct horse battery' });
  expect(await requestFrom(app.dashboard, 'desktop.get', {})).toMatchObject({ supported: true, lockOn: { screenLock: false, sleep: false }, updates: { kind: 'none', check: true } });
  await happens('lock-screen');
  await happens('suspend');
  expect(await locked()).toBe(false);
  await requestFrom(app.dashboard, 'desktop.set', { lockOn: { sleep: true } });
  await happens('lock-screen');
  expect(await locked()).toBe(false);
  await happens('suspend');
  await expect.poll(locked).toBe(true);
  await requestFrom(app.dashboard, 'owner.unlock', { passphrase: 'correct horse battery' });
  await requestFrom(app.dashboard, 'desktop.set', { lockOn: { screenLock: true } });
  await happens('lock-screen');
  await expect.poll(locked).toBe(true);
});

test.describe('notifications', () => {
  test.beforeEach(({ host }) => test.skip(host !== 'double', 'only the double writes down what was notified'));
  const notified = (electron: ElectronApplication) => electron.evaluate((all) => {
      const { __record: record } = all as unknown as Recorded;
      return record.notifications.map(({ title, body, actions }) => ({ title, body, actions }));
    });
  const click = (electron: ElectronApplication) => electron.evaluate((all) => {
      const { __record: record } = all as unknown as Recorded;
      return record.notifications.at(-1)?.click();
    });

  test('a payment that waits is not told, has a button that approves, or leads nowhere', async ({ launch }) => {
    const app = await launch();
    const electron = electronOf(app);
    const dashboard = await electron.browserWindow(app.dashboard);
    await dashboard.evaluate((window) => window.hide());
    const answer = (await httpAgent(app)).call('moon_phase', { date: '2026-04-04' });
    await expect.poll(() => notified(electron)).toEqual([{ title: 'A payment waits for you', body: 'The server "demo" asks to be paid.', actions: undefined }]);
    expect(await electron.evaluate((all) => {
      const { __record: record } = all as unknown as Recorded;
      return record.badge;
    })).toBe(1);
    const page = await app.approval();
    const popup = await electron.browserWindow(page);
    expect(await popup.evaluate((window) => window.isFocused())).toBe(false);
    await click(electron);
    await expect.poll(() => popup.evaluate((window) => window.isFocused())).toBe(true);
    expect((await requestFrom(app.dashboard, 'approvals.waiting', {})).waiting).toHaveLength(1);
    await page.getByRole('button', { name: /^Reject/ }).click();
    await answer;
    await expect.poll(() => electron.evaluate((all) => {
      const { __record: record } = all as unknown as Recorded;
      return record.badge;
    })).toBe(0);
  });

  test('a warning is told while the owner looks at it, twice, or never', async ({ launch }) => {
    const app = await launch();
    const electron = electronOf(app);
    const dashboard = await electron.browserWindow(app.dashboard);
    const { balances } = await requestFrom(app.dashboard, 'accounts.list', {});
    const held = balances.find(({ asset: { network, symbol } }) => symbol === 'USDC' && network.startsWith('eip155:'))?.asset;
    if (held === undefined) throw new Error('no USDC on play money');
    const asset = `${held.network}/erc20:${held.address}`;
    await dashboard.evaluate((window) => window.hide());
    await requestFrom(app.dashboard, 'accounts.setAlert', { asset, amount: '9999999' });
    await expect.poll(() => notified(electron)).toHaveLength(1);
    expect((await notified(electron))[0]).toMatchObject({ title: 'Bursar needs your attention', body: expect.stringContaining('USDC') });
    await requestFrom(app.dashboard, 'accounts.setAlert', { asset, amount: '9999999' });
    await click(electron);
    await expect.poll(() => dashboard.evaluate((window) => window.isVisible() && window.isFocused())).toBe(true);
    expect(await notified(electron)).toHaveLength(1);
  });
});
