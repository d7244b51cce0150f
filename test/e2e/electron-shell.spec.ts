import { join } from 'node:path';
import { expect, test } from './app.ts';
import { startElectron } from './launch-electron.ts';
import { askFrom } from './page-request.ts';

test.beforeEach(({ app }) => test.skip(app.electron === undefined, 'only Electron has windows and a tray'));

test('a second instance on the same folder ends and brings the first one forward', async ({ app, host }) => {
  const electron = app.electron;
  if (electron === undefined || host === 'headless') return;
  const dashboard = await electron.browserWindow(app.dashboard);
  await dashboard.evaluate((window) => window.hide());
  await expect(startElectron(host, app.home)).rejects.toThrow();
  await expect.poll(() => dashboard.evaluate((window) => window.isVisible() && window.isFocused())).toBe(true);
});

test('closing the dashboard leaves the application running, and the tray brings it back', async ({ launch, host }) => {
  const app = await launch();
  await app.dashboard.close();
  await expect.poll(() => app.electron?.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(0);
  expect(app.electron?.process().exitCode).toBeNull();
  test.skip(host !== 'double', 'only the double records the tray');
  const opened = app.electron?.waitForEvent('window');
  await app.electron?.evaluate((electron) => {
    const { __record } = electron as unknown as { __record: { trays: { toolTip: string; image: { isEmpty(): boolean }; menu: { getMenuItemById(id: string): { click(): void } } }[] } };
    const [tray] = __record.trays;
    if (tray === undefined || tray.image.isEmpty() || tray.toolTip !== 'Bursar, play money') throw new Error('no tray with an icon and a name');
    tray.menu.getMenuItemById('dashboard').click();
  });
  expect(await opened).toBeDefined();
});

test('quitting ends the process with code 0', async ({ launch }) => {
  const app = await launch();
  const code = new Promise((resolve) => app.electron?.process().once('exit', resolve));
  await app.electron?.evaluate(({ app: application }) => application.quit()).catch(() => undefined);
  expect(await code).toBe(0);
});

test('a window that main did not admit gets no answer, even with our preload on our page', async ({ app }) => {
  const electron = app.electron;
  if (electron === undefined) return;
  const opened = electron.waitForEvent('window');
  await electron.evaluate(async ({ BrowserWindow }, preload) => {
    const window = new BrowserWindow({ show: false, title: 'stranger', webPreferences: { preload, sandbox: true } });
    await window.loadURL('app://bursar/');
  }, join(import.meta.dirname, '..', '..', 'out', 'preload', 'dashboard.cjs'));
  const stranger = await opened;
  // It is there before its page is.
  await stranger.waitForURL(/\/(#.*)?$/);
  await stranger.waitForLoadState();
  expect(await askFrom(stranger, 'app.status', {})).toMatchObject({ ok: false, error: { code: 'FORBIDDEN' } });
  await stranger.close();
});

test('a window that shows words can be photographed, or stays dark afterwards', async ({ launch, host }) => {
  test.skip(host !== 'double', 'Linux has no content protection to read back');
  const app = await launch();
  const window = await app.electron!.browserWindow(app.dashboard);
  const isProtected = () => window.evaluate((dashboard) => dashboard.isContentProtected());
  const passphrase = 'correct horse battery';
  expect(await askFrom(app.dashboard, 'owner.setPassphrase', { passphrase })).toMatchObject({ ok: true });
  expect(await askFrom(app.dashboard, 'seeds.reveal', { passphrase: 'another one' })).toMatchObject({ ok: false, error: { code: 'PASSPHRASE_WRONG' } });
  expect(await isProtected()).toBe(false);
  expect(await askFrom(app.dashboard, 'seeds.reveal', { passphrase })).toMatchObject({ ok: true, value: { words: expect.arrayContaining([expect.any(String)]) } });
  expect(await isProtected()).toBe(true);
  await askFrom(app.dashboard, 'secrets.hidden', {});
  expect(await isProtected()).toBe(false);
});
