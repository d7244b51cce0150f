import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients } from '../../../src/main/adapters/store/clients.ts';
import { createProtections } from '../../../src/main/adapters/store/protections.ts';
import { createUpstreams } from '../../../src/main/adapters/store/upstreams.ts';
import { createClientTokens } from '../../../src/main/clients/client-tokens.ts';
import { createForeignServers } from '../../../src/main/clients/foreign-servers.ts';
import { createServerProtections } from '../../../src/main/clients/protection.ts';
import { programFiles, shimEntry } from '../../../src/main/program-files.ts';
import type { Caller } from '../../../src/main/rpc/caller.ts';
import { clientServerHandlers } from '../../../src/main/rpc/handlers/client-servers.ts';
import { createUpstreamRegistry } from '../../../src/main/upstreams.ts';
import type { ClientKind } from '../../../src/shared/contract/clients.ts';
import { openStore } from '../store/fixtures.ts';

const caller: Caller = { surface: 'dashboard', connection: 'c', host: 'headless' };
const failsWith = (code: string) => expect.objectContaining({ code });

const CURSOR = `\uFEFF{\r\n  // my servers\r\n  "mcpServers": {\r\n    "My Files": { "command": "npx", "args": ["-y", "files", "--api-key", "sk-argument-1"], "env": { "KEY": "sk-secret-1" }, "timeout": 5 }, // keep\r\n    "remote": { "url": "https://api.example.com/mcp?key=sk-query-1", "headers": { "Authorization": "Bearer sk-secret-2" } },\r\n    "vars": { "command": "x", "env": { "A": "\${env:A}" } },\r\n    "old": { "url": "https://api.example.com/sse" },\r\n  },\r\n}\r\n`;
const CODEX = '# top\nmodel = "o" # why\n\n[mcp_servers.files] # mine\ncommand = "npx"\nargs = ["a"]\nstartup_timeout_sec = 20\n\n[mcp_servers.files.env]\nKEY = "sk-secret-3"\n\n# about the next\n[mcp_servers.elsewhere]\ncommand = "run"\ncwd = "/srv"\n';

async function open() {
  const home = mkdtempSync(join(tmpdir(), 'bursar-foreign-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const cursor = join(home, '.cursor', 'mcp.json');
  const codex = join(home, '.codex', 'config.toml');
  for (const [path, text] of [[cursor, CURSOR], [codex, CODEX]] as const) {
    mkdirSync(dirname(path));
    writeFileSync(path, text, { mode: 0o640 });
    chmodSync(path, 0o640);
  }
  const { db, clock, path: database } = openStore();
  const sealer = createSealer(() => new Uint8Array(32).fill(1));
  const clients = createClients(db, clock, sealer);
  const upstreams = await createUpstreamRegistry(createUpstreams(db, clock, sealer));
  const protections = createProtections(db, clock, sealer);
  const files = programFiles('/opt/bursar/out/main', '/opt/node');
  const servers = createForeignServers({ machine: { platform: 'linux', env: {}, home }, upstreams, protections, isBursar: (transport) => transport.kind === 'stdio' && transport.args.includes(files.shim) });
  const changed: string[] = [];
  const upstreamChanged = async (name: string) => void changed.push(name);
  const serverProtections = createServerProtections({
    upstreams,
    protections,
    servers,
    tokens: createClientTokens({ clients, ended: () => undefined }),
    registration: (upstream, client, token) => shimEntry({ files, home: '/home', client, token, upstream }),
    upstreamChanged,
    now: () => new Date((clock.at += 1000)),
  });
  const handlers = clientServerHandlers({ servers, protections: serverProtections, upstreams, upstreamChanged, changed: () => undefined });
  const protect = async (kind: ClientKind, name: string) => handlers['clients.protect']({ kind, name, digest: (await handlers['clients.previewProtect']({ kind, name }, caller)).digest }, caller);
  return { cursor, codex, database, clients, upstreams, protections, handlers, protect, changed };
}

test('a listing of what could be imported shows a secret, or leaves a server out (I6)', async () => {
  const { handlers } = await open();
  const { servers } = await handlers['clients.importable']({}, caller);
  expect(servers.map(({ kind, name, state, address, secrets }) => [kind, name, state, address, secrets])).toEqual([
    ['cursor', 'My Files', 'free', 'npx -y files --api-key (hidden)', ['KEY']],
    ['cursor', 'remote', 'free', 'https://api.example.com/mcp?(hidden)', ['Authorization']],
    ['cursor', 'vars', 'unfit', '', []],
    ['cursor', 'old', 'unfit', '', []],
    ['codex', 'files', 'free', 'npx a', ['KEY']],
    ['codex', 'elsewhere', 'unfit', '', []],
  ]);
  expect(JSON.stringify(servers)).not.toContain('sk-');
});

test('an imported server lacks its secrets, or the file of its client changes', async () => {
  const { cursor, handlers, upstreams } = await open();
  expect(await handlers['clients.import']({ kind: 'cursor', name: 'My Files' }, caller)).toEqual({ upstream: 'my-files' });
  expect(upstreams.spec('my-files')?.transport).toEqual({ kind: 'stdio', command: 'npx', args: ['-y', 'files', '--api-key', 'sk-argument-1'], env: { KEY: 'sk-secret-1' } });
  expect(await handlers['clients.import']({ kind: 'cursor', name: 'My Files' }, caller)).toEqual({ upstream: 'my-files' });
  expect(await handlers['clients.import']({ kind: 'codex', name: 'files' }, caller)).toEqual({ upstream: 'files' });
  expect(readFileSync(cursor, 'utf8')).toBe(CURSOR);
  await expect(handlers['clients.import']({ kind: 'cursor', name: 'vars' }, caller)).rejects.toThrow(failsWith('INPUT_INVALID'));
  await expect(handlers['clients.import']({ kind: 'cursor', name: 'gone' }, caller)).rejects.toThrow(failsWith('NOT_FOUND'));
});

test('a protected server keeps a way around Bursar, or does not come back byte for byte', async () => {
  const { cursor, codex, handlers, protect, upstreams, protections, clients } = await open();
  for (const [kind, name, path, original, upstream, secret] of [
    ['cursor', 'My Files', cursor, CURSOR, 'my-files', 'sk-secret-1'],
    ['cursor', 'remote', cursor, CURSOR, 'remote', 'sk-secret-2'],
    ['codex', 'files', codex, CODEX, 'files', 'sk-secret-3'],
  ] as const) {
    expect(await protect(kind, name)).toMatchObject({ name, state: 'protected', upstream });
    const taken = readFileSync(path, 'utf8');
    expect(taken).not.toContain(secret);
    expect(clients.authenticate(/brs_[\w-]{43}/.exec(taken)?.[0] ?? '')).toMatchObject({ name: kind });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await handlers['clients.unprotect']({ kind, name }, caller);
    expect(readFileSync(path, 'utf8')).toBe(original);
    expect(readdirSync(dirname(path))).toHaveLength(1);
    expect(upstreams.find(upstream)).toBeUndefined();
    expect(clients.find(kind)).toBeUndefined();
  }
  expect(protections.list()).toEqual([]);
});

test('what an entry says beside its way to the server is lost', async () => {
  const { cursor, codex, protect } = await open();
  await protect('cursor', 'My Files');
  await protect('codex', 'files');
  expect(readFileSync(cursor, 'utf8')).toMatch(/"timeout": 5\r\n\s*\}, \/\/ keep\r\n/);
  expect(readFileSync(codex, 'utf8')).toMatch(/\[mcp_servers\.files\]\ncommand = "\/opt\/node"\nargs = .*"--upstream", "files".*\nenv = .*\ntool_timeout_sec = 600\nstartup_timeout_sec = 20\n\n# about the next\n/);
});

test('an undo takes back what the owner changed meanwhile', async () => {
  const { cursor, handlers, protect, protections } = await open();
  await protect('cursor', 'My Files');
  await protect('cursor', 'remote');
  writeFileSync(cursor, readFileSync(cursor, 'utf8').replace('// my servers', '// all my servers'));
  await handlers['clients.unprotect']({ kind: 'cursor', name: 'My Files' }, caller);
  await handlers['clients.unprotect']({ kind: 'cursor', name: 'remote' }, caller);
  expect(readFileSync(cursor, 'utf8')).toBe(CURSOR.replace('// my servers', '// all my servers'));
  await protect('cursor', 'remote');
  const own = CURSOR.replace('"https://api.example.com/mcp?key=sk-query-1"', '"https://api.example.org/mcp"');
  writeFileSync(cursor, own);
  await handlers['clients.unprotect']({ kind: 'cursor', name: 'remote' }, caller);
  expect([readFileSync(cursor, 'utf8'), protections.list()]).toEqual([own, []]);
});

test('a server that two clients share goes with the first undo, or one that was there before goes at all', async () => {
  const { cursor, codex, handlers, protect, upstreams } = await open();
  writeFileSync(codex, '[mcp_servers.r]\nurl = "https://api.example.com/mcp?key=sk-query-1"\nhttp_headers = { Authorization = "Bearer sk-secret-2" }\n');
  expect([await protect('cursor', 'remote'), await protect('codex', 'r')]).toMatchObject([{ upstream: 'remote' }, { upstream: 'remote' }]);
  await handlers['clients.unprotect']({ kind: 'cursor', name: 'remote' }, caller);
  expect(upstreams.find('remote')).toBeDefined();
  await handlers['clients.unprotect']({ kind: 'codex', name: 'r' }, caller);
  expect(upstreams.find('remote')).toBeUndefined();
  await handlers['clients.import']({ kind: 'cursor', name: 'remote' }, caller);
  await protect('cursor', 'remote');
  await handlers['clients.unprotect']({ kind: 'cursor', name: 'remote' }, caller);
  expect(upstreams.find('remote')).toBeDefined();
  expect(readFileSync(cursor, 'utf8')).toBe(CURSOR);
});

test('a file that changed since the preview is written, or a server stays behind when it is not', async () => {
  const { cursor, handlers, upstreams, protections } = await open();
  const { digest, before, after } = await handlers['clients.previewProtect']({ kind: 'cursor', name: 'remote' }, caller);
  expect(before + after).not.toMatch(/sk-|brs_/);
  const changed = CURSOR.replace('mine', 'yours').replace('-y', '-n');
  writeFileSync(cursor, changed);
  await expect(handlers['clients.protect']({ kind: 'cursor', name: 'remote', digest }, caller)).rejects.toThrow(failsWith('APPROVAL_STALE'));
  writeFileSync(cursor, CURSOR);
  chmodSync(cursor, 0o440);
  await expect(handlers['clients.protect']({ kind: 'cursor', name: 'remote', digest }, caller)).rejects.toThrow(failsWith('FORBIDDEN'));
  expect([readFileSync(cursor, 'utf8'), upstreams.list(), protections.list()]).toEqual([CURSOR, [], []]);
});

test('the database holds the bytes of a protected entry in the open (I6)', async () => {
  const { database, protect } = await open();
  await protect('cursor', 'remote');
  const files = [database, `${database}-wal`].map((path) => readFileSync(path).toString('latin1')).join('');
  expect(files).toContain('protections');
  expect(files).not.toContain('sk-secret-2');
});
