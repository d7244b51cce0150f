import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, test } from 'vitest';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { rawStdio, SHIM, shimClient, startApp, TOKEN, type LineClient, type TestApp, type TestAppOptions } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startSdkHttp } from './fixtures/sdk-server.ts';

/** All servers at once for clients of 2026-07-28: no `initialize`, every request says of itself what a session said before. */

const file = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const program = (name: string, script: string, ...args: string[]): UpstreamSpec => ({ name, transport: { kind: 'stdio', command: process.execPath, args: [file(script), ...args] } });
const sdk = (name: string): UpstreamSpec => program(name, 'sdk-server.ts');
const listing = (name: string, setting: object): UpstreamSpec => program(name, 'listing-stdio.ts', JSON.stringify(setting));

let app: TestApp;
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await app.close();
});
const start = async (upstreams: readonly UpstreamSpec[], options: Omit<TestAppOptions, 'upstreams'> = {}): Promise<void> => {
  app = await startApp({ upstreams, ...options });
};

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } };
interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly tools?: readonly { readonly name: string }[]; readonly content?: readonly { readonly text: string }[]; readonly task?: { readonly taskId: string }; readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
const parse = (line: string): Answer => JSON.parse(line) as Answer;
const message = (id: unknown, method: string, params: object = {}, meta: object = META): string => JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });

function rawClient(): LineClient {
  const client = shimClient(app.home, '');
  open.push(client);
  return client;
}
const ask = async (client: LineClient, id: unknown, method: string, params: object = {}): Promise<Answer> => {
  client.send(message(id, method, params));
  return parse(await client.next((line) => parse(line).id === id));
};
/** One POST; gives what has come of its answer so far. */
async function post(body: string, headers: Record<string, string> = {}): Promise<{ readonly status: number; readonly messages: () => Answer[]; hangUp(): void }> {
  const { method, params } = JSON.parse(body) as { method: string; params: { name?: string; uri?: string; taskId?: string } };
  const name = params.name ?? params.uri ?? params.taskId;
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${app.port}/mcp`, {
    method: 'POST',
    signal: stop.signal,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }), ...headers },
    body,
  });
  let text = '';
  void (async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  return { status: response.status, messages: () => (text.startsWith('{') ? (text.endsWith('}') ? [parse(text)] : []) : [...text.matchAll(/^data: (.+)\n/gm)].map(([, line = '']) => parse(line))), hangUp: () => stop.abort() };
}
const answerTo = async (body: string): Promise<Answer> => {
  const { messages } = await post(body);
  await eventually(() => messages().find(({ id }) => id !== undefined)).toBeDefined();
  return messages().find(({ id }) => id !== undefined) ?? {};
};

describe.each(['shim', 'http'] as const)('an SDK client of 2026-07-28 over %s', (via) => {
  test('cannot do with all servers at once what it can with each', async () => {
    const http = await startSdkHttp();
    open.push(http);
    await start([sdk('stdio'), { name: 'http', transport: { kind: 'http', url: http.url } }]);
    const client = new ClientV2({ name: 'test', version: '1' }, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept' as const, content: { name: 'Ada' } };
    });
    open.unshift(client);
    await client.connect(via === 'shim' ? new StdioV2({ command: process.execPath, args: [SHIM, '--home', app.home, '--client', 'tester'] }) : new HttpV2(new URL(`http://127.0.0.1:${app.port}/mcp`), { requestInit: { headers: { authorization: `Bearer ${TOKEN}` } } }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['stdio__add', 'http__add', 'http__elicit-modern']));
    for (const upstream of ['stdio', 'http']) {
      expect(await client.callTool({ name: `${upstream}__add`, arguments: { a: 1, b: 2 } })).toMatchObject({ structuredContent: { sum: 3 } });
      expect(await client.callTool({ name: `${upstream}__elicit-modern`, arguments: {} })).toMatchObject({ content: [{ text: expect.stringContaining('"name":"Ada"') }] });
      expect(await client.getPrompt({ name: `${upstream}__greet`, arguments: { who: 'you' } })).toMatchObject({ messages: [{ content: { text: 'Hello you' } }] });
    }
    expect(asked).toEqual(['The server "stdio" asks: name?', 'The server "http" asks: name?']);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://one', 'bursar://http/note://one']);
    for (const { uri } of resources) expect(await client.readResource({ uri })).toMatchObject({ contents: [{ text: 'the note' }] });
    await expect(client.readResource({ uri: 'note://none' })).rejects.toThrow('No server has this resource');
    await expect(client.callTool({ name: 'nobody__add' })).rejects.toThrow('There is no tool "nobody__add"');
  });
});

test('servers of the older protocol are out of reach of a client of 2026-07-28, or their answers lack what its results have', async () => {
  await start([listing('old', { tools: ['a'], resources: ['x://1'] }), sdk('new')]);
  const client = rawClient();
  const listed = await ask(client, 1, 'tools/list');
  expect(listed.result?.tools?.map(({ name }) => name)).toEqual(expect.arrayContaining(['old__a', 'new__add']));
  expect(listed.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  const called = await ask(client, 2, 'tools/call', { name: 'old__a', arguments: { n: 1 } });
  expect(called.result).toMatchObject({ resultType: 'complete' });
  // What says that a request is of 2026-07-28 would be an error in a session of the older protocol.
  expect(called.result?.content?.[0]?.text).not.toContain('protocolVersion');
  expect(called.result?.content?.[0]?.text).toContain('"arguments":{"n":1}');
});

test('Bursar answers for itself as a server of 2026-07-28 does', async () => {
  await start([rawStdio()]);
  expect((await answerTo(message(1, 'server/discover'))).result).toMatchObject({ supportedVersions: ['2026-07-28'], resultType: 'complete', ttlMs: 0, cacheScope: 'private', capabilities: { tools: { listChanged: true }, extensions: { 'io.modelcontextprotocol/tasks': {} } }, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bursar' } } });
  for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'nonsense']) {
    const { status, messages } = await post(message(2, method));
    expect(status).toBe(404);
    await eventually(() => messages()).toMatchObject([{ id: 2, error: { code: -32601 } }]);
  }
  const other = await post(message(3, 'tools/list', {}, { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }), { 'mcp-protocol-version': '2099-01-01' });
  expect(other.status).toBe(400);
  await eventually(() => other.messages()).toMatchObject([{ id: 3, error: { code: -32022, data: { requested: '2099-01-01', supported: expect.arrayContaining(['2026-07-28']) } } }]);
  const mismatch = await post(message(4, 'tools/call', { name: 'raw__echo' }), { 'mcp-name': 'raw__other' });
  expect(mismatch.status).toBe(400);
  await eventually(() => mismatch.messages()).toMatchObject([{ id: 4, error: { code: -32020 } }]);
});

test('a request state and its answers reach another server than the one that gave it, or not byte for byte', async () => {
  await start([rawStdio('one'), rawStdio('two')]);
  const round = (id: string, upstream: string): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${upstream}","requestState":"\\u0041/=","inputResponses":{"q":{"n":12345678901234567890}},"_meta":${JSON.stringify(META)}}}`;
  const client = rawClient();
  for (const upstream of ['one', 'two']) {
    client.send(round('3', `${upstream}__echo`));
    expect(parse(await client.next()).result?.['received']).toContain('"requestState":"\\u0041/=","inputResponses":{"q":{"n":12345678901234567890}}');
  }
  const one = await answerTo(round('3', 'one__echo'));
  expect(one.id).toBe(3);
});

test('a client that subscribes hears of no changes at servers of either protocol, or of those that it did not ask for', async () => {
  await start([listing('old', { tools: ['grow'] }), program('new', '../../../conformance/fixture/server.ts')]);
  await answerTo(message(0, 'tools/list'));
  const listening = await post(message('sub', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
  await eventually(() => listening.messages()).toEqual([{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: { toolsListChanged: true }, _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } } }]);
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } } };
  await answerTo(message(1, 'tools/call', { name: 'old__grow', arguments: {} }));
  await eventually(() => listening.messages().slice(1)).toEqual([changed]);
  await answerTo(message(2, 'tools/call', { name: 'new__test_trigger_prompt_change', arguments: {} }));
  await answerTo(message(3, 'tools/call', { name: 'new__test_trigger_tool_change', arguments: {} }));
  await eventually(() => listening.messages().slice(1)).toEqual([changed, changed]);
  listening.hangUp();
  await eventually(() => app.bridge.sessions().find(({ upstream }) => upstream === '')?.openRequests).toBe(0);
});

test('a resource that a client subscribed to changes, and the client is not told, or not by the address that it knows', async () => {
  await start([listing('old', { resources: ['x://1'] }), rawStdio('raw')]);
  const client = rawClient();
  await ask(client, 1, 'resources/list');
  client.send(message('sub', 'subscriptions/listen', { notifications: { resourceSubscriptions: ['x://1'] } }));
  expect(parse(await client.next())).toMatchObject({ method: 'notifications/subscriptions/acknowledged' });
  await ask(client, 2, 'tools/call', { name: 'old__update', arguments: { uri: 'x://1' } });
  expect(parse(await client.next((line) => line.includes('resources/updated')))).toMatchObject({ params: { uri: 'x://1', _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } } });
});

test('a task is asked for at another server than the one that began it, or by a name that two servers could have given', async () => {
  const PROOF = '{"proof":1}';
  const hook = {
    looksPaid: (_scan: unknown, text: string) => text.includes('x402Version'),
    onAnswer: async (_call: unknown, _answer: string, io: { retry(edit: object): Promise<{ text: string }> }) => ({ text: (await io.retry({ meta: { 'x402/payment': PROOF } })).text, delivered: () => undefined, paid: true }),
  };
  await start([program('one', 'tasks-modern.ts'), program('two', 'tasks-modern.ts')], { hook });
  const client = rawClient();
  const ids: string[] = [];
  for (const upstream of ['one', 'two']) {
    const begun = await ask(client, 1, 'tools/call', { name: `${upstream}__paid`, arguments: {} });
    ids.push(String(begun.result?.['taskId']));
  }
  expect(ids).toEqual(['one/task-1', 'two/task-1']);
  for (const taskId of ids) {
    expect((await ask(client, 2, 'tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' });
    expect((await ask(client, 3, 'tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'goods' }] } });
  }
  expect((await ask(client, 4, 'tasks/get', { taskId: 'three/task-1' })).error).toMatchObject({ code: -32602 });
});

test('a task of the older protocol is followed to its goods through all servers at once, under one name', async () => {
  const hook = {
    looksPaid: (_scan: unknown, text: string) => text.includes('x402Version'),
    onAnswer: async (_call: unknown, _answer: string, io: { retry(edit: object): Promise<{ text: string }> }) => ({ text: (await io.retry({ meta: { 'x402/payment': '{}' } })).text, delivered: () => undefined, paid: true }),
  };
  await start([program('tasks', 'tasks-v1.ts')], { hook });
  const client = rawClient();
  const older = async (id: number, method: string, params: object): Promise<Answer> => {
    client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return parse(await client.next((line) => parse(line).id === id));
  };
  const hello = await older(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
  expect(hello.result).toMatchObject({ capabilities: { tasks: { requests: { tools: { call: {} } } } } });
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const begun = await older(1, 'tools/call', { name: 'tasks__paid', arguments: {}, task: { ttl: 60_000 } });
  const { taskId = '' } = begun.result?.task ?? {};
  expect(taskId).toMatch(/^tasks\//);
  expect((await older(2, 'tasks/result', { taskId })).result).toMatchObject({ content: [{ text: 'goods' }], _meta: { 'io.modelcontextprotocol/related-task': { taskId } } });
  expect((await older(3, 'tasks/list', {})).result?.['tasks']).toContainEqual(expect.objectContaining({ taskId }));
});

test('a client that asks for 2026-07-28 first and then begins with initialize finds servers that were greeted for the other protocol', async () => {
  await start([sdk('one')]);
  const client = rawClient();
  await ask(client, 1, 'tools/list');
  client.send('{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}');
  await client.next((line) => parse(line).id === 2);
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  client.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"one__add","arguments":{"a":1,"b":2}}}');
  expect(parse(await client.next((line) => parse(line).id === 3)).result).toMatchObject({ structuredContent: { sum: 3 } });
});
