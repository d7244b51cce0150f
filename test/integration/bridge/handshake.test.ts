import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { prepareEndpoint, socketKey, socketPath } from '../../../src/main/bridge/endpoint.ts';
import { challengeAnswer, introduction, newNonce, opening, verifyApp } from '../../../src/main/bridge/handshake.ts';
import { connectToApp } from '../../../src/main/bridge/shim-connection.ts';
import { rawStdio, shimClient, startApp, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const newHome = (prefix = 'bursar-hand-'): string => {
  const home = mkdtempSync(join(tmpdir(), prefix));
  cleanups.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
};
const start = async (home: string): Promise<TestApp> => {
  const app = await startApp({ upstreams: [rawStdio()], home, onControl: (connection) => connection.onLine((line) => connection.send(`echo ${line}`)) });
  cleanups.push(() => app.close());
  return app;
};
const received = (socket: Socket): { text: () => string; closed: Promise<unknown> } => {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  return { text: () => text, closed: new Promise((resolve) => socket.on('close', resolve)) };
};

test.skipIf(process.platform === 'win32')('folder, socket and secret are readable by their owner alone', async () => {
  const { home } = await start(newHome());
  const mode = (path: string): number => statSync(path).mode & 0o777;
  expect(mode(join(home, 'run'))).toBe(0o700);
  expect(mode(join(home, 'run', 'socket.key'))).toBe(0o600);
  expect(mode(socketPath(home))).toBe(0o600);
});

test('a program that does not know the secret is cut off before a server is started for it', async () => {
  const app = await start(newHome());
  const socket = createConnection(socketPath(app.home));
  const { text, closed } = received(socket);
  const nonce = newNonce();
  socket.write(`${opening(nonce)}\n`);
  await eventually(text).toContain('\n');
  const { nonce: appNonce } = JSON.parse(text()) as { nonce: string };
  socket.write(`${introduction(Buffer.alloc(32), nonce, appNonce, { role: 'mcp', upstream: 'raw', client: 'x' })}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
  await closed;
  expect(text()).not.toContain('ready');
  expect(app.bridge.sessions()).toEqual([]);
});

test('a proof made for one role or client is not good for another', async () => {
  const app = await start(newHome());
  const key = socketKey(app.home) ?? Buffer.alloc(0);
  const socket = createConnection(socketPath(app.home));
  const { text, closed } = received(socket);
  const nonce = newNonce();
  socket.write(`${opening(nonce)}\n`);
  await eventually(text).toContain('\n');
  const appNonce = verifyApp(text().trim(), key, nonce) ?? '';
  expect(appNonce).not.toBe('');
  const proof = JSON.parse(introduction(key, nonce, appNonce, { role: 'mcp', upstream: 'raw', client: 'x' })) as Record<string, unknown>;
  socket.write(`${JSON.stringify({ ...proof, hello: { role: 'control' } })}\n`);
  await closed;
  expect(text()).not.toContain('ready');
});

test('a program that speaks first, or endlessly, is cut off', async () => {
  const app = await start(newHome());
  for (const words of ['{"jsonrpc":"2.0","id":1,"method":"ping"}\n', 'x'.repeat(5000)]) {
    const socket = createConnection(socketPath(app.home));
    const { text, closed } = received(socket);
    socket.write(words);
    await closed;
    expect(text()).toBe('');
  }
});

test('the shim tells nothing of its client to a listener that does not know the secret', async () => {
  const home = newHome();
  const { path } = prepareEndpoint(home);
  const heard: string[] = [];
  const impostor = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => {
      heard.push(chunk.toString());
      const { nonce } = JSON.parse(heard[0] ?? '') as { nonce: string };
      socket.write(`${challengeAnswer(Buffer.alloc(32), nonce, newNonce())}\n`);
    });
  });
  await new Promise<void>((resolve) => impostor.listen(path, resolve));
  cleanups.push(() => impostor.close());
  const client = shimClient(home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"secret-tool"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UNAUTHORIZED' } } });
  expect(await client.close()).toBe(1);
  expect(heard.join('')).toMatch(/^\{"bursar":1,"nonce":"[\da-f]{64}"\}\n$/);
});

test('an app that answers with the client\'s own nonce and proof is not believed', () => {
  const key = Buffer.alloc(32, 7);
  const nonce = newNonce();
  expect(verifyApp(challengeAnswer(key, nonce, nonce), key, nonce)).toBeUndefined();
  expect(verifyApp(introduction(key, nonce, newNonce(), { role: 'control' }), key, nonce)).toBeUndefined();
  expect(verifyApp('null', key, nonce)).toBeUndefined();
});

test('the command line gets a connection that carries lines both ways', async () => {
  const app = await start(newHome());
  const socket = await connectToApp({ home: app.home, hello: { role: 'control' }, startMs: 1_000 });
  cleanups.push(() => socket.destroy());
  const { text } = received(socket);
  socket.resume();
  socket.write('one\ntwo\n');
  await eventually(text).toBe('echo one\necho two\n');
  await expect(connectToApp({ home: newHome(), hello: { role: 'control' }, startMs: 1_000 })).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

test('messages that come in one piece with the handshake are not lost', async () => {
  const app = await start(newHome());
  const key = socketKey(app.home) ?? Buffer.alloc(0);
  const socket = createConnection(socketPath(app.home));
  const { text } = received(socket);
  const nonce = newNonce();
  socket.write(`${opening(nonce)}\n`);
  await eventually(text).toContain('\n');
  const appNonce = verifyApp(text().trim(), key, nonce) ?? '';
  socket.write(`${introduction(key, nonce, appNonce, { role: 'control' })}\nfirst\nsec`);
  socket.write('ond\n');
  await eventually(text).toContain('echo first\necho second\n');
  socket.destroy();
});

test.skipIf(process.platform === 'win32')('a home too deep for a socket address gets a short one that shim and app agree on', async () => {
  const home = join(newHome(), 'a'.repeat(60), 'b'.repeat(60));
  mkdirSync(home, { recursive: true });
  await start(home);
  const path = socketPath(home);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  const client = shimClient(home, 'raw', { ...process.env, TMPDIR: newHome() });
  client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1 });
  await client.close();
});

test('the secret survives a restart, and a damaged one is made anew', () => {
  const home = newHome();
  const { key } = prepareEndpoint(home);
  expect(prepareEndpoint(home).key).toEqual(key);
  writeFileSync(join(home, 'run', 'socket.key'), 'short');
  expect(socketKey(home)).toBeUndefined();
  expect(prepareEndpoint(home).key).not.toEqual(key);
});

test('on Windows the pipe has a new random name at each start', () => {
  const home = newHome();
  const first = prepareEndpoint(home, 'win32').path;
  expect(first).toMatch(/^\\\\\.\\pipe\\bursar-[\da-f]{32}$/);
  expect(socketPath(home)).toBe(first);
  expect(prepareEndpoint(home, 'win32').path).not.toBe(first);
  expect(existsSync(join(home, 'run', 'socket.path'))).toBe(true);
});
