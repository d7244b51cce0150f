import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

// MCP 2026-07-28: no sessions, every request says of itself what a session said before.
const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };

let app: TestApp;
let http: RawHttpServer;
const clients: LineClient[] = [];
beforeEach(async () => {
  http = await startRawHttp();
  app = await startApp({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }] });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await app.close();
  await http.close();
});

const message = (id: unknown, method: string, params: object = {}, meta: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META, ...meta } } });
const call = (id: unknown, name: string, args: object = {}, meta: object = {}): string => message(id, 'tools/call', { name, arguments: args }, meta);

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

interface Sent {
  readonly status: number;
  /** Messages so far. */
  readonly messages: () => Message[];
  hangUp(): void;
}

async function send(body: string, { headers = {}, upstream = 'raw' }: { headers?: Record<string, string | undefined>; upstream?: string } = {}): Promise<Sent> {
  const { method, params } = JSON.parse(body) as { method: string; params: { name?: string } };
  const all = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': params.name, ...headers };
  const stop = new AbortController();
  const response = await fetch(app.url(upstream), { method: 'POST', signal: stop.signal, headers: Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)), body });
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  };
  read().catch(() => undefined);
  const lines = (): string[] => (text.startsWith('{') ? (text.endsWith('}') ? [text] : []) : [...text.matchAll(/^data: (.+)\n/gm)].map((match) => match[1] ?? ''));
  return { status: response.status, messages: () => lines().map((line) => JSON.parse(line) as Message), hangUp: () => stop.abort() };
}

test('requests of one client share one stdio server, and equal ids and progress tokens do not meet in it', async () => {
  const sent = await Promise.all([1, 2, 3].map(() => send(call(0, 'progress', {}, { progressToken: 0 }))));
  for (const { messages } of sent) await eventually(() => messages().map(({ id, params }) => id ?? params?.['progressToken'])).toEqual([0, 0, 0, 0]);
  const pids = await Promise.all(['a', 'a'].map((id) => send(call(id, 'environment'))));
  await eventually(() => new Set(pids.map(({ messages }) => messages()[0]?.result?.['pid'])).size).toBe(1);
  expect(pids.map(({ messages }) => messages()[0]?.id)).toEqual(['a', 'a']);
  expect(app.bridge.sessions()).toHaveLength(1);
});

test('a subscription hears of what another request changes, under its own id, and of nothing else', async () => {
  const listen = await send(message(5, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  await eventually(() => listen.messages().length).toBe(1);
  const changing = await send(call(5, 'change'));
  await eventually(() => changing.messages()).toEqual([{ jsonrpc: '2.0', id: 5, result: { changed: true } }]);
  const progress = await send(call(6, 'progress', {}, { progressToken: 'x' }));
  await eventually(() => progress.messages().length).toBe(4);
  await eventually(() => listen.messages().map(({ method }) => method)).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
  for (const { params } of listen.messages()) expect(params).toEqual({ _meta: { 'io.modelcontextprotocol/subscriptionId': 5 } });
  listen.hangUp();
});

test('a client that hangs up cancels its request at a stdio server, and no other request', async () => {
  const waiting = send(call(1, 'wait'));
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(1);
  const other = send(call(1, 'wait'));
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(2);
  (await waiting).hangUp();
  await eventually(() => app.bridge.sessions()[0]?.openRequests).toBe(1);
  const heard = await send(message(2, 'odd/heard'));
  await eventually(() => heard.messages().length).toBe(1);
  const lines = Object.values(heard.messages()[0]?.result ?? {}).map(String).map((line) => JSON.parse(line) as { id?: string; method: string; params: { requestId?: string } });
  expect(lines.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params.requestId)).toEqual([lines[0]?.id]);
  (await other).hangUp();
});

test.each<[string, Record<string, string | undefined>, number]>([
  ['without a method', { 'mcp-method': undefined }, -32020],
  ['with another method', { 'mcp-method': 'tools/list' }, -32020],
  ['with a method in capitals', { 'mcp-method': 'TOOLS/CALL' }, -32020],
  ['without a name', { 'mcp-name': undefined }, -32020],
  ['with another name', { 'mcp-name': 'paid' }, -32020],
  ['with a name whose encoding is broken', { 'mcp-name': '=?base64?ZWNo!?=' }, -32020],
  ['with another version', { 'mcp-protocol-version': '2027-01-01' }, -32020],
  ['without a version', { 'mcp-protocol-version': undefined }, -32020],
])('a request %s in its headers does not reach a stdio server', async (_name, headers, code) => {
  const sent = await send(call(9, 'echo'), { headers });
  expect(sent.status).toBe(400);
  await eventually(() => sent.messages()).toMatchObject([{ id: 9, error: { code } }]);
  const heard = await send(message(2, 'odd/heard'));
  await eventually(() => JSON.stringify(heard.messages()[0]?.result)).not.toContain('echo');
});

test('a header that holds an encoded name is the name, and spaces around a value are none of it', async () => {
  expect((await send(call(9, 'echo'), { headers: { 'mcp-name': '=?base64?ZWNobw==?=' } })).status).toBe(200);
  expect((await send(call(9, 'echo'), { headers: { 'mcp-name': '  echo  ' } })).status).toBe(200);
});

test('headers in front of an HTTP server are its own business: they reach it as the client sent them, or not at all', async () => {
  await send(call(9, 'echo'), { upstream: 'http', headers: { 'mcp-name': 'other', 'mcp-param-region': 'eu' } });
  expect(http.seen.at(-1)?.headers).toMatchObject({ 'mcp-name': 'other', 'mcp-param-region': 'eu' });
  await send(call(10, 'echo'), { upstream: 'http', headers: { 'mcp-name': undefined, 'mcp-method': undefined } });
  expect(http.seen.at(-1)?.headers['mcp-name']).toBeUndefined();
  expect(http.seen.at(-1)?.headers['mcp-method']).toBeUndefined();
});

const shim = (): LineClient => {
  const client = shimClient(app.home, 'http');
  clients.push(client);
  return client;
};

test('arguments that a server wants in headers are put there for a stdio client', async () => {
  const client = shim();
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' }, deep: { type: 'object', properties: { on: { type: 'boolean', 'x-mcp-header': 'On' } } }, n: { type: 'integer', 'x-mcp-header': 'N' }, plain: { type: 'string' } };
  http.intercept = (_request, body, response) => {
    if (!body.includes('tools/list')) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'echo', inputSchema: { type: 'object', properties } }] } }));
    return true;
  };
  client.send(message(1, 'tools/list'));
  await client.next();
  client.send(call(2, 'echo', { region: 'zürich', deep: { on: true }, n: null, plain: 'x' }));
  await client.next();
  const { headers } = http.seen.at(-1) ?? {};
  expect(headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo', 'mcp-param-region': '=?base64?esO8cmljaA==?=', 'mcp-param-on': 'true' });
  expect(Object.keys(headers ?? {}).filter((name) => name.startsWith('mcp-param-'))).toEqual(['mcp-param-region', 'mcp-param-on']);
});

/** A server that wants the region in a header, and lists its tools on two pages. */
function wantsRegion(refuses: (headers: IncomingHttpHeaders) => boolean): void {
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } };
  http.intercept = (request, body, response) => {
    const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: { cursor?: string } };
    const answer = (status: number, rest: object): true => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
      return true;
    };
    if (method === 'tools/list') return answer(200, { result: params.cursor === undefined ? { tools: [{ name: 'other', inputSchema: {} }], nextCursor: 'p2' } : { tools: [{ name: 'echo', inputSchema: { type: 'object', properties } }] } });
    return refuses(request.headers) && answer(400, { error: { code: -32020, message: 'Header mismatch' } });
  };
}

test('a stdio client that never asked for the tools can call one that wants an argument in a header: the list is read for it, and the call sent once more', async () => {
  wantsRegion((headers) => headers['mcp-param-region'] !== 'eu');
  const client = shim();
  client.send(call(2, 'echo', { region: 'eu' }, { progressToken: 'p', 'x402/payment': { secret: 1 } }));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, result: { content: [] } });
  const sent = http.seen.map(({ headers, body }) => [headers['mcp-method'], headers['mcp-param-region'], body] as const);
  expect(sent.map(([method, region]) => [method, region])).toEqual([['tools/call', undefined], ['tools/list', undefined], ['tools/list', undefined], ['tools/call', 'eu']]);
  expect(sent[0]?.[2]).toBe(sent[3]?.[2]);
  // What the list is asked with says who asks, and nothing else: no token of a progress, no proof.
  expect((JSON.parse(sent[1]?.[2] ?? '') as { params: { _meta: object } }).params._meta).toEqual(META);
  expect(client.lines).toEqual([]);
  // What was read is known from now on.
  client.send(call(3, 'echo', { region: 'eu' }));
  await client.next();
  expect(http.seen).toHaveLength(5);
});

test('a server that wants headers which nobody can know gets the call twice and no more, and its client the error', async () => {
  wantsRegion(() => true);
  const client = shim();
  client.send(call(2, 'echo', { region: 'eu' }));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { code: -32020 } });
  expect(http.seen.filter(({ headers }) => headers['mcp-method'] === 'tools/call')).toHaveLength(2);
});

test('an HTTP client that lacks a header is told so, and repairs it itself', async () => {
  wantsRegion((headers) => headers['mcp-param-region'] !== 'eu');
  const refused = await send(call(2, 'echo', { region: 'eu' }), { upstream: 'http' });
  expect(refused.status).toBe(400);
  await eventually(() => refused.messages()).toMatchObject([{ error: { code: -32020 } }]);
  expect(http.seen).toHaveLength(1);
});

test('a stdio client\'s cancellation ends the stream at an HTTP server and is not posted', async () => {
  const client = shim();
  let closed = false;
  http.intercept = (_request, body, response) => {
    if (!body.includes('"wait"')) return false;
    response.on('close', () => (closed = true));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    return true;
  };
  client.send(call('w', 'wait'));
  await eventually(() => http.seen.length).toBe(1);
  client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}');
  await eventually(() => closed).toBe(true);
  client.send(call('after', 'echo'));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 'after' });
  expect(http.seen.filter(({ body }) => body.includes('cancelled'))).toEqual([]);
});

test('a second round of input carries the exact state and answers, integers beyond 2^53 and all', async () => {
  const round = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","requestState":"\\u0041/=","inputResponses":{"q":{"n":12345678901234567890}},"_meta":${JSON.stringify(META)}}}`;
  const client = shim();
  client.send(round('3'));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 3, result: { received: round('3') } });
  const sent = await send(round('3'));
  await eventually(() => String(sent.messages()[0]?.result?.['received']).replace(/"id":"bursar-[-\da-f]+"/, '"id":3')).toBe(round('3'));
});
