import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients } from '../../../src/main/adapters/store/clients.ts';
import { clientEntries, programFiles } from '../../../src/main/program-files.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { clientHandlers } from '../../../src/main/rpc/handlers/clients.ts';
import { openStore } from '../store/fixtures.ts';

const caller: Caller = { surface: 'dashboard', connection: 'c', host: 'headless' };
const foreign = { files: { command: 'npx', env: { API_KEY: 'sk-secret-of-another' } } };
const kind = 'claude-desktop' as const;

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-claude-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'Claude', 'claude_desktop_config.json');
  mkdirSync(join(folder, 'Claude'));
  writeFileSync(path, JSON.stringify({ mcpServers: foreign, account: 'private' }, null, 2));
  const { db, clock } = openStore();
  const clients = createClients(db, clock, createSealer(() => new Uint8Array(32).fill(1)));
  const files = programFiles('/opt/bursar/out/main', '/opt/node');
  const ended: string[] = [];
  const handlers = clientHandlers({
    clients,
    entries: (client, token) => clientEntries({ files, home: '/home', upstreams: ['demo'], client, token }),
    mcpUrl: () => '',
    httpProblem: () => '',
    changed: () => undefined,
    ended: (client) => void ended.push(client),
    configPath: () => path,
  });
  const inFile = () => JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: Record<string, { env?: Record<string, string> }> };
  const tokenInFile = () => inFile().mcpServers['bursar-demo']?.env?.['BURSAR_CLIENT_TOKEN'] ?? '';
  const register = async () => handlers['clients.register']({ kind, digest: (await handlers['clients.preview']({ kind }, caller)).digest }, caller);
  return { path, clients, ended, handlers, inFile, tokenInFile, register };
}

test("a preview shows what the client's other servers are given, or the token that it would write (I6)", async () => {
  const { handlers, register, tokenInFile } = open();
  const preview = await handlers['clients.preview']({ kind }, caller);
  expect(preview).toMatchObject({ before: '', changes: true });
  expect(JSON.parse(preview.after)).toEqual({ mcpServers: { 'bursar-demo': expect.objectContaining({ command: '/opt/node', env: { BURSAR_CLIENT_TOKEN: '(hidden)' } }) } });
  await register();
  const again = await handlers['clients.preview']({ kind }, caller);
  const everything = JSON.stringify([preview, again, await handlers['clients.list']({}, caller)]);
  for (const secret of ['sk-secret-of-another', 'private', tokenInFile()]) expect(everything).not.toContain(secret);
  expect(again).toMatchObject({ changes: false });
});

test('a registered client cannot prove its name, or gets another token at each look', async () => {
  const { clients, handlers, register, inFile, tokenInFile } = open();
  expect(await register()).toMatchObject({ state: 'registered', undoable: true });
  const token = tokenInFile();
  expect(clients.authenticate(token)).toMatchObject({ name: kind });
  expect(inFile()).toMatchObject({ mcpServers: foreign, account: 'private' });
  expect((await handlers['clients.list']({}, caller)).clients).toMatchObject([{ state: 'registered' }]);
  await register();
  expect(tokenInFile()).toBe(token);
});

test('a token that Bursar did not give counts as registered', async () => {
  const { path, handlers, register, tokenInFile } = open();
  await register();
  const given = tokenInFile();
  writeFileSync(path, readFileSync(path, 'utf8').replace(given, `brs_${'x'.repeat(43)}`));
  expect((await handlers['clients.list']({}, caller)).clients).toMatchObject([{ state: 'unregistered' }]);
  await register();
  expect((await handlers['clients.list']({}, caller)).clients).toMatchObject([{ state: 'registered' }]);
});

test('the token of a registration that was undone still proves the name', async () => {
  const { clients, ended, handlers, register, inFile, tokenInFile } = open();
  await register();
  const token = tokenInFile();
  expect(ended).toEqual([]);
  expect(await handlers['clients.undo']({ kind }, caller)).toMatchObject({ state: 'unregistered', undoable: false });
  expect(clients.authenticate(token)).toBeUndefined();
  expect(ended).toEqual([kind]);
  expect(inFile()).toEqual({ mcpServers: foreign, account: 'private' });
});
