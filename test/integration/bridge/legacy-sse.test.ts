import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { afterEach, expect, test } from 'vitest';
import { rawStdio, shimClient, startApp, TOKEN, type LineClient } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startSseServer, type SseServer } from './fixtures/sse-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const initialize = '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2024-11-05"}}';

async function behind(server: SseServer): Promise<LineClient> {
  const app = await startApp({ upstreams: [{ name: 'old', transport: { kind: 'http', url: server.url, headers: { 'X-Key': 'k' } } }] });
  const client = shimClient(app.home, 'old');
  cleanups.push(() => server.close(), () => app.close(), () => client.close());
  return client;
}

test('a server that knows only HTTP with SSE is found out by its refusal, and everything passes', async () => {
  const server = await startSseServer();
  const client = await behind(server);
  client.send(initialize);
  expect(JSON.parse(await client.next())).toMatchObject({ id: 'i', result: { protocolVersion: '2024-11-05' } });
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const odd = '{"jsonrpc":"2.0","id":9007199254740993,"method":"x","own":[1e400]}';
  client.send(odd);
  expect(await client.next()).toBe(`{"jsonrpc":"2.0","id":9007199254740993,"result":{"received":${JSON.stringify(odd)}}}`);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p"}}}');
  expect((await client.next()).includes('"progress":1')).toBe(true);
  expect(server.posts.every((headers) => headers['x-key'] === 'k')).toBe(true);
});

test('when such a server closes its stream, open calls get errors and the next call a new session', async () => {
  const server = await startSseServer();
  const client = await behind(server);
  client.send(initialize);
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}');
  await eventually(() => server.posts.length).toBe(3);
  server.dropStreams();
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_EXITED' } } });
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"is-initialized"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, result: { initialized: true } });
});

test.each([['another host', () => 'http://attacker.example/post'], ['another port', (origin: string) => `${origin}1/post`]])('a server that wants its messages posted to %s gets none', async (_name, endpoint) => {
  const server = await startSseServer(endpoint);
  const client = await behind(server);
  client.send(initialize);
  expect(JSON.parse(await client.next())).toMatchObject({ id: 'i', error: { data: { code: 'UPSTREAM_REFUSED', context: { status: '405' } } } });
  expect(server.posts).toEqual([]);
});

test('a client that knows only HTTP with SSE can do what others can', async () => {
  const app = await startApp({ upstreams: [rawStdio()] });
  const client = new Client({ name: 'old', version: '1' });
  cleanups.push(() => app.close(), () => client.close());
  const headers = { authorization: `Bearer ${TOKEN}` };
  const withToken = (url: string | URL, init?: RequestInit): Promise<Response> => fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  await client.connect(new SSEClientTransport(new URL(`${app.url('raw')}/sse`), { eventSourceInit: { fetch: withToken }, requestInit: { headers } }));
  expect(await client.callTool({ name: 'echo', arguments: { n: 1 } })).toMatchObject({ content: [], received: expect.stringContaining('"n":1') as string });
  await client.close();
  await eventually(() => app.bridge.sessions()).toEqual([]);
});

test('a session over SSE takes no message of another client or without a token', async () => {
  const app = await startApp({ upstreams: [rawStdio()] });
  cleanups.push(() => app.close());
  const stop = new AbortController();
  const stream = await fetch(`${app.url('raw')}/sse`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: stop.signal });
  const first = new TextDecoder().decode((await stream.body?.getReader().read())?.value);
  const endpoint = `http://127.0.0.1:${app.port}${/data: (.*)/.exec(first)?.[1]}`;
  const post = async (token: string, url = endpoint): Promise<number> =>
    (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' })).status;
  expect(await post(TOKEN)).toBe(202);
  expect(await post('another')).toBe(404);
  expect(await post('wrong')).toBe(401);
  expect(await post(TOKEN, endpoint.replace(/sessionId=.*/, 'sessionId=x'))).toBe(404);
  stop.abort();
});
