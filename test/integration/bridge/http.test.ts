import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rawStdio, startApp, TOKEN, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ upstreams: [rawStdio()], limits: { maxMessageBytes: 50_000 } });
});
afterAll(() => app.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string;
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';

/** One raw HTTP request; a header set to `undefined` is left out. */
function ask({ method = 'POST', path = '/mcp/raw', headers = {}, body = PING }: Ask = {}): Promise<Answer> {
  const all = { host: `127.0.0.1:${app.port}`, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: app.port, method, path, headers: sent, setHost: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on('error', reject);
    request.end(method === 'POST' ? body : undefined);
  });
}

/** The one message of an answer, be it JSON or a stream. */
const messageIn = ({ body }: Answer): unknown => JSON.parse(/^data: (.+)$/m.exec(body)?.[1] ?? body);

const newSession = async (headers: Record<string, string> = {}): Promise<string> => {
  const answer = await ask({ body: INITIALIZE, headers });
  expect(answer.status).toBe(200);
  return String(answer.headers['mcp-session-id']);
};

test.each<[string, Ask, number]>([
  ['without a token', { headers: { authorization: undefined } }, 401],
  ['with a wrong token', { headers: { authorization: 'Bearer wrong' } }, 401],
  ['with a token in another scheme', { headers: { authorization: `Basic ${TOKEN}` } }, 401],
  ['for another host (DNS rebinding)', { headers: { host: 'attacker.example' } }, 403],
  ['for this host on another port', { headers: { host: '127.0.0.1:1' } }, 403],
  ['from a page of another origin', { headers: { origin: 'https://attacker.example' } }, 403],
  ['from an opaque origin', { headers: { origin: 'null' } }, 403],
  ['as a form', { headers: { 'content-type': 'text/plain' } }, 415],
  ['without a content type', { headers: { 'content-type': undefined } }, 415],
  ['with a body that is too long', { body: `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(60_000)}"}` }, 413],
  ['that is not JSON', { body: '{"jsonrpc"' }, 400],
  ['for a server that does not exist', { path: '/mcp/other' }, 404],
  ['in a session that does not exist', { headers: { 'mcp-session-id': 'nobody' } }, 404],
  ['by another method', { method: 'PUT' }, 405],
  ['for a stream without a session', { method: 'GET' }, 400],
  ['for a stream of a session that does not exist', { method: 'GET', headers: { 'mcp-session-id': 'nobody' } }, 404],
])('a request %s is refused', async (_name, request, status) => {
  const answer = await ask(request);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) as string } });
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  if (status === 401) expect(answer.headers['www-authenticate']).toContain('Bearer');
  if (status === 404) expect(answer.body).not.toContain('raw');
});

test.each(['GET', 'DELETE', 'OPTIONS', 'PUT'])('%s needs the token as well', async (method) => {
  expect((await ask({ method, headers: { authorization: undefined } })).status).toBe(401);
});

test('a page of our own origin and every name of this machine are let in', async () => {
  for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
    const host = `${name}:${app.port}`;
    expect((await ask({ headers: { host, origin: `http://${host}` } })).status).toBe(200);
  }
});

test('a path that is not ours is left to others', async () => {
  expect((await ask({ path: '/dashboard', method: 'GET' })).status).toBe(404);
  expect((await ask({ path: '/mcp/raw/deeper', method: 'GET' })).body).toBe('');
});

test('a session belongs to the client that opened it and ends with DELETE', async () => {
  const id = await newSession();
  const headers = { 'mcp-session-id': id };
  expect(messageIn(await ask({ headers }))).toMatchObject({ id: 1 });
  expect((await ask({ headers: { ...headers, authorization: 'Bearer another' } })).status).toBe(404);
  expect(app.bridge.sessions().map((session) => session.id)).toContain(id);
  expect((await ask({ method: 'DELETE', headers })).status).toBe(204);
  expect((await ask({ headers })).status).toBe(404);
  await eventually(() => app.bridge.sessions().map((session) => session.id)).not.toContain(id);
});

test('notifications are accepted without an answer', async () => {
  const headers = { 'mcp-session-id': await newSession() };
  expect(await ask({ headers, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' })).toMatchObject({ status: 202, body: '' });
});

test('an immediate answer is JSON outside of a session, and a stream that can be resumed in one', async () => {
  const headers = { 'mcp-session-id': await newSession() };
  const plain = await ask();
  expect(plain.headers['content-type']).toBe('application/json');
  expect((await ask({ headers })).headers['content-type']).toBe('text/event-stream');
  const streamed = await ask({ headers, body: '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":1}}}' });
  expect(streamed.headers['content-type']).toBe('text/event-stream');
  expect(streamed.body.match(/^data: /gm)).toHaveLength(4);
});

test('a client that takes no stream gets its answer as JSON', async () => {
  const headers = { 'mcp-session-id': await newSession(), accept: 'application/json' };
  const answer = await ask({ headers, body: '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":1}}}' });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(JSON.parse(answer.body)).toMatchObject({ id: 2 });
});

test('what the server says unasked waits for the client\'s stream and comes there', async () => {
  const headers = { 'mcp-session-id': await newSession() };
  const notice = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}';
  await ask({ headers, body: notice });
  const events: string[] = [];
  const request = httpRequest({ host: '127.0.0.1', port: app.port, path: '/mcp/raw', headers: { ...headers, host: `127.0.0.1:${app.port}`, authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' } }, (response) => {
    response.setEncoding('utf8').on('data', (chunk: string) => events.push(chunk)).on('error', () => undefined);
  });
  request.on('error', () => undefined).end();
  await eventually(() => events.join('')).toContain('"cancelled":99');
  await ask({ headers, body: notice.replace('99', '100') });
  await eventually(() => events.join('')).toContain('"cancelled":100');
  request.destroy();
});

const ENVIRONMENT = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"environment"}}';
const pidOf = async (): Promise<number> => (JSON.parse((await ask({ body: ENVIRONMENT })).body) as { result: { pid: number } }).result.pid;

test('requests without a session use one server after each other, and no other client\'s', async () => {
  const first = await pidOf();
  expect(await pidOf()).toBe(first);
  expect((await ask({ headers: { authorization: 'Bearer another' }, body: ENVIRONMENT })).body).not.toContain(`"pid":${first}`);
});

test('requests without a session never share a server at the same time, and hanging up ends it', async () => {
  const before = app.bridge.sessions().length;
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const calls = [1, 2].map(() => fetch(app.url('raw'), { method: 'POST', signal: stop.signal, headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}' }).catch(() => undefined));
  await eventually(() => app.bridge.sessions().map(({ openRequests }) => openRequests).filter(Boolean)).toEqual([1, 1]);
  stop.abort();
  await Promise.all(calls);
  await eventually(() => app.bridge.sessions().filter(({ openRequests }) => openRequests > 0).length).toBe(0);
  await eventually(() => app.bridge.sessions().length).toBeLessThanOrEqual(before);
});

test('an idle session is ended, one in use is not', async () => {
  const idle = await startApp({ upstreams: [rawStdio()], limits: { sessionIdleMs: 100 } });
  try {
    const call = (body: string): Promise<Response> => fetch(idle.url('raw'), { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body });
    await (await call(INITIALIZE)).text();
    const waiting = await call(INITIALIZE.replace('"initialize"', '"initialize","x":1'));
    const id = waiting.headers.get('mcp-session-id') ?? '';
    await waiting.text();
    const open = await fetch(idle.url('raw'), { headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', 'mcp-session-id': id } });
    await eventually(() => idle.bridge.sessions().map((session) => session.id)).toEqual([id]);
    await open.body?.cancel();
  } finally {
    await idle.close();
  }
});

/** An app with room for four sessions, two for each client, and how one `initialize` there ends: its status, and the id of its session. */
async function crowded() {
  const full = await startApp({ upstreams: [rawStdio(), { name: 'broken', transport: { kind: 'stdio', command: '/nonexistent/server', args: [], env: {} } }], limits: { maxSessions: 4, maxSessionsPerClient: 2 } });
  onTestFinished(() => full.close());
  const post = async (body: string, { server = 'raw', token = TOKEN, id = '' } = {}) => {
    const response = await fetch(full.url(server), { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(id && { 'mcp-session-id': id }) }, body });
    return { status: response.status, id: response.headers.get('mcp-session-id') ?? '', body: await response.text() };
  };
  return { full, post };
}

test('a session whose initialize failed is kept', async () => {
  const { full, post } = await crowded();
  for (let time = 0; time < 6; time++) {
    const { status, body, id } = await post(INITIALIZE, { server: 'broken' });
    expect([status, body]).toEqual([expect.any(Number), expect.stringContaining('"error"')]);
    await eventually(() => full.bridge.sessions()).toEqual([]);
    expect((await post(PING, { server: 'broken', id })).status).toBe(404);
  }
});

test('a client that opens one session after the other locks itself or others out, or ends a session that is in use', async () => {
  const { full, post } = await crowded();
  const theirs = await post(INITIALIZE, { token: 'another' });
  const [first, second, third] = [await post(INITIALIZE), await post(INITIALIZE), await post(INITIALIZE)];
  expect([first, second, third].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await post(PING, { id: first.id })).status).toBe(404);
  for (const { id } of [second, third]) expect((await post(PING, { id })).status).toBe(200);
  const stop = new AbortController();
  const streams = await Promise.all([second, third].map(({ id }) => fetch(full.url('raw'), { signal: stop.signal, headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', 'mcp-session-id': id } })));
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  expect(await post(INITIALIZE)).toMatchObject({ status: 503, body: expect.stringContaining('There are 2 sessions open already') as string });
  expect((await post(PING, { id: theirs.id, token: 'another' })).status).toBe(200);
  stop.abort();
});

test('nothing that passed through is found in the log', async () => {
  await ask({ body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"password":"hunter2"}}}' });
  await ask({ headers: { authorization: 'Bearer sk-live-secret' } });
  expect(JSON.stringify(app.logged)).not.toMatch(/hunter2|sk-live-secret/);
});
