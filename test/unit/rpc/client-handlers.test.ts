import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients } from '../../../src/main/adapters/store/clients.ts';
import { clientEntries, programFiles } from '../../../src/main/program-files.ts';
import type { ClientEntries } from '../../../src/shared/contract/clients.ts';
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
    entries: (servers, client, token) => clientEntries({ files, home: '/home', upstreams: ['demo'], servers, client, token }),
    mcpUrl: () => '',
    httpProblem: () => '',
    changed: () => undefined,
    ended: (client) => void ended.push(client),
    configPath: () => path,
  });
  const inFile = () => JSON.parse(readFileSync(path, 'utf8')) as { mcpServers: Record<string, { env?: Record<string, string> }> };
  const tokenInFile = () => (inFile().mcpServers['bursar-all'] ?? inFile().mcpServers['bursar-demo'])?.env?.['BURSAR_CLIENT_TOKEN'] ?? '';
  const register = async (entries: ClientEntries = 'all') => handlers['clients.register']({ kind, entries, digest: (await handlers['clients.preview']({ kind, entries }, caller)).digest }, caller);
  return { path, clients, ended, handlers, inFile, tokenInFile, register };
}

test("a preview shows what the client's other servers are given, or the token that it would write (I6)", async () => {
  const { handlers, register, tokenInFile } = open();
  const preview = await handlers['clients.preview']({ kind, entries: 'all' }, caller);
  expect(preview).toMatchObject({ before: '', changes: true });
  expect(JSON.parse(preview.after)).toEqual({ mcpServers: { 'bursar-all': expect.objectContaining({ command: '/opt/node', args: ['/opt/bursar/out/main/shim.js', '--home', '/home', '--client', kind], env: { BURSAR_CLIENT_TOKEN: '(hidden)' } }) } });
  await register();
  const again = await handlers['clients.preview']({ kind, entries: 'all' }, caller);
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

test('an owner who wants an entry for each server gets the other form, or both at once', async () => {
  const { handlers, register, inFile, tokenInFile } = open();
  expect(await register('all')).toMatchObject({ state: 'registered', entries: 'all' });
  const token = tokenInFile();
  expect(await register('each')).toMatchObject({ state: 'registered', entries: 'each' });
  expect(Object.keys(inFile().mcpServers)).toEqual(['files', 'bursar-demo']);
  expect(tokenInFile()).toBe(token);
  const { snippets } = await handlers['clients.list']({}, caller);
  expect([Object.keys((JSON.parse(snippets.all) as { mcpServers: object }).mcpServers), Object.keys((JSON.parse(snippets.each) as { mcpServers: object }).mcpServers)]).toEqual([['bursar-all'], ['bursar-demo']]);
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
