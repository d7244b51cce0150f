import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron, expect, type ElectronApplication, type Page } from '@playwright/test';
import { expectNoLeak, noteOutput, noteProcesses } from '../support/home-leaks.ts';
import { requestFrom } from './page-request.ts';
import type { RunningApp } from './running-app.ts';

const root = join(import.meta.dirname, '..', '..');
const double = join(root, 'test', 'support', 'electron-double', 'electron');

/** Electron's own executable, read without `require('electron')`, which would start a download. */
function electronBinary(): string {
  const folder = join(root, 'node_modules', 'electron');
  const named = join(folder, 'path.txt');
  const binary = existsSync(named) ? join(folder, 'dist', readFileSync(named, 'utf8')) : undefined;
  if (binary === undefined || !existsSync(binary)) throw new Error('The Electron binary is not here. Fetch it with: node node_modules/electron/install.js');
  return binary;
}

/** Starts the Electron entry without waiting for a window. */
export function startElectron(host: 'double' | 'electron', home: string, args: readonly string[] = []): Promise<ElectronApplication> {
  const { ...env } = process.env;
  return _electron.launch({
    executablePath: host === 'double' ? double : electronBinary(),
    args: [join(root, 'out', 'main', 'index.js'), '--home', home, '--network', 'sandbox', '--port', '0', ...args],
    cwd: root,
    // Playwright's own type wants no undefined; an environment has none.
    env: { ...(env as Record<string, string>), ELECTRON_DOUBLE_NODE: process.execPath, BURSAR_NODE: process.execPath },
  });
}

/** The window whose address ends so, now or as soon as it opens. Asked for again and again: a window that is there may yet have no address. */
async function windowAt(electron: ElectronApplication, path: RegExp): Promise<Page> {
  const found = () => electron.windows().find((page) => path.test(page.url()));
  await expect.poll(() => found() !== undefined, { intervals: [20], timeout: 30_000 }).toBe(true);
  const page = found();
  if (page === undefined) throw new Error('The window closed as soon as it had opened.');
  await page.waitForLoadState();
  return page;
}

/** Starts the Electron entry on play money with its dashboard open. */
export async function launchElectron(host: 'double' | 'electron', home: string): Promise<RunningApp> {
  const electron = await startElectron(host, home);
  const dashboard = await windowAt(electron, /\/(#.*)?$/);
  const { mcpUrl } = await requestFrom(dashboard, 'app.status', {});
  const { token } = await requestFrom(dashboard, 'clients.token', {});
  const child = electron.process();
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => noteOutput(home, 'standard output or error', chunk));
  const approval = (): Promise<Page> => windowAt(electron, /\/approve(#.*)?$/);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    host,
    home,
    mcp: mcpUrl,
    token,
    pid: child.pid ?? 0,
    electron,
    dashboard,
    approval,
    async attendedApproval() {
      const page = await approval();
      const popup = await electron.browserWindow(page);
      await expect.poll(() => popup.evaluate((window) => window.isVisible())).toBe(true);
      await popup.evaluate((window) => window.focus());
      return page;
    },
    async close() {
      if (child.pid !== undefined) noteProcesses(home, child.pid);
      await electron.close();
      await expectNoLeak(home);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
