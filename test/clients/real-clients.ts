import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ClientKind } from '../../src/shared/contract/clients.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const packages = `${folder}node_modules`;

/** A client's own command line. */
export interface RealClient {
  readonly program: string;
  readonly before: readonly string[];
  readonly list: readonly string[];
  /** In the listing, what says that the client knows the server and, where it looks, has reached it. */
  readonly listed: RegExp;
  /** Arguments that make it ask a model at that address, which tells it to call a tool. */
  call(modelUrl: string): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

/** Installs what the lock file beside this file names, where that is not there yet. Its words go to standard error. */
export async function installClients(): Promise<void> {
  const installed = statSync(`${packages}/.package-lock.json`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (installed >= statSync(`${folder}package-lock.json`).mtimeMs) return;
  console.error('Installing the clients…');
  const child = spawn('npm', ['ci'], { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error('npm ci failed in test/clients');
}

const PROMPT = 'What time is it in Berlin?';

/** The clients whose command line npm has. The paths are those of their platform packages: no install script is run. */
const REAL: Partial<Record<ClientKind, RealClient>> = {
  'claude-code': {
    program: `${packages}/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude${process.platform === 'win32' ? '.exe' : ''}`,
    before: [],
    list: ['mcp', 'list'],
    listed: /bursar-all: .*Connected/,
    call: (url) => ({
      args: ['-p', PROMPT, '--allowedTools', 'mcp__bursar-all', '--model', 'claude-sonnet-4-5'],
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ENABLE_TOOL_SEARCH: 'false' },
    }),
  },
  codex: {
    program: process.execPath,
    before: [`${packages}/@openai/codex/bin/codex.js`],
    list: ['mcp', 'list'],
    listed: /bursar-all .*enabled/,
    call: (url) => ({
      args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', 'test', '-c', 'model_provider="test"', '-c', `model_providers.test={name="test",base_url="${url}/v1",wire_api="responses"}`, PROMPT],
      env: {},
    }),
  },
  'gemini-cli': {
    program: process.execPath,
    before: [`${packages}/@google/gemini-cli/bundle/gemini.js`],
    list: ['mcp', 'list'],
    listed: /bursar-all: .*Connected/,
    call: (url) => ({ args: ['-p', PROMPT, '--yolo', '-m', 'gemini-2.5-flash'], env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'test' } }),
  },
};

/** The real client, where its program is here; else why it is not. */
export function realClient(kind: ClientKind): RealClient | string {
  const client = REAL[kind];
  if (!client) return 'it has no command line on npm';
  const program = client.before[0] ?? client.program;
  return existsSync(program) ? client : `npm has no program of it for ${process.platform}-${process.arch}`;
}

/** Runs it in a folder with an environment of its own and gives all that it printed. */
export async function runClient({ program, before }: RealClient, args: readonly string[], { home, env = {} }: { readonly home: string; readonly env?: Readonly<Record<string, string>> }): Promise<string> {
  const child = spawn(program, [...before, ...args], { cwd: home, stdio: ['ignore', 'pipe', 'pipe'], timeout: 180_000, env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, NO_COLOR: '1', TERM: 'dumb', ...env } });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return `${out}\n${errors}`;
}
