import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'jsonc-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { callAsClient } from '../support/stdio-client.ts';

/** A server that says which secret it was started with. */
const SERVER = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'secret', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: process.env.KEY + ' ' + process.argv[2] }] }),
  };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? {} }) + '\\n');
});
`;

const Entries = z.looseObject({ mcpServers: z.record(z.string(), z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()).default({}) })) });

describe('connect, with a running Bursar', () => {
  let user: string;
  let app: AppProcess;
  let path: string;
  let original: string;
  const bursar = async (...words: string[]) => JSON.parse(await runCli(['--home', app.home, ...words, '--json'])) as Record<string, unknown>;
  const bytes = () => readFileSync(path, 'utf8');
  const entries = () => Entries.parse(parse(bytes())).mcpServers;

  beforeAll(async () => {
    user = mkdtempSync(join(tmpdir(), 'bursar-connect-'));
    path = join(user, '.cursor', 'mcp.json');
    const server = join(user, 'server.mjs');
    writeFileSync(server, SERVER);
    mkdirSync(dirname(path));
    original = `{\r\n  // mine\r\n  "mcpServers": {\r\n    "own": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(server)}, "argument"], "env": { "KEY": "sk-secret" } }, // last\r\n  },\r\n}\r\n`;
    writeFileSync(path, original);
    app = await startApp({ env: { HOME: user, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' } });
  });
  afterAll(async () => {
    await app.stop();
    rmSync(app.home, { recursive: true, force: true });
    rmSync(user, { recursive: true, force: true });
  });

  test('a preview writes, or an undo leaves a byte or a backup', async () => {
    expect(await bursar('connect')).toMatchObject({ clients: [{ kind: 'cursor', state: 'unregistered', path }, ...Array.from({ length: 7 }, () => ({ state: 'absent' }))], servers: [{ kind: 'cursor', name: 'own', state: 'free', secrets: ['KEY'] }] });
    expect(await bursar('connect', 'cursor', '--preview')).toMatchObject({ path, changes: true });
    expect(bytes()).toBe(original);
    expect(await bursar('connect', 'cursor')).toMatchObject({ state: 'registered', entries: 'all' });
    expect(await callAsClient(entries()['bursar-all']!, 'payment_status')).toContain('content');
    expect(await bursar('connect', 'cursor', '--undo')).toMatchObject({ state: 'unregistered' });
    expect([bytes(), readdirSync(dirname(path))]).toEqual([original, ['mcp.json']]);
  });

  test('a protected server does not answer through Bursar, or goes on with its secret in the file', async () => {
    expect(await callAsClient(entries()['own']!, 'secret')).toContain('sk-secret argument');
    expect(await bursar('connect', 'cursor', '--protect', 'own')).toMatchObject({ state: 'protected', upstream: 'own' });
    expect(bytes()).not.toContain('sk-secret');
    expect(entries()['own']!.args).toContain('--upstream');
    expect(await callAsClient(entries()['own']!, 'secret')).toContain('sk-secret argument');
    // Both use the client's one token: taking the registration back must not end it.
    await bursar('connect', 'cursor');
    await bursar('connect', 'cursor', '--undo');
    expect(await callAsClient(entries()['own']!, 'secret')).toContain('sk-secret argument');
    expect(await bursar('client', 'list')).toMatchObject({ clients: expect.arrayContaining([expect.objectContaining({ name: 'cursor' })]) as unknown });
    await bursar('connect', 'cursor', '--protect', 'own', '--undo');
    expect(await bursar('client', 'list')).not.toMatchObject({ clients: expect.arrayContaining([expect.objectContaining({ name: 'cursor' })]) as unknown });
    expect([bytes(), readdirSync(dirname(path))]).toEqual([original, ['mcp.json']]);
    expect(await bursar('upstream', 'list')).not.toMatchObject({ upstreams: expect.arrayContaining([expect.objectContaining({ name: 'own' })]) as unknown });
  });

  test('an import changes the file of the client, or is added without what it needs', async () => {
    expect(await bursar('upstream', 'import', 'cursor', 'own')).toEqual({ upstream: 'own' });
    expect(await bursar('upstream', 'test', 'own')).toMatchObject({ tools: [{ name: 'secret' }] });
    expect(bytes()).toBe(original);
    expect(await bursar('upstream', 'import')).toMatchObject({ servers: [{ name: 'own', state: 'imported', upstream: 'own' }] });
  });

  test('an install link is given for a client that has none', async () => {
    expect(await bursar('connect', 'vscode', '--link')).toMatchObject({ url: expect.stringMatching(/^vscode:mcp\/install\?/) as string });
    await expect(runCli(['--home', app.home, 'connect', 'zed', '--link'])).rejects.toThrow('INPUT_INVALID');
  });
});
