import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/find-chromium.mjs';
import { application } from './app.mjs';

const FLAGS = [
  '--headless',
  '--hide-scrollbars',
  '--remote-debugging-port=0',
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-extensions',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--password-store=basic',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  '--disable-features=HttpsUpgrades,PaintHolding,OptimizationHints,MediaRouter',
  // A leash: Chromium leaves when this pipe breaks, even after the main process was killed.
  '--remote-debugging-pipe',
];

/** The one browser context, Electron's default session; set by {@link boot}. */
export const held = { context: undefined };

/** Starts Chromium, then lets the app become ready: at once, or when Playwright is attached and says so. */
export async function boot() {
  const executable = findChromium();
  if (executable === undefined) throw new Error('No Chromium was found. Set BURSAR_CHROMIUM to one, or run: node scripts/ensure-chromium.mjs');
  const profile = mkdtempSync(join(tmpdir(), 'electron-double-'));
  process.on('exit', () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const chrome = spawn(executable, [...FLAGS, ...root, `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  const endpoint = await new Promise((resolve, reject) => {
    chrome.once('error', reject);
    chrome.once('exit', (code) => reject(new Error(`Chromium exited with ${code}`)));
    createInterface({ input: chrome.stderr }).on('line', (line) => {
      const found = /^DevTools listening on (ws:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  const browser = await chromium.connectOverCDP(endpoint, { isLocal: true });
  [held.context] = browser.contexts();

  chrome.once('exit', () => {
    if (!application.quitting) process.exit(1);
  });
  application.endBrowser = async () => {
    if (chrome.exitCode !== null) return;
    const gone = new Promise((resolve) => {
      chrome.once('exit', resolve);
    });
    setTimeout(() => chrome.kill('SIGKILL'), 3000).unref();
    chrome.kill();
    await gone;
  };

  // Playwright's name, which it calls by.
  // eslint-disable-next-line no-underscore-dangle
  globalThis.__playwright_run = () => setImmediate(() => application.start());
  process.stderr.write(`DevTools listening on ${endpoint}\n`);
  if (process.env.ELECTRON_DOUBLE_DRIVEN !== '1') application.start();
}
