import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcomes } from './row.ts';

const PACKAGE = fileURLToPath(new URL('.', import.meta.url));

/** A version of the suite with what it is asked for. */
export interface Suite {
  readonly name: string;
  readonly package: 'conformance-0.1' | 'conformance-0.2';
  readonly server: readonly string[];
  readonly specVersion?: string;
}

export const SUITES: readonly Suite[] = [
  { name: '0.1.16', package: 'conformance-0.1', server: ['--suite', 'all'] },
  { name: '0.2 2025-11-25', package: 'conformance-0.2', server: ['--requirements', '2025-11-25'], specVersion: '2025-11-25' },
  { name: '0.2 2026-07-28', package: 'conformance-0.2', server: ['--requirements', '2026-07-28'], specVersion: '2026-07-28' },
];

/** Installs the suite's own package from its lock, unless it is there already. */
export async function installSuite(): Promise<void> {
  const installed = join(PACKAGE, 'node_modules', '.package-lock.json');
  const lock = join(PACKAGE, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  console.error('installing the conformance suite …');
  const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], PACKAGE);
  if (code !== 0) throw new Error(`npm ci failed in test/conformance:\n${output}`);
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (process.env['CONFORMANCE_VERBOSE'] !== undefined) process.stderr.write(chunk);
    });
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}

/** Runs the suite's command and reads what it found from the files that it leaves. */
export async function runSuite(suite: Suite, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Outcomes> {
  const results = mkdtempSync(join(tmpdir(), 'bursar-conformance-'));
  try {
    const { output } = await run(process.execPath, [join(PACKAGE, 'node_modules', suite.package, 'dist', 'index.js'), ...args, '--output-dir', results], PACKAGE, env);
    const outcomes = readOutcomes(results);
    if (outcomes.size === 0) console.error(output);
    return outcomes;
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function readOutcomes(folder: string): Outcomes {
  const outcomes = new Map<string, string>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('checks.json'));
  for (const file of files.toSorted()) {
    // `server-<scenario>-<time>` or `<scenario>-<time>`.
    const scenario = file.replace(/[\\/]checks\.json$/, '').replace(/-\d{4}-\d{2}-\d{2}T[\dZ.-]+$/, '');
    const seen = new Map<string, number>();
    for (const { id, name, status, errorMessage } of JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[]) {
      if (status === 'INFO') continue;
      const count = (seen.get(id + name) ?? 0) + 1;
      seen.set(id + name, count);
      outcomes.set(`${scenario} / ${id} ${name}${count > 1 ? ` #${count}` : ''}`, status);
      if (process.env['CONFORMANCE_VERBOSE'] !== undefined && status !== 'SUCCESS') console.error(`${scenario} ${id} ${status} ${errorMessage}`);
    }
  }
  return outcomes;
}
