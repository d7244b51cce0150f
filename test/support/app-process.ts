import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expectNoLeak, noteCommand, noteOutput, noteProcesses } from './home-leaks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Entries of a build: `out`, or `out-test` where failpoints are compiled in. */
export const entryOf = (name: 'cli.js' | 'shim.js', build: 'out' | 'out-test' = 'out'): string => join(root, build, 'main', name);

export interface AppProcess {
  readonly child: ChildProcess;
  readonly home: string;
  readonly mcp: string;
  readonly token: string;
  readonly dashboard: string;
  readonly pid: number;
  /** Ends it as a user would and waits for it. Throws where a secret of its own stands in anything that it left (I6). */
  stop(): Promise<void>;
  /** Resolves with the exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
}

export interface StartAppOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly build?: 'out' | 'out-test';
}

/** Starts the headless application on play money, as `bursar serve --json` does for anyone. */
export async function startApp({ home = mkdtempSync(join(tmpdir(), 'bursar-home-')), env = {}, build = 'out' }: StartAppOptions = {}): Promise<AppProcess> {
  const child = spawn(process.execPath, [entryOf('cli.js', build), 'serve', '--json', '--vault', '--port', '0', '--home', home, '--network', 'sandbox'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4000);
    noteOutput(home, 'standard error', chunk);
  });
  child.stdout.on('data', (chunk: Buffer) => noteOutput(home, 'standard output', chunk));
  const exited = new Promise<number | string>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? '')));
  // Nobody may stop or start it again: what a killed one left is looked through as it lies there. A finding fails the run.
  void exited.then((how) => (how === 'SIGKILL' ? expectNoLeak(home) : undefined));
  const ready = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    exited.then((code) => {
      throw new Error(`the application ended with ${code}: ${errors}`);
    }),
  ]);
  // With --json an error stands where the addresses would.
  if ('error' in (JSON.parse(ready) as object)) {
    await exited;
    throw new Error(`the application did not start: ${ready}`);
  }
  return {
    child,
    home,
    exited,
    ...(JSON.parse(ready) as Pick<AppProcess, 'mcp' | 'token' | 'dashboard' | 'pid'>),
    async stop() {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning && child.pid !== undefined) noteProcesses(home, child.pid);
      child.kill('SIGTERM');
      await exited;
      await expectNoLeak(home);
    },
  };
}

export interface CliOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How one `bursar` command ended, with what it printed. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs one `bursar` command to its end. */
export async function ranCli(args: readonly string[], { input = '', env = {} }: CliOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [entryOf('cli.js'), ...args], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), new Promise<number | null>((resolve) => child.once('exit', resolve))]);
  noteCommand(args, out + err);
  return { code, out, err };
}

/** Runs one `bursar` command and gives what it printed. Throws with its standard error where it fails. */
export async function runCli(args: readonly string[], options?: CliOptions): Promise<string> {
  const { code, out, err } = await ranCli(args, options);
  if (code !== 0) throw new Error(`bursar ${args.join(' ')} ended with ${String(code)}: ${err}`);
  return out;
}
