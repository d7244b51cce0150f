import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

let http: RawHttpServer;
let app: TestApp;
let client: LineClient;
beforeEach(async () => {
  http = await startRawHttp();
  app = await startApp({ upstreams: [{ name: 'http', transport: { kind: 'http', url: http.url, headers: { 'X-Upstream-Key': 'k', Authorization: 'Bearer of-the-upstream' } } }] });
  client = shimClient(app.home, 'http');
});
afterEach(async () => {
  await client.close();
  await app.close();
  await http.close();
});
const initialize = async (): Promise<void> => {
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 'i' });
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
};
const seen = (part: string) => http.seen.find(({ body }) => body.includes(part));

test('configured headers go to the server, the client\'s own credentials never', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', cookie: 'c=1', 'x-forwarded-for': 'me' };
  await (await fetch(app.url('http'), { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}' })).text();
  const sent = seen('echo')?.headers;
  expect(sent).toMatchObject({ 'x-upstream-key': 'k', authorization: 'Bearer of-the-upstream', 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  expect(JSON.stringify(http.seen)).not.toContain(TOKEN);
  expect(Object.keys(sent ?? {})).not.toEqual(expect.arrayContaining(['cookie']));
  expect(Object.keys(sent ?? {})).not.toEqual(expect.arrayContaining(['x-forwarded-for']));
});

test('session and protocol version are those that server and client agreed on, from the first message after', async () => {
  await initialize();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  await client.next();
  expect(seen('"initialize"')?.headers['mcp-session-id']).toBeUndefined();
  for (const part of ['notifications/initialized', '"echo"']) expect(seen(part)?.headers).toMatchObject({ 'mcp-session-id': 'raw-session', 'mcp-protocol-version': '2025-06-18' });
});

test('nothing overtakes the notification that the client is initialized', async () => {
  const { promise: held, resolve } = Promise.withResolvers<() => void>();
  http.intercept = (_request, body, response) => {
    if (!body.includes('notifications/initialized')) return false;
    resolve(() => response.writeHead(202).end());
    return true;
  };
  await initialize();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  const release = await held;
  expect(seen('"echo"')).toBeUndefined();
  release();
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1 });
});

test('what the server says on its own stream reaches the client, also after the stream broke', async () => {
  await initialize();
  const streams = (): number => http.seen.filter(({ method }) => method === 'GET').length;
  await eventually(streams).toBe(1);
  http.push('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  expect(await client.next()).toContain('list_changed');
  http.dropStreams();
  await eventually(streams).toBe(2);
  http.push('{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}');
  expect(await client.next()).toContain('resources/list_changed');
});

test.each([409, 429])('a server that refuses its own stream for a moment after it broke (HTTP %i) is never heard again', async (status) => {
  await initialize();
  await eventually(() => http.seen.filter(({ method }) => method === 'GET').length).toBe(1);
  let refused = 0;
  http.intercept = (request, _body, response) => {
    if (request.method !== 'GET' || ++refused > 1) return false;
    response.writeHead(status).end();
    return true;
  };
  http.dropStreams();
  await eventually(() => http.seen.filter(({ method }) => method === 'GET').length).toBe(3);
  http.push('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  expect(await client.next()).toBe('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
});

test('the server\'s session is ended when the client leaves', async () => {
  await initialize();
  await client.close();
  await eventually(() => http.seen.find(({ method }) => method === 'DELETE')?.headers['mcp-session-id']).toBe('raw-session');
});

test('an HTTP error with a JSON-RPC body keeps its status for an HTTP client', async () => {
  http.intercept = (_request, _body, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return true;
  };
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(app.url('http'), { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  expect(response.status).toBe(404);
  expect(await response.text()).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
});

test.each<[string, Record<string, string>, (text: string) => string | Buffer]>([
  ['a media type in capitals', { 'content-type': 'Text/Event-Stream; charset=UTF-8' }, (text) => `data: ${text}\n\n`],
  ['a byte order mark', { 'content-type': 'application/json' }, (text) => `\ufeff${text}`],
  ['gzip', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync],
  ['deflate', { 'content-type': 'application/json', 'content-encoding': 'Deflate' }, deflateSync],
  ['brotli', { 'content-type': 'application/json', 'content-encoding': 'br' }, brotliCompressSync],
  ['gzip over a stream', { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, (text) => gzipSync(`data: ${text}\n\n`)],
])('an answer with %s is read, and none is asked to be encoded', async (_name, headers, encode) => {
  http.intercept = (_request, body, response) => {
    if (!body.includes('"odd"')) return false;
    response.writeHead(200, headers).end(encode('{"jsonrpc":"2.0","id":1,"result":{"read":"é"}}'));
    return true;
  };
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"odd"}}');
  expect(JSON.parse(await client.next())).toEqual({ jsonrpc: '2.0', id: 1, result: { read: 'é' } });
  expect(http.seen.map(({ headers: { 'accept-encoding': accepted } }) => accepted)).toEqual(http.seen.map(() => 'identity'));
});

test('what an answer decodes to is bounded, and one that cannot be decoded is an error', async () => {
  const bodies = [gzipSync(`{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(80 * 1024 * 1024)}"}`), Buffer.from('no gzip at all')];
  http.intercept = (_request, body, response) => {
    if (!body.includes('"odd"')) return false;
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bodies.shift());
    return true;
  };
  for (const [id, code] of [[1, 'MESSAGE_TOO_LARGE'], [2, 'UPSTREAM_UNREACHABLE']] as const) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"odd"}}`);
    expect(JSON.parse(await client.next())).toMatchObject({ id, error: { data: { code } } });
  }
});

test.each([
  ['an answer of its own', '"id":7,"error":{"code":-32000,"message":"No such thing"}', 1],
  ['no session, under the id of the call', '"id":7,"error":{"code":-32001,"message":"Session not found"}', 2],
  ['no session', '"id":null,"error":{"code":-32000,"message":"gone"}', 2],
])('a call is run twice where HTTP 404 carries its answer, or once where the session is forgotten: %s', async (_what, answer, times) => {
  await initialize();
  let refused = false;
  http.intercept = (_request, body, response) => {
    if (refused || !body.includes('"echo"')) return false;
    refused = true;
    response.writeHead(404, { 'content-type': 'application/json' }).end(`{"jsonrpc":"2.0",${answer}}`);
    return true;
  };
  client.send('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}');
  const got = await client.next((line) => line.includes('"id":7'));
  expect(got.includes('No such thing')).toBe(times === 1);
  expect(http.seen.filter(({ body }) => body.includes('"echo"'))).toHaveLength(times);
});
