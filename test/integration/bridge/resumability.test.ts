import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import { NO_PAYMENTS, rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Stream {
  readonly response: IncomingMessage;
  readonly text: () => string;
  readonly lastId: () => string;
  cut(): void;
}

const AUTH = { authorization: `Bearer ${TOKEN}`, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };

/** One request whose answer is read as it comes. */
function open(app: TestApp, upstream: string, headers: Record<string, string>, body?: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(app.url(upstream), { method: body === undefined ? 'GET' : 'POST', headers: { ...AUTH, 'content-type': 'application/json', ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('error', () => undefined);
      resolve({ response, text: () => text, lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '', cut: () => request.destroy() });
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function newSession(app: TestApp, upstream = 'raw'): Promise<Record<string, string>> {
  const { response } = await open(app, upstream, {}, '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  return { 'mcp-session-id': String(response.headers['mcp-session-id']) };
}

async function start(hook: PaymentHook = NO_PAYMENTS, limits = {}): Promise<{ app: TestApp; http: RawHttpServer }> {
  const http = await startRawHttp();
  const app = await startApp({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }], hook, limits });
  cleanups.push(() => http.close(), () => app.close());
  return { app, http };
}

/** A call that stays open until the test answers it by the server's own request. */
const ASK = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"method":"roots/list","params":{}}}}';
const ANSWER = '{"jsonrpc":"2.0","id":"srv-1","result":{"roots":[]}}';

test('a call whose connection broke is answered on the stream that resumes it, once and in order', async () => {
  const { app } = await start();
  const session = await newSession(app);
  const call = await open(app, 'raw', session, ASK);
  await eventually(call.text).toContain('srv-1');
  const id = call.lastId();
  call.cut();
  await open(app, 'raw', session, ANSWER);
  const resumed = await open(app, 'raw', { ...session, 'last-event-id': id });
  await eventually(resumed.text).toContain('"id":7');
  expect(resumed.text().match(/^data: \{/gm)).toHaveLength(1);
  expect(resumed.text()).not.toContain('roots/list');
  await eventually(() => resumed.response.readableEnded).toBe(true);
});

test('an event that was sent and lost is sent again to who asks from before it', async () => {
  const { app } = await start();
  const session = await newSession(app);
  const call = await open(app, 'raw', session, ASK);
  await eventually(call.text).toContain('srv-1');
  const [firstId = ''] = call.lastId().split('-');
  call.cut();
  const resumed = await open(app, 'raw', { ...session, 'last-event-id': `${firstId}-0` });
  await eventually(resumed.text).toContain('srv-1');
});

test('the stream of one session cannot be resumed in another', async () => {
  const { app } = await start();
  const session = await newSession(app);
  const call = await open(app, 'raw', session, ASK);
  await eventually(call.text).toContain('srv-1');
  const other = await open(app, 'raw', { ...(await newSession(app)), 'last-event-id': call.lastId().replace(/\d+$/, '0') });
  await open(app, 'raw', session, ANSWER);
  await eventually(call.text).toContain('"id":7');
  expect(other.text()).toBe('');
  other.cut();
});

test('what the server says on its own is resumed as well', async () => {
  const { app } = await start();
  const session = await newSession(app);
  const notice = (id: number): string => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
  const own = await open(app, 'raw', session);
  await open(app, 'raw', session, notice(1));
  await eventually(own.text).toContain('"cancelled":1');
  const id = own.lastId();
  own.cut();
  await open(app, 'raw', session, notice(2));
  const again = await open(app, 'raw', { ...session, 'last-event-id': id });
  await eventually(again.text).toContain('"cancelled":2');
  expect(again.text()).not.toContain('"cancelled":1');
  again.cut();
});

test('a client that does not come back is gone: its call is called off for the payment side', async () => {
  let aborted = false;
  const untilAborted = async (signal: AbortSignal): Promise<undefined> => {
    await once(signal, 'abort');
    aborted = true;
    return undefined;
  };
  const hook: PaymentHook = { looksPaid: (_scan, text) => text.includes('x402Version'), onAnswer: (call) => untilAborted(call.signal) };
  const { app } = await start(hook, { resumeMs: 50 });
  const call = await open(app, 'raw', await newSession(app), '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"paid"}}');
  expect(aborted).toBe(false);
  call.cut();
  await eventually(() => aborted).toBe(true);
});

test('a client that comes back while the owner decides gets its goods, and they count as delivered', async () => {
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
  const delivered: boolean[] = [];
  const hook: PaymentHook = {
    looksPaid: (_scan, text) => text.includes('x402Version'),
    async onAnswer(_call, _answer, io) {
      await decided;
      return { text: (await io.retry({ meta: { 'x402/payment': '{}' } })).text, delivered: (written) => void delivered.push(written) };
    },
  };
  const { app } = await start(hook);
  const session = await newSession(app);
  const call = await open(app, 'raw', session, '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"paid"}}');
  await eventually(call.lastId).not.toBe('');
  call.cut();
  decide();
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(0);
  expect(delivered).toEqual([]);
  const resumed = await open(app, 'raw', { ...session, 'last-event-id': call.lastId() });
  await eventually(resumed.text).toContain('goods');
  await eventually(() => delivered).toEqual([true]);
});

const shim = (app: TestApp, upstream = 'http'): LineClient => {
  const client = shimClient(app.home, upstream);
  cleanups.push(() => client.close());
  return client;
};

test('a server that closes its stream under a call is asked again from where it stopped', async () => {
  const { app, http } = await start();
  const seen: unknown[] = [];
  http.intercept = (request, body, response) => {
    if (request.method === 'GET') {
      if (request.headers['last-event-id'] === undefined) return false;
      seen.push(request.headers['last-event-id']);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(seen.length < 2 ? 'id: e2\nretry: 1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n' : 'id: e3\ndata: {"jsonrpc":"2.0","id":1,"result":{"polled":true}}\n\n');
      return true;
    }
    if (!body.includes('tools/call')) return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: e1\nretry: 1\ndata: \n\n');
    return true;
  };
  const client = shim(app);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(await client.next()).toContain('notifications/message');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { polled: true } });
  expect(seen).toEqual(['e1', 'e2']);
});

test('a server that forgets what it was asked is an error for the call, and not silence', async () => {
  const { app, http } = await start();
  http.intercept = (request, body, response) => {
    if (request.method === 'GET' && request.headers['last-event-id'] !== undefined) response.writeHead(404).end();
    else if (body.includes('tools/call')) response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: e1\nretry: 1\ndata: \n\n');
    else return false;
    return true;
  };
  const client = shim(app);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_REFUSED', context: { status: '404' } } } });
});

/** Answers 404 to every message of the first session but its handshake. */
function forgetful(http: RawHttpServer): { inits: () => string[]; calls: () => string[] } {
  let sessions = 0;
  const inits: string[] = [];
  const calls: string[] = [];
  http.intercept = (request, body, response) => {
    if (request.method !== 'POST') return false;
    if (body.includes('"initialize"')) {
      inits.push(body);
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${++sessions}` }).end(`{"jsonrpc":"2.0","id":${/"id":("[^"]*")/.exec(body)?.[1]},"result":{"protocolVersion":"2025-06-18","capabilities":{}}}`);
      return true;
    }
    if (!body.includes('tools/call')) return false;
    calls.push(`${String(request.headers['mcp-session-id'])} ${body}`);
    if (request.headers['mcp-session-id'] !== 's1') return false;
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return true;
  };
  return { inits: () => inits, calls: () => calls };
}

const handshake = async (client: LineClient): Promise<void> => {
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","own":12345678901234567890}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
};

test('a server that has forgotten the session gets the client\'s own initialize and the call again, and the client sees nothing of it', async () => {
  const { app, http } = await start();
  const { inits, calls } = forgetful(http);
  const client = shim(app);
  await handshake(client);
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';
  client.send(call);
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { received: call } });
  expect(inits()).toHaveLength(2);
  expect(inits()[1]?.replace(/"bursar-[-\da-f]+"/, '"i"')).toBe(inits()[0]);
  expect(calls()).toEqual([`s1 ${call}`, `s2 ${call}`]);
  expect(client.lines).toEqual([]);
});

test('a server that forgets every session gets the call twice and no more, and the client its answer', async () => {
  const { app, http } = await start();
  let calls = 0;
  http.intercept = (_request, body, response) => {
    if (!body.includes('tools/call')) return false;
    calls++;
    response.writeHead(404).end();
    return true;
  };
  const client = shim(app);
  await handshake(client);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_REFUSED', context: { status: '404' } } } });
  expect(calls).toBe(2);
});

test('I1: a paid call is not sent again when the session is gone', async () => {
  const failed: unknown[] = [];
  const hook: PaymentHook = {
    looksPaid: (_scan, text) => text.includes('x402Version'),
    async onAnswer(_call, _answer, io) {
      failed.push(await io.retry({ meta: { 'x402/payment': '{}' } }).catch((error: unknown) => error));
      return { text: '{"jsonrpc":"2.0","id":1,"result":{"told":true}}', delivered: () => undefined };
    },
  };
  const { app, http } = await start(hook);
  const paid: string[] = [];
  http.intercept = (_request, body, response) => {
    if (!body.includes('x402/payment')) return false;
    paid.push(body);
    response.writeHead(404).end();
    return true;
  };
  const client = shim(app);
  await handshake(client);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { told: true } });
  expect(failed).toMatchObject([{ code: 'UPSTREAM_REFUSED', context: { status: '404' } }]);
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2 });
  expect(paid).toHaveLength(1);
});

/** Forgets its session at each `forget()`, and refuses the next `fails` times that somebody begins another one. */
function amnesic(http: RawHttpServer, refuse: (response: ServerResponse, body: string) => void): { forget: (fails?: number) => void; streams: () => number } {
  let session = 0;
  let failing = 0;
  let forgotten = false;
  const streams = new Set<ServerResponse>();
  http.intercept = (request, body, response) => {
    const sent = request.headers['mcp-session-id'];
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return true;
    }
    const json = (text: string, status = 200, headers = {}): void => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    const { id, method } = JSON.parse(body) as { id?: string | number; method: string };
    if (method === 'initialize') {
      if (failing-- > 0) refuse(response, body);
      else {
        forgotten = false;
        json(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`, 200, { 'mcp-session-id': `s${++session}` });
      }
    } else if (sent === undefined) json('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}', 400);
    else if (forgotten || sent !== `s${session}`) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (body.includes('"wait"')) http.seen.at(-1)!.held = response;
    else json(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"in":"${sent}"}}`);
    return true;
  };
  return {
    forget: (fails = 0) => {
      forgotten = true;
      failing = fails;
    },
    streams: () => streams.size,
  };
}
const CALL = (id: number, name = 'echo'): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;

test.each<[string, (response: ServerResponse, body: string) => void, string]>([
  ['HTTP 503', (response) => void response.writeHead(503).end('starting'), 'UPSTREAM_REFUSED'],
  ['a JSON-RPC error', (response, body) => void response.writeHead(200, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0","id":${JSON.stringify((JSON.parse(body) as { id: string }).id)},"error":{"code":-32000,"message":"not now"}}`), 'UPSTREAM_REFUSED'],
  ['a broken connection', (response) => void response.destroy(), 'UPSTREAM_UNREACHABLE'],
])('a new session that is refused by %s fails the call that needed it, and the next call tries again', async (_name, refuse, code) => {
  const { app, http } = await start();
  const { forget } = amnesic(http, refuse);
  const client = shim(app);
  await handshake(client);
  client.send(CALL(1));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { in: 's1' } });
  forget(1);
  client.send(CALL(2));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { data: { code } } });
  client.send(CALL(3));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 3, result: { in: 's2' } });
});

test('links whose session was forgotten are closed once what was asked over them is answered', async () => {
  const { app, http } = await start();
  const { forget, streams } = amnesic(http, (response) => response.destroy());
  const client = shim(app);
  await handshake(client);
  await eventually(streams).toBe(1);
  client.send(CALL(100, 'wait'));
  await eventually(() => http.seen.some(({ held }) => held !== undefined)).toBe(true);
  for (let id = 1; id <= 5; id++) {
    forget();
    client.send(CALL(id));
    expect(JSON.parse(await client.next((line) => line.includes('"result"')))).toMatchObject({ id, result: { in: `s${id + 1}` } });
    await eventually(streams).toBe(1);
  }
  http.seen.find(({ held }) => held !== undefined)?.held?.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":100,"result":{"late":true}}');
  expect(JSON.parse(await client.next((line) => line.includes('"result"')))).toMatchObject({ id: 100, result: { late: true } });
  expect(streams()).toBe(1);
});
