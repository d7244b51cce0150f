import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { prepareEndpoint, writeLaunchCommand } from '../../../src/main/bridge/endpoint.ts';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { rawStdio, shimClient, startApp, type LineClient, type TestApp, type TestAppOptions } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp } from './fixtures/raw-http.ts';

const APP = fileURLToPath(new URL('./fixtures/app.ts', import.meta.url));
const LISTING = fileURLToPath(new URL('./fixtures/listing-stdio.ts', import.meta.url));
const CRASH = '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"crash"}}';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const start = async (options: TestAppOptions): Promise<TestApp> => {
  const app = await startApp(options);
  cleanups.push(() => app.close());
  return app;
};
const connect = (home: string, upstream = 'raw', env?: NodeJS.ProcessEnv): LineClient => {
  const client = shimClient(home, upstream, env);
  cleanups.push(() => client.close());
  return client;
};
const newHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), 'bursar-fault-'));
  cleanups.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
};
const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie has ended; its parent has only not asked yet.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
const errorOf = (line: string): { id: unknown; error: { message: string; data: { code: string } } } => JSON.parse(line) as never;

test('a server that crashes answers every open call with an error that names it, within a second, and is started again', async () => {
  const app = await start({ upstreams: [rawStdio()] });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await client.next();
  for (const id of [2, '3']) client.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{"name":"wait"}}`);
  const begun = performance.now();
  client.send(CRASH);
  const errors = [errorOf(await client.next()), errorOf(await client.next()), errorOf(await client.next())];
  expect(performance.now() - begun).toBeLessThan(1_000);
  expect(errors.map(({ id }) => id)).toEqual([2, '3', 'c']);
  for (const { error } of errors) {
    expect(error.data.code).toBe('UPSTREAM_EXITED');
    expect(error.message).toContain('"raw"');
    expect(error.message).toContain('exit code 3');
  }
  client.send('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"is-initialized"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 4, result: { initialized: false } });
});

/** Closes one of its ends at the call of "close", which is answered; stdin before the answer, stdout after it. */
const closing = (what: string): UpstreamSpec => ({
  name: 'raw',
  transport: { kind: 'stdio', command: process.execPath, args: ['-e', `
    const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    setInterval(() => undefined, 1 << 30);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, params } = JSON.parse(line);
      if (params?.name === 'hang') return;
      const closes = (fd) => params?.name === 'close' && fd === ${what === 'stdin' ? 0 : 1} && require('node:fs').closeSync(fd);
      closes(0);
      answer(id, { pid: process.pid });
      closes(1);
    });`] },
});

test.skipIf(process.platform === 'win32').each(['stdin', 'stdout'])('a server that closes its %s and lives on is ended, every open call fails, and the next one starts it again', async (what) => {
  const app = await start({ upstreams: [closing(what)] });
  const client = connect(app.home);
  const call = (id: number, name: string): void => client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`);
  call(1, 'hang');
  call(2, 'close');
  const { result: { pid } } = JSON.parse(await client.next()) as { result: { pid: number } };
  // That stdin is closed is seen by a write alone.
  if (what === 'stdin') call(3, 'hang');
  const errors = [errorOf(await client.next()), ...(what === 'stdin' ? [errorOf(await client.next())] : [])];
  expect(errors.map(({ id, error }) => [id, error.data.code])).toEqual([[1, 'UPSTREAM_EXITED'], ...(what === 'stdin' ? [[3, 'UPSTREAM_EXITED']] : [])]);
  expect(errors[0]?.error.message).toContain(`closed its ${what}`);
  await eventually(() => alive(pid)).toBe(false);
  call(4, 'any');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 4, result: {} });
});

test('a server that is started again is initialized with the client\'s own words before it gets the next call', async () => {
  const app = await start({ upstreams: [rawStdio()] });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 'i', result: { protocolVersion: '2025-06-18' } });
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  client.send(CRASH);
  expect(errorOf(await client.next()).id).toBe('c');
  client.send('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"is-initialized"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 4, result: { initialized: true } });
  expect(client.lines).toEqual([]);
});

test('a server that crashes while nobody asks is started again by itself, in the client\'s own words, and the client is told to read its lists again', async () => {
  const app = await start({ upstreams: [{ name: 'listing', transport: { kind: 'stdio', command: process.execPath, args: [LISTING, '{"tools":["grow"],"resources":["a://b"]}'] } }] });
  const client = connect(app.home, 'listing');
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  client.send(CRASH);
  expect(errorOf(await client.next()).error.message).toContain('The last line on its stderr: started');
  // Of resources it has not said that it tells when they change.
  expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, result: { tools: [{ name: 'grow' }] } });
  expect(client.lines).toEqual([]);
});

test('a call that comes before a crashed server is started again by itself does not wait for that, and the client is told once', async () => {
  const app = await start({ upstreams: [{ name: 'listing', transport: { kind: 'stdio', command: process.execPath, args: [LISTING, '{"tools":["grow"]}'] } }] });
  const client = connect(app.home, 'listing');
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  client.send(CRASH);
  await client.next();
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  const messages = [await client.next(), await client.next()].map((line) => JSON.parse(line) as { id?: number; method?: string });
  expect(new Set(messages.map(({ id, method }) => id ?? method))).toEqual(new Set([2, 'notifications/tools/list_changed']));
  client.send('{"jsonrpc":"2.0","id":3,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 3 });
  expect(client.lines).toEqual([]);
});

test('a server that ends again and again is left alone for a while, and the client is told so at once', async () => {
  const app = await start({ upstreams: [{ name: 'raw', transport: { kind: 'stdio', command: process.execPath, args: ['-e', 'console.error("no \\u202elicence found"); process.exit(1)'] } }] });
  const client = connect(app.home);
  const messages: string[] = [];
  for (let id = 0; id < 4; id++) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    messages.push(errorOf(await client.next()).error.message);
  }
  expect(messages.slice(0, 2).every((message) => message.includes('exit code 1'))).toBe(true);
  expect(messages[2]).toContain('keeps ending');
  expect(messages[2]).toContain('no licence found');
});

test('a server that the owner changes is ended, and the next call of a living client finds the new one', async () => {
  const upstreams = [rawStdio()];
  const app = await start({ upstreams });
  const client = connect(app.home);
  const pidOf = async (id: number): Promise<number> => {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"environment"}}`);
    return (JSON.parse(await client.next()) as { result: { pid: number } }).result.pid;
  };
  const old = await pidOf(1);
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}');
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(1);
  await app.bridge.reset('raw');
  expect(errorOf(await client.next())).toMatchObject({ id: 2, error: { data: { code: 'UPSTREAM_EXITED' } } });
  expect(alive(old)).toBe(false);
  expect(await pidOf(3)).not.toBe(old);
  upstreams.length = 0;
  await app.bridge.reset('raw');
  client.send('{"jsonrpc":"2.0","id":4,"method":"ping"}');
  expect(errorOf(await client.next())).toMatchObject({ id: 4, error: { data: { code: 'UPSTREAM_UNKNOWN' } } });
});

test('a command that does not exist, and an address where nobody listens, are errors that name the server', async () => {
  const app = await start({
    upstreams: [
      { name: 'none', transport: { kind: 'stdio', command: '/nonexistent/server', args: [] } },
      { name: 'closed', transport: { kind: 'http', url: 'http://127.0.0.1:1/mcp' } },
    ],
  });
  for (const [upstream, code, reason] of [['none', 'UPSTREAM_UNREACHABLE', 'ENOENT'], ['closed', 'UPSTREAM_UNREACHABLE', 'ECONNREFUSED'], ['unheard-of', 'UPSTREAM_UNKNOWN', 'unheard-of']] as const) {
    const client = connect(app.home, upstream);
    client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const { id, error } = errorOf(await client.next());
    expect(id).toBe(1);
    expect(error.data.code).toBe(code);
    expect(error.message).toContain(upstream);
    expect(error.message).toContain(reason);
  }
});

test('HTTP refusals and broken answers of a server become errors, and a JSON-RPC body under an HTTP error passes', async () => {
  const http = await startRawHttp();
  cleanups.push(() => http.close());
  const app = await start({ upstreams: [{ name: 'http', transport: { kind: 'http', url: http.url } }] });
  const client = connect(app.home, 'http');
  const answers: [string, (response: import('node:http').ServerResponse) => void, string][] = [
    ['a redirect is not followed', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), 'HTTP 307'],
    ['plain 500', (response) => response.writeHead(500).end('oops'), 'HTTP 500'],
    ['no message in the answer', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>'), 'without a result'],
    ['a stream without an answer', (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n'), 'without a result'],
    ['a connection cut within the answer', (response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{', () => response.destroy()), 'could not be reached'],
    ['a JSON-RPC error under 404', (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"HTTP 404 of its own"}}'), 'HTTP 404 of its own'],
  ];
  for (const [name, answer, expected] of answers) {
    http.intercept = (_request, _body, response) => {
      answer(response);
      return true;
    };
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
    expect(errorOf(await client.next()).error.message, name).toContain(expected);
  }
});

test('an answer that is not JSON fails its own call and no other', async () => {
  const app = await start({ upstreams: [rawStdio()] });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"wait"}}');
  client.send(JSON.stringify({ jsonrpc: '2.0', id: 'n', method: 'odd/raw', params: { arguments: { line: '{"jsonrpc":"2.0","id":$ID,"result":{"n":NaN}}' } } }));
  expect(errorOf(await client.next())).toMatchObject({ id: 'n', error: { data: { code: 'MESSAGE_MALFORMED' } } });
  expect(app.bridge.sessions()[0]?.openRequests).toBe(1);
});

test('a message of the server above the limit fails its own call and no other', async () => {
  const http = await startRawHttp();
  cleanups.push(() => http.close());
  const app = await start({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }], limits: { maxMessageBytes: 100_000 } });
  for (const upstream of ['raw', 'http']) {
    const client = connect(app.home, upstream);
    client.send('{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"wait"}}');
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"size":100000}}}');
    expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'MESSAGE_TOO_LARGE' } } });
    client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"big","arguments":{"size":90000}}}');
    expect((await client.next()).length).toBeGreaterThan(90_000);
    expect(app.bridge.sessions().some(({ openRequests }) => openRequests === 1)).toBe(true);
    await client.close();
  }
});

test('a message of the server above the limit that tells no id fails every call, so that none waits for ever', async () => {
  const app = await start({ upstreams: [rawStdio()], limits: { maxMessageBytes: 100_000 } });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"wait"}}');
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big-hidden-id","arguments":{"size":100000}}}');
  const errors = [errorOf(await client.next()), errorOf(await client.next())];
  expect(errors.map(({ id, error }) => [id, error.data.code])).toEqual([[0, 'MESSAGE_TOO_LARGE'], [1, 'MESSAGE_TOO_LARGE']]);
  client.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, result: {} });
});

test('a message of the client above the limit is an error under its id, and the session goes on', async () => {
  const app = await start({ upstreams: [rawStdio()], limits: { maxMessageBytes: 1000 } });
  const client = connect(app.home);
  client.send(`{"method":"x","params":{"a":"${'a'.repeat(2000)}"},"jsonrpc":"2.0","id":1}`);
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'MESSAGE_TOO_LARGE' } } });
  client.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, result: {} });
  client.send(`{"jsonrpc":"2.0","method":"x","id":3,"params":{"a":"${'a'.repeat(2000)}"}}`);
  expect(errorOf(await client.next())).toMatchObject({ id: null, error: { data: { code: 'MESSAGE_TOO_LARGE' } } });
  expect(errorOf(await client.next())).toMatchObject({ id: 3, error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
});

test('nothing of Bursar\'s environment reaches a server but what any program needs and what is configured', async () => {
  process.env['BURSAR_TEST_SECRET'] = 'secret';
  cleanups.push(() => delete process.env['BURSAR_TEST_SECRET']);
  const spec = rawStdio();
  const app = await start({ upstreams: [{ ...spec, transport: { ...spec.transport, env: { CONFIGURED: 'yes' } } as typeof spec.transport }] });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"environment"}}');
  const { env } = (JSON.parse(await client.next()) as { result: { env: Record<string, string> } }).result;
  expect(env).toMatchObject({ CONFIGURED: 'yes', PATH: process.env['PATH'] });
  expect(Object.keys(env).filter((name) => !['CONFIGURED', 'HOME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'].includes(name))).toEqual([]);
});

/** Starts the app as a process and a stubborn server under it; returns the pids of server and grandchild. */
async function stubbornFamily(home: string): Promise<{ app: ChildProcess; pids: number[]; client: LineClient }> {
  const app = spawn(process.execPath, [APP, home, 'stubborn'], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => app.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: app.stdout }).on('line', (line) => lines.push(line));
  await eventually(() => lines).toContain('listening');
  const client = connect(home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"environment"}}');
  const { pid } = (JSON.parse(await client.next()) as { result: { pid: number } }).result;
  await eventually(() => lines.some((line) => line.startsWith('grandchild '))).toBe(true);
  const grandchild = Number(lines.find((line) => line.startsWith('grandchild '))?.slice('grandchild '.length));
  cleanups.push(() => [pid, grandchild].filter(alive).forEach((one) => process.kill(one, 'SIGKILL')));
  return { app, pids: [pid, grandchild], client };
}

test.skipIf(process.platform === 'win32')('when the app is killed, no server and no child of a server lives on, however stubborn', async () => {
  const { app, pids } = await stubbornFamily(newHome());
  expect(pids.every(alive)).toBe(true);
  app.kill('SIGKILL');
  await eventually(() => pids.filter(alive)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('when the client leaves, its server and the server\'s children end', async () => {
  const { pids, client } = await stubbornFamily(newHome());
  await client.close();
  await eventually(() => pids.filter(alive)).toEqual([]);
});

test('when the app goes away, the open and the following requests of a living client get errors', async () => {
  const home = newHome();
  const { app, client } = await stubbornFamily(home);
  client.send('{"jsonrpc":"2.0","id":"open","method":"tools/call","params":{"name":"wait"}}');
  client.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  await client.next();
  app.kill('SIGKILL');
  expect(errorOf(await client.next())).toMatchObject({ id: 'open', error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
  client.send('{"jsonrpc":"2.0","id":3,"method":"ping"}');
  expect(errorOf(await client.next()).id).toBe(3);
  expect(client.stderr()).toContain('Bursar went away');
});

test('closing Bursar answers what is open', async () => {
  const app = await startApp({ upstreams: [rawStdio()] });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}');
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(1);
  await app.close();
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { message: expect.stringContaining('Bursar is closing') } });
});

test('the shim starts an app that does not run, and what the client sent meanwhile is answered', async () => {
  const home = newHome();
  prepareEndpoint(home);
  writeLaunchCommand(home, { command: process.execPath, args: [APP, home, 'slow'], env: { BURSAR_STARTED_BY_SHIM: '1' } });
  const client = connect(home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: {} });
  process.kill(Number(readFileSync(join(home, 'app.pid'), 'utf8')), 'SIGKILL');
});

test('an app that cannot be started is an error for each request and a line on stderr, nothing else on stdout', async () => {
  const home = newHome();
  const cases: [{ command: string; args: string[] }, string][] = [
    [{ command: '/nonexistent/bursar', args: [] }, 'ENOENT'],
    [{ command: process.execPath, args: ['-e', 'console.log("noise"); process.exit(7)'] }, 'exit code 7'],
  ];
  for (const [launch, reason] of cases) {
    prepareEndpoint(home);
    writeLaunchCommand(home, launch);
    const client = connect(home);
    client.send('{"jsonrpc":"2.0","id":1,"method":"initialize"}');
    client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    client.send('{"jsonrpc":"2.0","id":"2","method":"tools/list"}');
    const errors = [errorOf(await client.next()), errorOf(await client.next())];
    expect(errors.map(({ id }) => id)).toEqual([1, '2']);
    for (const { error } of errors) expect(error.message).toContain(reason);
    expect(await client.close()).toBe(1);
    expect(client.lines).toEqual([]);
    expect(client.stderr()).toContain('bursar: ');
  }
});

test('a server that does not end keeps Bursar from ending', async () => {
  const app = await start({ upstreams: [rawStdio('raw', ['--stubborn'])], limits: { stopMs: 100 } });
  const client = connect(app.home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await client.next();
  const begun = performance.now();
  await app.bridge.close();
  // Such a server is killed after four seconds; nobody waits for that here.
  expect(performance.now() - begun).toBeLessThan(1_500);
  await eventually(() => app.logged.map(({ message }) => message)).toContain('sessions did not end in time');
});
