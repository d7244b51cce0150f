import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../../scripts/find-chromium.mjs';
import { entryOf, runCli } from '../support/app-process.ts';
import { median, rounded } from './statistics.ts';

export const START_RUNS = 5;
/** After the last start, and for how long the processor's time is counted. */
const SETTLE_MS = 15_000;
const IDLE_MS = 60_000;
/** Nobody listens there: what the application would ask a network is refused at once. */
const UNREACHABLE = 'http://127.0.0.1:9';
/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const TICK_MS = 10;

/** What the page says of the kind of money once it has asked. */
const LABELS = { testnet: 'Test money', sandbox: 'Play money' };

export interface StartFigures {
  /** From the command to a dashboard whose data is there (median). */
  readonly startMs: number;
  /** Resident set of the application's one process, after a minute without a page open; 1 MB is 2^20 bytes. */
  readonly idleRssMB: number;
  /** Share of one processor over that minute, in per cent. */
  readonly idleCpuPct: number;
  /** Processes that the application started: the sandbox and its chains. */
  readonly others: readonly { readonly name: string; readonly rssMB: number }[];
}

interface Running {
  readonly child: ChildProcess;
  readonly dashboard: string;
}

/** Starts the headless application several times on one data folder, with its keys open, and lets the last one rest. */
export async function measureStart(environment: 'testnet' | 'sandbox'): Promise<StartFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-bench-start-'));
  const home = join(folder, 'home');
  const passphrase = join(folder, 'passphrase');
  writeFileSync(passphrase, 'correct horse battery', { mode: 0o600 });
  const env = { ...process.env, ...(environment === 'testnet' && { BURSAR_PASSPHRASE_FILE: passphrase }) };
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('No Chromium was found. Set BURSAR_CHROMIUM to one, or run: node scripts/ensure-chromium.mjs');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const start = async (): Promise<Running> => {
    const child = spawn(process.execPath, [entryOf('cli.js'), 'serve', '--json', '--vault', '--port', '0', '--home', home, '--network', environment], { stdio: ['ignore', 'pipe', 'inherit'], env });
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`the application ended with ${code}`)));
    });
    return { child, dashboard: (JSON.parse(line) as { dashboard: string }).dashboard };
  };
  let last: Running | undefined;
  try {
    // The first start makes the folder and the keys, and is not measured.
    await stop(await start());
    if (environment === 'testnet') for (const network of networksOf(home)) await runCli(['--home', home, 'network', 'set', network, '--rpc', UNREACHABLE], { env });
    const times: number[] = [];
    for (let run = 0; run < START_RUNS; run += 1) {
      if (last) await stop(last);
      const begun = performance.now();
      last = await start();
      await openDashboard(browser, last.dashboard, environment);
      times.push(performance.now() - begun);
    }
    await browser.close();
    const pid = last?.child.pid ?? 0;
    await delay(SETTLE_MS);
    const before = processorMs(pid);
    const begun = performance.now();
    await delay(IDLE_MS);
    const idleCpuPct = rounded(((processorMs(pid) - before) / (performance.now() - begun)) * 100);
    return { startMs: rounded(median(times)), idleRssMB: rssMB(pid), idleCpuPct, others: descendants(pid).map((other) => ({ name: nameOf(other), rssMB: rssMB(other) })) };
  } finally {
    await browser.close();
    if (last) await stop(last);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens the dashboard as its owner does, and waits until it shows what only the running application knows. */
async function openDashboard(browser: Browser, url: string, environment: keyof typeof LABELS): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText(LABELS[environment]).first().waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await context.close();
}

async function stop({ child }: Running): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

const networksOf = (home: string): string[] => Object.keys((JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as { networks: object }).networks);

const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name before it may hold anything, spaces and brackets too.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

/** Processor time that a process used so far, in and out of the kernel (proc_pid_stat(5), fields 14 and 15). */
const processorMs = (pid: number): number => (Number(statOf(pid)[11]) + Number(statOf(pid)[12])) * TICK_MS;

const rssMB = (pid: number): number => rounded(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);

function descendants(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((other) => parentOf(other) === pid);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function parentOf(pid: number): number {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    // It ended meanwhile.
    return -1;
  }
}

/** The program's name, and for Node's the script's. */
const nameOf = (pid: number): string => {
  const [program = '', script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return basename(program) === 'node' ? `node ${script.split('/').slice(-2).join('/')}` : basename(program);
};
