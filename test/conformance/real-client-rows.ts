import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startBursar } from './bursar.ts';
import { startHttp } from './fixture/server.ts';
import { compare, type Outcomes, type Row } from './row.ts';
import { startSuiteNames } from './suite-names.ts';

const PACKAGE = fileURLToPath(new URL('.', import.meta.url));
const FIXTURE = join(PACKAGE, 'fixture', 'server.ts');
const bin = (name: string): string => join(PACKAGE, 'node_modules', '.bin', name);

/** What each client asks of a server, and what it prints or gives. */
const ASKS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'inspector, older era: tools/list': (url) => inspector(url, ['--method', 'tools/list']),
  'inspector, older era: tools/call': (url) => inspector(url, ['--method', 'tools/call', '--tool-name', 'test_multiple_content_types']),
  'inspector, 2026-07-28: tools/list': (url) => inspector(url, ['--protocol-era', 'modern', '--method', 'tools/list']),
  'inspector, 2026-07-28: tools/call': (url) => inspector(url, ['--protocol-era', 'modern', '--method', 'tools/call', '--tool-name', 'test_multiple_content_types']),
  'mcp-remote: tools/list and tools/call': mcpRemote,
};

/** Clients as people run them: what they say of the fixture directly has to be what they say of it behind Bursar. */
export async function* realClientRows(): AsyncGenerator<Row> {
  const fixture = await startHttp({ closesStreams: true });
  const bursar = await startBursar([{ name: 'http', transport: { kind: 'http', url: fixture.url } }, { name: 'stdio', transport: { kind: 'stdio', command: process.execPath, args: [FIXTURE] } }]);
  try {
    const direct = new Map<string, unknown>();
    for (const [name, ask] of Object.entries(ASKS)) direct.set(name, await ask(fixture.url));
    const answered = new Map([...direct].map(([name, answer]) => [name, answer === undefined ? 'FAILURE' : 'SUCCESS']));
    for (const upstream of ['http', 'stdio']) {
      const same = new Map<string, string>();
      for (const [name, ask] of Object.entries(ASKS)) same.set(name, isDeepStrictEqual(await ask(bursar.url(upstream)), direct.get(name)) ? 'SUCCESS' : 'FAILURE');
      yield compare('real clients', `http → ${upstream}`, answered, same);
    }
    yield await allServersRow(fixture.url, direct, answered);
  } finally {
    await bursar.close();
    await fixture.close();
  }
}

/** The same clients at the address of all servers, of which there is one. */
async function allServersRow(fixtureUrl: string, direct: ReadonlyMap<string, unknown>, answered: Outcomes): Promise<Row> {
  const bursar = await startBursar([{ name: 'fixture', transport: { kind: 'http', url: fixtureUrl } }]);
  const names = await startSuiteNames(bursar.allUrl, 'fixture');
  try {
    const same = new Map<string, string>();
    for (const [name, ask] of Object.entries(ASKS)) same.set(name, isDeepStrictEqual(await ask(names.url), direct.get(name)) ? 'SUCCESS' : 'FAILURE');
    return compare('real clients, all servers', 'http → http', answered, same);
  } finally {
    await names.close();
    await bursar.close();
  }
}

/** The JSON that the inspector's command line prints, without `resultType`: it prints that where a server says that it may have tasks, and not elsewhere. */
function inspector(url: string, args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin('mcp-inspector'), '--cli', '--transport', 'http', ...args, '--format', 'json', url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    child.on('error', reject).on('close', (code) => resolve(code === 0 ? withoutResultType(output) : undefined));
  });
}

function withoutResultType(output: string): unknown {
  const printed = JSON.parse(output) as { result?: Record<string, unknown> };
  if (printed.result !== undefined) delete printed.result['resultType'];
  return printed;
}

async function mcpRemote(url: string): Promise<unknown> {
  const client = new Client({ name: 'behind-mcp-remote', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin('mcp-remote'), url, '--allow-http'], stderr: 'ignore' }));
  try {
    return [await client.listTools(), await client.callTool({ name: 'test_simple_text', arguments: {} })];
  } finally {
    await client.close();
  }
}
