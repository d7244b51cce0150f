// npm run screenshots: every page in both themes, as it looks to a person who has settled in, on play money. BURSAR_SCREENSHOTS names another folder.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openHome } from '../../src/main/adapters/home/home.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { ownerContract } from '../support/contract.ts';
import { DASHBOARD_PAGES, goTo, showIn } from '../support/dashboard-pages.ts';
import { writePast } from '../support/lived-in/ledger.ts';
import { settleIn } from '../support/lived-in/owner-hands.ts';
import { httpAgent } from '../support/http-agent.ts';
import { openTerminal } from '../support/terminal.ts';
import { openOwnerBrowser, type OwnerBrowser } from '../support/owner-browser.ts';
import { serveFolder } from '../support/static-host.ts';
import { smallPng } from './small-png.ts';

const folder = process.env['BURSAR_SCREENSHOTS'] ?? fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const WIDE = { width: 1280, height: 860 };
const NARROW = { width: 360, height: 740 };
/** Widths of the approval window: the least, and as it opens. */
const APPROVAL_WIDTHS = [360, 480];
/** A page that is higher (px) is shown as a window of its first height shows it: of a virtual list nothing below the window is drawn. */
const HIGHEST = 3000;
/** Shown at the width of a phone too. */
const ALSO_NARROW = ['overview', 'approvals', 'history'];
/** Nobody is in a hurry: a machine that builds beside this takes its time. */
const PATIENCE = 90_000;

const temporary = mkdtempSync(join(tmpdir(), 'bursar-screenshots-'));
let shots = 0;
let bytes = 0;
try {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (file.endsWith('.png')) rmSync(join(folder, file));
  await withApp('first-day', () => undefined, shootFirstDay);
  await withApp('settled', (database) => writePast(database, Date.now()), shootSettled);
  await shootPresence();
  console.log(`${folder}: ${shots} pictures, ${Math.round(bytes / 1000)} kB.`);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

async function withApp(name: string, prepare: (database: string) => void, use: (app: AppProcess, owner: OwnerBrowser) => Promise<void>): Promise<void> {
  const home = openHome({ environment: 'sandbox', home: join(temporary, name) });
  prepare(home.paths.database);
  home.close();
  // Clients are looked for in a home of its own, where one is installed.
  const user = join(temporary, 'user');
  mkdirSync(join(user, '.cursor'), { recursive: true });
  writeFileSync(join(user, '.claude.json'), '{}');
  const app = await startApp({ home: home.folder, env: { HOME: user } });
  const owner = await openOwnerBrowser(app.dashboard, { patience: PATIENCE });
  for (const page of [owner.dashboard, owner.approval]) page.setDefaultTimeout(PATIENCE);
  try {
    await use(app, owner);
  } finally {
    await owner.close();
    await app.stop();
  }
}

async function shootFirstDay(_app: AppProcess, { dashboard }: OwnerBrowser): Promise<void> {
  const [overview] = DASHBOARD_PAGES;
  await dashboard.bringToFront();
  for (const theme of THEMES) await shootPage(dashboard, overview!, 'first-day', theme, WIDE);
}

async function shootSettled(app: AppProcess, owner: OwnerBrowser): Promise<void> {
  await settleIn(app, owner);
  const { dashboard, approval } = owner;
  await approval.bringToFront();
  // As a window that has just opened.
  await approval.reload();
  for (const theme of THEMES) {
    await showIn(approval, theme);
    for (const width of APPROVAL_WIDTHS) await shootApproval(approval, theme, width);
  }
  await dashboard.bringToFront();
  for (const theme of THEMES) {
    for (const page of DASHBOARD_PAGES) {
      await shootPage(dashboard, page, page.name, theme, WIDE);
      if (page.name === 'budgets') await shootRules(dashboard, theme);
      if (ALSO_NARROW.includes(page.name)) await shootPage(dashboard, page, `${page.name}-narrow`, theme, NARROW);
    }
  }
  await shootClaim(app, dashboard);
}

async function shootApproval(approval: Page, theme: Theme, width: number): Promise<void> {
  await approval.setViewportSize({ width, height: 820 });
  await approval.getByRole('button', { name: /^Approve/, disabled: false }).waitFor();
  await shoot(approval, `approval-${width}-${theme}`);
  await approval.setViewportSize({ width, height: 640 });
  await approval.getByRole('button', { name: /^Allow this tool/ }).click();
  const dialog = approval.getByRole('dialog');
  await dialog.getByRole('textbox').fill('0.50');
  await approval.screenshot({ animations: 'disabled', caret: 'hide' }).then((png) => keep(`approval-allow-${width}-${theme}`, png));
  await dialog.getByRole('button', { name: 'Cancel' }).click();
}

/** A payment above the amount from which on the owner proves that they are there. The passphrase is set in a terminal, and the tests' is that of Linux. */
async function shootPresence(): Promise<void> {
  if (process.platform !== 'linux') return console.log('The proof of presence is photographed on Linux.');
  const home = join(temporary, 'proof');
  await (await startApp({ home })).stop();
  const terminal = openTerminal(['--home', home, '--network', 'sandbox', 'passphrase', 'set']);
  for (const question of ['New passphrase', 'The same again']) {
    await terminal.saw(question);
    terminal.type('correct horse battery\r');
  }
  await terminal.exited;
  const app = await startApp({ home });
  const owner = await openOwnerBrowser(app.dashboard, { patience: PATIENCE });
  const contract = await ownerContract(home);
  try {
    await contract.request('presence.set', { above: '0.005' });
    (await httpAgent(app)).call('sun_times', { latitude: 38.72, longitude: -9.14, date: '2026-12-21' }).catch(() => undefined);
    const { approval } = owner;
    approval.setDefaultTimeout(PATIENCE);
    await approval.bringToFront();
    await approval.setViewportSize({ width: 480, height: 820 });
    await approval.getByRole('button', { name: /^Approve/, disabled: false }).click();
    await approval.getByRole('region', { name: 'Prove that you are there' }).getByLabel('Passphrase').waitFor();
    for (const theme of THEMES) {
      await showIn(approval, theme);
      for (const width of APPROVAL_WIDTHS) {
        await approval.setViewportSize({ width, height: 820 });
        await shoot(approval, `approval-proof-${width}-${theme}`);
      }
    }
  } finally {
    contract.close();
    await owner.close();
    await app.stop();
  }
}

async function shootPage(dashboard: Page, page: (typeof DASHBOARD_PAGES)[number], name: string, theme: Theme, size: typeof WIDE): Promise<void> {
  await showIn(dashboard, theme);
  await dashboard.setViewportSize(size);
  await goTo(dashboard, page);
  await shoot(dashboard, `${name}-${theme}`);
}

async function shootRules(dashboard: Page, theme: Theme): Promise<void> {
  await dashboard.setViewportSize(WIDE);
  await dashboard.getByRole('tab', { name: 'All limits and rules' }).click();
  await shoot(dashboard, `rules-${theme}`);
}

/** The claim page as its recipient sees it: exported, on a host of its own. */
async function shootClaim(app: AppProcess, page: Page): Promise<void> {
  const site = join(temporary, 'claim');
  await runCli(['--home', app.home, 'claim-page', site]);
  const host = await serveFolder(site);
  const contract = await ownerContract(app.home);
  try {
    const { escrows } = await contract.request('escrows.list', {});
    const { link } = await contract.request('escrows.link', { id: escrows[0]?.id ?? '' });
    await page.goto(`${host.url}${new URL(link).hash}`);
    await page.getByRole('button', { name: 'Claim', disabled: false }).waitFor();
    await page.setViewportSize({ width: 480, height: 740 });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await shoot(page, `claim-${theme}`);
    }
  } finally {
    contract.close();
    await host.close();
  }
}

/** The whole page in a window as high as it, so that what stays in sight when one scrolls stands where it belongs. */
async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(asOnAnyMachine, [
    [process.execPath, '/usr/bin/node'],
    [root, '/opt/bursar/'],
    [join(temporary, 'user'), '/home/ada'],
    [temporary, '/home/ada/.local/share/bursar'],
  ] as const);
  const size = page.viewportSize() ?? WIDE;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (height > size.height && height <= HIGHEST) await page.setViewportSize({ ...size, height });
  // The pointer rests on nothing, and nothing has the focus.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  keep(name, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
}

function keep(name: string, png: Buffer): void {
  const small = smallPng(png);
  writeFileSync(join(folder, `${name}.png`), small);
  shots += 1;
  bytes += small.length;
}

/** Paths of the machine that takes the pictures, written as another one has them. */
function asOnAnyMachine(names: readonly (readonly [own: string, shown: string])[]): void {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    const shown = names.reduce((sum, [own, other]) => sum.replaceAll(own, other), text);
    if (shown !== text) node.nodeValue = shown;
  }
}
