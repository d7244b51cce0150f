import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { NO_PAYMENTS, rawStdio, shimClient, startApp, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface World {
  readonly app: TestApp;
  readonly http: RawHttpServer;
  readonly client: LineClient;
  /** The servers that there are, which a test may change. */
  readonly upstreams: UpstreamSpec[];
}

async function start({ upstream = 'http', hook = NO_PAYMENTS, limits = {} }: { upstream?: string; hook?: PaymentHook; limits?: object } = {}): Promise<World> {
  const http = await startRawHttp();
  const upstreams: UpstreamSpec[] = [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }];
  const app = await startApp({ upstreams, hook, limits });
  const client = shimClient(app.home, upstream);
  cleanups.push(() => http.close(), () => app.close(), () => client.close());
  return { app, http, client, upstreams };
}

const call = (id: number, name = 'echo'): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;
const errorOf = (line: string): { id: unknown; error: { message: string; data: { code: string } } } => JSON.parse(line) as never;
const streamTo = (response: ServerResponse): ServerResponse => response.writeHead(200, { 'content-type': 'text/event-stream' });

async function handshake(client: LineClient): Promise<void> {
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
}

test('a message above the limit in a stream that can be resumed is asked for again and again, and its call hangs', async () => {
  const { http, client } = await start({ limits: { maxMessageBytes: 1_000 } });
  http.intercept = (request, body, response) => {
    if (request.headers['last-event-id'] === undefined && !body.includes('"echo"')) return false;
    streamTo(response).end(`id: e1\nretry: 1\ndata: \n\nid: e2\ndata: {"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(2_000)}"}\n\n`);
    return true;
  };
  client.send(call(1));
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'MESSAGE_TOO_LARGE' } } });
  expect(http.seen.filter(({ headers }) => headers['last-event-id'] !== undefined)).toHaveLength(0);
});

test('a stream that breaks each time it is resumed is asked for without end, and its call hangs', async () => {
  const { http, client } = await start();
  let resumed = 0;
  http.intercept = (request, body, response) => {
    if (request.headers['last-event-id'] !== undefined) {
      resumed++;
      streamTo(response).write(': nothing new\n\n', () => response.destroy());
      return true;
    }
    if (!body.includes('"echo"')) return false;
    streamTo(response).write('id: e1\nretry: 1\ndata: \n\n', () => response.destroy());
    return true;
  };
  client.send(call(1));
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
  expect(resumed).toBe(3);
});

test('a server that dies in the midst of a stream that could be resumed is told to the caller only after seconds', async () => {
  const { http, client } = await start();
  const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>();
  http.intercept = (_request, body, response) => {
    if (!body.includes('"echo"')) return false;
    streamTo(response).write('id: e1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n', () => onBegun());
    return true;
  };
  client.send(call(1));
  await begun;
  await client.next();
  const died = performance.now();
  await http.close();
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
  expect(performance.now() - died).toBeLessThan(2_500);
});

test('a server that ends its own stream and says to come back at once is asked without a pause', async () => {
  const { http, client } = await start();
  const asked: number[] = [];
  http.intercept = (request, _body, response) => {
    if (request.method !== 'GET') return false;
    asked.push(performance.now());
    streamTo(response).end('retry: 0\ndata: \n\n');
    return true;
  };
  await handshake(client);
  await eventually(() => asked.length).toBeGreaterThan(10);
  expect((asked[10] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(900);
});

test('a server that takes its event id back is asked for a stream that begins anywhere, and the call waits in it', async () => {
  const { http, client } = await start();
  http.intercept = (request, body, response) => {
    if (request.method === 'GET') streamTo(response).flushHeaders();
    else if (body.includes('"echo"')) streamTo(response).end('id: e1\nretry: 1\ndata: \n\nid\ndata: \n\n');
    else return false;
    return true;
  };
  client.send(call(1));
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { message: expect.stringContaining('without a result') as string } });
});

test('an event id that is no header value ends the call instead of coming back as UTF-8', async () => {
  const { http, client } = await start();
  http.intercept = (request, body, response) => {
    const given = request.headers['last-event-id'];
    if (typeof given === 'string') streamTo(response).end(`data: {"jsonrpc":"2.0","id":1,"result":${JSON.stringify(Buffer.from(given, 'latin1').toString())}}\n\n`);
    else if (body.includes('"echo"')) streamTo(response).end('id: éé→1\nretry: 1\ndata: \n\n');
    else return false;
    return true;
  };
  client.send(call(1));
  expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', id: 1, result: 'éé→1' });
});

test('a server that answers "initialized" with a stream that stays open holds back every later call', async () => {
  const { http, client } = await start();
  http.intercept = (_request, body, response) => {
    if (!body.includes('notifications/initialized')) return false;
    streamTo(response).flushHeaders();
    return true;
  };
  await handshake(client);
  client.send(call(1));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: {} });
});

test('a server whose session is gone while it cannot be opened again leaves later calls without an answer', async () => {
  const { http, client, upstreams } = await start();
  await handshake(client);
  const [spec] = upstreams.splice(1, 1);
  http.intercept = (request, body, response) => {
    if (!body.includes('"echo"') || request.headers['mcp-session-id'] !== 'raw-session') return false;
    response.writeHead(404).end();
    return true;
  };
  for (const id of [1, 2]) {
    client.send(call(id));
    expect(errorOf(await client.next())).toMatchObject({ id, error: { data: { code: 'UPSTREAM_UNKNOWN' } } });
  }
  http.intercept = undefined;
  if (spec !== undefined) upstreams.push(spec);
  await eventually(async () => {
    client.send(call(3));
    return JSON.parse(await client.next((line) => line.includes('"id":3'))) as unknown;
  }).toMatchObject({ id: 3, result: {} });
});

test.each(['raw', 'http'])('I9: a server that answers a second time while the owner decides gets that past the payment, and the goods come to nobody (%s)', async (upstream) => {
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
  const hook: PaymentHook = {
    looksPaid: (_scan, text) => text.includes('"asks"'),
    async onAnswer() {
      await decided;
      return { text: '{"jsonrpc":"2.0","id":1,"result":{"goods":true}}', delivered: () => undefined };
    },
  };
  const { client } = await start({ upstream, hook });
  const replies = ['{"jsonrpc":"2.0","id":$ID,"result":{"asks":true}}', '{"jsonrpc":"2.0","id":$ID,"result":{"early":true}}', '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"after"}}'];
  client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any","_meta":{"replies":${JSON.stringify(replies)}}}}`);
  // What comes after it has been dealt with, so it has been, too.
  expect(JSON.parse(await client.next())).toMatchObject({ params: { data: 'after' } });
  decide();
  expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', id: 1, result: { goods: true } });
  expect(client.lines).toEqual([]);
});

test.each(['initialize', 'tools/list', 'tools/call'])('I8: HTTP 402 with an answer of its own to %s is replaced by words of Bursar', async (method) => {
  const { http, client } = await start({ hook: { ...NO_PAYMENTS, onHttpPaymentRequired: () => Promise.resolve(undefined) } });
  const answer = '{"jsonrpc":"2.0","id":1,"error":{"code":-32042,"message":"Ask your administrator","data":{"big":12345678901234567890}}}';
  http.intercept = (_request, _body, response) => {
    response.writeHead(402, { 'content-type': 'application/json' }).end(answer);
    return true;
  };
  client.send(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"echo"}}`);
  expect(await client.next()).toBe(answer);
  expect(client.lines).toEqual([]);
});

test('a server that refuses to begin and then says nothing more, as if it knew HTTP with SSE, holds its client for ever', async () => {
  const { http, client } = await start({ limits: { connectMs: 100 } });
  http.intercept = (request, _body, response) => {
    if (request.method === 'POST') response.writeHead(404).end('not here');
    return true;
  };
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  expect(errorOf(await client.next())).toMatchObject({ id: 'i', error: { data: { code: 'UPSTREAM_REFUSED' } } });
});

/** A server below HTTP: what it says to a connection, byte for byte. */
async function rawServer(talk: (socket: Socket, request: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (!text.includes('"id"') && !text.startsWith('GET')) return;
      talk(socket, text);
      text = '';
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test.each<[string, (socket: Socket) => void]>([
  ['another protocol', (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')],
  ['no HTTP', (socket) => socket.write('SSH-2.0-OpenSSH_9.7\r\n')],
  ['endless headers', (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x-long: y\r\n'.repeat(20_000)}`)],
  ['nothing', (socket) => socket.end()],
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['less than it announces', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc"')],
  ['a chunk that stops half-way', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nff\r\ndata: {')],
  ['two lengths', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}')],
  ['broken gzip', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\n\r\nno gzip')],
  ['a redirect to a private address', (socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/latest/meta-data\r\ncontent-length: 0\r\n\r\n')],
])('a server that answers with %s leaves its caller waiting', async (_what, talk) => {
  const { client, upstreams } = await start({ upstream: 'odd' });
  upstreams.push({ name: 'odd', transport: { kind: 'http', url: await rawServer(talk) } });
  const begun = performance.now();
  client.send(call(1));
  expect(errorOf(await client.next())).toMatchObject({ id: 1, error: { message: expect.stringContaining('"odd"') as string } });
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('characters that a network cuts in two, line ends of every kind and fields of several lines arrive as they were sent', async () => {
  const answer = '{"jsonrpc":"2.0",\ndata: "id":1,"result":"→😀é"}';
  const body = Buffer.from(`\ufeff: comment\r\nid: 1\revent: message\nretry: 5\r\ndata: ${answer}\r\n\r\n`);
  const { client, upstreams } = await start({ upstream: 'odd' });
  const url = await rawServer((socket, request) => {
    if (request.startsWith('GET')) return void socket.end('HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n');
    socket.setNoDelay(true);
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    for (const byte of body) socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    socket.write('0\r\n\r\n');
  });
  upstreams.push({ name: 'odd', transport: { kind: 'http', url } });
  client.send(call(1));
  expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', id: 1, result: '→😀é' });
});
