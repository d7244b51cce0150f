import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';

/** What the sandbox process says when it is ready. */
const Ready = z.object({
  evm: z.object({ network: z.string(), rpcUrl: z.url() }),
  solana: z.object({ network: z.string(), rpcUrl: z.url() }),
  facilitatorUrl: z.url(),
  seller: z.object({ mcpUrl: z.url(), apiUrl: z.url(), devSecret: z.string() }),
  card: z.object({ url: z.url(), publishableKey: z.string() }),
  controlUrl: z.url(),
  controlToken: z.string(),
});
type Ready = z.infer<typeof Ready>;

/** Play money: local chains, a facilitator and a paid demo server, in a process of their own. */
export interface Sandbox extends Ready {
  /** Gives an account play money: 1,000 USDC and gas. Throws `CHAIN_UNREACHABLE`. */
  fund(network: string, address: string): Promise<void>;
  close(): Promise<void>;
}

export interface StartSandboxOptions {
  /** The sandbox's bundle. It is part of a source checkout, never of a packaged app. */
  readonly entry: string;
  /** The Node that runs it. */
  readonly node: string;
  /** Where its chains keep their state. */
  readonly dir: string;
  /** File with the ready line of a sandbox that runs already and outlives this app; used by tests that kill the app. */
  readonly running?: string;
  readonly log: Log;
}

const START_MS = 30_000;
const FUND_MS = 10_000;
const END_MS = 5_000;

/**
 * Starts the sandbox, or joins the one that `running` names. The child ends when its standard input closes, so it never outlives the
 * app. Throws `CHAIN_UNREACHABLE`.
 */
export async function startSandbox({ entry, node, dir, running, log }: StartSandboxOptions): Promise<Sandbox> {
  if (running !== undefined) return withControls(Ready.parse(JSON.parse(readFileSync(running, 'utf8'))), () => Promise.resolve());
  if (!existsSync(entry)) {
    throw new BursarError('CHAIN_UNREACHABLE', 'This build has no play-money sandbox.', { hint: 'Start it from a source checkout, or use --network testnet.' });
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const child = spawn(node, [entry, '--dir', dir, '--seller-entry', join(dirname(entry), 'seller-stdio.js')], { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' } });
  createInterface({ input: child.stderr }).on('line', (line) => log.debug('sandbox', { line: line.slice(0, 500) }));
  const ready = await new Promise<Ready>((resolve, reject) => {
    const fail = (why: string) => {
      child.kill();
      reject(new BursarError('CHAIN_UNREACHABLE', `The play-money sandbox did not start: ${why}.`, { hint: 'Look into the log file in the data folder.' }));
    };
    const timer = setTimeout(() => fail('it took too long'), START_MS);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      const parsed = Ready.safeParse(JSON.parse(line));
      if (!parsed.success) return fail(z.prettifyError(parsed.error));
      // For whoever wants to look at the chains themselves.
      writeFileSync(join(dir, 'ready.json'), line, { mode: 0o600 });
      resolve(parsed.data);
    });
  });
  child.removeAllListeners('exit');
  const saidEnded = (code: number | null, signal: NodeJS.Signals | null) => log.warn('the sandbox ended', { code: code ?? signal });
  child.once('exit', saidEnded);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return withControls(ready, async () => {
    child.off('exit', saidEnded);
    child.stdin.end();
    // It saves its chains as it ends: whoever empties the folder next must not find them written again.
    const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await gone;
    clearTimeout(late);
  });
}

const withControls = (ready: Ready, close: () => Promise<void>): Sandbox => ({
  ...ready,
  close,
  async fund(network, address) {
    const refused = (why: string) => new BursarError('CHAIN_UNREACHABLE', `The sandbox did not fund ${address}: ${why.slice(0, 200)}`);
    const response = await fetch(new URL('/fund', ready.controlUrl), {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.controlToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ network, address, usdc: '1000000000', gas: true }),
      signal: AbortSignal.timeout(FUND_MS),
    }).catch((error: unknown) => {
      throw refused(toErrorInfo(error).message);
    });
    if (!response.ok) throw refused(await response.text());
  },
});
