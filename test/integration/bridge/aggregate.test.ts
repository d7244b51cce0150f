import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { createToolFacts } from '../../../src/core/challenges/tool-facts.ts';
import { createInterceptor } from '../../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../../src/main/bridge/server-words.ts';
import type { PaymentHook, ToolCall } from '../../../src/main/bridge/payment-hook.ts';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { rawStdio, SHIM, shimClient, startApp, TOKEN, type LineClient, type TestApp, type TestAppOptions } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startSdkHttp } from './fixtures/sdk-server.ts';

const file = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const sdkStdio = (name: string): UpstreamSpec => ({ name, transport: { kind: 'stdio', command: process.execPath, args: [file('sdk-server.ts')] } });
const listing = (name: string, setting: object): UpstreamSpec => ({ name, transport: { kind: 'stdio', command: process.execPath, args: [file('listing-stdio.ts'), JSON.stringify(setting)] } });

let app: TestApp;
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await app.close();
});
const start = async (upstreams: readonly UpstreamSpec[], options: Omit<TestAppOptions, 'upstreams'> = {}): Promise<void> => {
  app = await startApp({ upstreams, ...options });
};

interface Answer {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly tools?: readonly { readonly name: string }[]; readonly content?: readonly { readonly text: string }[]; readonly [key: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
const parse = (line: string): Answer => JSON.parse(line) as Answer;

/** A raw client of all servers at once, after its handshake. */
async function rawClient(capabilities: object = {}): Promise<LineClient> {
  const client = shimClient(app.home, '');
  open.push(client);
  client.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":${JSON.stringify(capabilities)},"clientInfo":{"name":"raw","version":"1"}}}`);
  expect(parse(await client.next())).toMatchObject({ id: 'hello', result: { protocolVersion: '2025-06-18', serverInfo: { name: 'bursar' }, capabilities: { tools: { listChanged: true } } } });
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return client;
}
const ask = async (client: LineClient, id: string | number, method: string, params: object = {}): Promise<Answer> => {
  client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return parse(await client.next((line) => line.startsWith(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},`) && !line.includes('"method":"ping"')));
};
const toolNames = (answer: Answer): string[] => (answer.result?.tools ?? []).map(({ name }) => name);
const call = (client: LineClient, id: string | number, name: string, args: object = {}): Promise<Answer> => ask(client, id, 'tools/call', { name, arguments: args });

test('a server reports progress of a request that is at another server', async () => {
  await start([rawStdio('a'), rawStdio('b')]);
  const client = await rawClient();
  const seen = app.bridge.sessions;
  client.send('{"jsonrpc":"2.0","id":"wait","method":"tools/call","params":{"name":"a__wait","_meta":{"progressToken":"of a"}}}');
  await eventually(() => seen().map(({ openRequests }) => openRequests)).toEqual([1]);
  const progress = (token: string) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${token}","progress":0.5}}`;
  await ask(client, 1, 'tools/call', { name: 'b__x', _meta: { progressToken: 'of b', replies: [progress('of a'), progress('nobody'), progress('of b'), '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}'] } });
  expect(client.lines.filter((line) => line.includes('notifications/progress'))).toEqual([progress('of b')]);
});

describe.each(['shim', 'http'] as const)('an SDK client over %s', (via) => {
  const capabilities = { sampling: {}, elicitation: {} };
  const info = { name: 'test', version: '1' };
  const said = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'said' } };
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  const url = () => new URL(`http://127.0.0.1:${app.port}/mcp`);
  const shim = () => ({ command: process.execPath, args: [SHIM, '--home', app.home, '--client', 'tester'] });

  async function v1(): Promise<ClientV1> {
    const client = new ClientV1(info, { capabilities });
    client.setRequestHandler(CreateMessageRequestSchema, () => said);
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    await client.connect(via === 'shim' ? new StdioV1(shim()) : new HttpV1(url(), { requestInit }));
    return client;
  }
  async function v2(): Promise<ClientV2> {
    const client = new ClientV2(info, { capabilities, versionNegotiation: { mode: 'legacy' } });
    client.setRequestHandler('sampling/createMessage', () => said);
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    await client.connect(via === 'shim' ? new StdioV2(shim()) : new HttpV2(url(), { requestInit }));
    return client;
  }

  test.each(['v1', 'v2'] as const)('of %s cannot do with two servers at once what it can with each', async (version) => {
    const http = await startSdkHttp();
    open.push(http);
    await start([sdkStdio('stdio'), { name: 'http', transport: { kind: 'http', url: http.url } }]);
    const client = (version === 'v1' ? await v1() : await v2()) as ClientV1;
    open.unshift(client);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['stdio__add', 'http__add', 'stdio__sample', 'http__elicit']));
    for (const upstream of ['stdio', 'http']) {
      expect(await client.callTool({ name: `${upstream}__add`, arguments: { a: 1, b: 2 } })).toMatchObject({ structuredContent: { sum: 3 } });
      expect(await client.callTool({ name: `${upstream}__sample`, arguments: {} })).toMatchObject({ content: [{ text: '{"type":"text","text":"said"}' }] });
      expect(await client.callTool({ name: `${upstream}__elicit`, arguments: {} })).toMatchObject({ content: [{ text: '{"name":"Ada"}' }] });
      expect(await client.getPrompt({ name: `${upstream}__greet`, arguments: { who: 'you' } })).toMatchObject({ messages: [{ content: { text: 'Hello you' } }] });
      const seen: number[] = [];
      const options = { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) };
      const params = { name: `${upstream}__progress`, arguments: {} };
      await (version === 'v1' ? client.callTool(params, undefined, options) : (client as unknown as ClientV2).callTool(params, options));
      expect(seen).toEqual([1, 2, 3]);
      const stop = new AbortController();
      const slow = version === 'v1' ? client.callTool({ name: `${upstream}__slow` }, undefined, { signal: stop.signal }) : (client as unknown as ClientV2).callTool({ name: `${upstream}__slow` }, { signal: stop.signal });
      stop.abort();
      await expect(slow).rejects.toThrow();
    }
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['note://one', 'bursar://http/note://one']);
    for (const { uri } of resources) expect(await client.readResource({ uri })).toMatchObject({ contents: [{ text: 'the note' }] });
    await expect(client.readResource({ uri: 'note://none' })).rejects.toThrow('No server has this resource');
    await expect(client.callTool({ name: 'nobody__add' })).rejects.toThrow('There is no tool "nobody__add"');
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['stdio__greet', 'http__greet']);
    await client.setLoggingLevel('warning');
  });
});

describe('messages', () => {
  test('an argument, an id or an unknown key is changed on the way to the server', async () => {
    await start([listing('one', { tools: ['echo'] })]);
    const client = await rawClient();
    const sent = '{ "jsonrpc":"2.0", "odd" : 12345678901234567890, "method":"tools/call", "params":{"name":"one__echo","arguments":{ "n":1.0, "u":"\\u00e9" },"x":null}, "id":"7" }';
    client.send(sent);
    const { id, result } = parse(await client.next());
    expect(id).toBe('7');
    expect(result?.content?.[0]?.text).toBe(sent.replace('one__echo', 'echo'));
    for (const other of [0, '0', -3]) expect((await call(client, other, 'one__echo')).id).toBe(other);
  });

  test('two servers that ask the client under the same id get each other\'s answer', async () => {
    await start([rawStdio('one'), rawStdio('two')]);
    const [ada, bob] = [await rawClient({ sampling: {} }), await rawClient({ sampling: {} })];
    const asking = (name: string, words: string): string => JSON.stringify({ jsonrpc: '2.0', id: `${name}-call`, method: 'tools/call', params: { name: `${name}__ask`, arguments: { method: 'sampling/createMessage', params: { words, _meta: { progressToken: 5 } } } } });
    const answers: string[] = [];
    const questions = new Map<LineClient, Answer[]>();
    for (const [client, who] of [[ada, 'ada'], [bob, 'bob']] as const) {
      client.send(asking('one', `one to ${who}`));
      client.send(asking('two', `two to ${who}`));
      const isQuestion = (line: string): boolean => line.includes('sampling/createMessage');
      questions.set(client, [parse(await client.next(isQuestion)), parse(await client.next(isQuestion))]);
    }
    for (const [client, asked] of questions) {
      expect(new Set(asked.map(({ id }) => id)).size).toBe(2);
      for (const { id, params } of asked.toReversed()) {
        expect(params).toMatchObject({ _meta: { progressToken: id } });
        client.send(JSON.stringify({ jsonrpc: '2.0', id, result: { said: params?.['words'] } }));
      }
      for (const name of ['one', 'two']) {
        const answer = parse(await client.next((line) => line.includes(`"id":"${name}-call"`)));
        const heard = answer.result?.['clientSaid'] as string;
        answers.push((JSON.parse(heard) as { result: { said: string } }).result.said);
        // The server's own id, as it wrote it.
        expect((JSON.parse(heard) as { id: string }).id).toBe('srv-1');
      }
    }
    expect(answers).toEqual(['one to ada', 'two to ada', 'one to bob', 'two to bob']);
  });

  test('a server asks the person in Bursar\'s name', async () => {
    await start([rawStdio('one')]);
    const client = await rawClient({ elicitation: {} });
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__ask","arguments":{"method":"elicitation/create","params":{"message":"Your passphrase?","requestedSchema":{}}}}}');
    expect(parse(await client.next((line) => line.includes('elicitation/create'))).params).toEqual({ message: 'The server "one" asks: Your passphrase?', requestedSchema: {} });
  });

  test('a cancellation does not reach the server that works on the call, or reaches another', async () => {
    await start([rawStdio('one'), rawStdio('two')]);
    const client = await rawClient();
    await call(client, 1, 'two__echo');
    client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one__wait"}}');
    await call(client, 3, 'one__echo');
    client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
    expect(parse(await client.next((line) => line.includes('"cancelled"')))).toMatchObject({ method: 'notifications/message', params: { data: { cancelled: 2 } } });
    await call(client, 4, 'two__echo');
    expect(client.lines).toEqual([]);
  });

  test('a call that waits for its server to start cannot be cancelled, or is left without an answer when Bursar closes', async () => {
    await start([listing('slow', { tools: ['a'], slowMs: 1_000 }), listing('never', { tools: ['a'], slowMs: 3_600_000 })]);
    const client = await rawClient();
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow__a"}}');
    client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
    expect(await call(client, 2, 'slow__a')).toMatchObject({ id: 2, result: {} });
    expect(client.lines).toEqual([]);
    client.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"never__a"}}');
    await eventually(() => app.bridge.sessions().map(({ openRequests }) => openRequests)).toEqual([1]);
    await app.bridge.close();
    expect(parse(await client.next())).toMatchObject({ id: 3, error: { data: { code: 'UPSTREAM_EXITED' } } });
  });

  test('what names a prompt or a resource below the surface of a message is not understood by its server or its client', async () => {
    await start([listing('one', { tools: [], prompts: ['p'], resources: ['file:///a'] }), rawStdio('two')]);
    const client = await rawClient();
    await ask(client, 1, 'resources/list');
    const complete = async (id: number, ref: object) => JSON.parse((await ask(client, id, 'completion/complete', { ref, argument: { name: 'n', value: 'v' } })).result?.['received'] as string) as { params: { ref: object } };
    expect((await complete(2, { type: 'ref/prompt', name: 'one__p' })).params.ref).toEqual({ type: 'ref/prompt', name: 'p' });
    expect((await complete(3, { type: 'ref/resource', uri: 'bursar://one/file:///a' })).params.ref).toEqual({ type: 'ref/resource', uri: 'file:///a' });
    const updated = (uri: string): string => `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"${uri}","odd":1.0}}`;
    client.send(JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'two__raw', arguments: { line: updated('file:///a') } } }));
    expect(await client.next((line) => line.includes('updated'))).toBe(updated('bursar://two/file:///a'));
    client.send(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'two__raw', arguments: { line: updated('file:///b') } } }));
    expect(await client.next((line) => line.includes('updated'))).toBe(updated('file:///b'));
  });

  test('a batch over HTTP goes without some of its answers', async () => {
    await start([listing('one', { tools: ['echo'] }), listing('two', { tools: ['echo'] })]);
    const batch = ['one', 'two', 'nobody'].map((name, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `${name}__echo` } }));
    const response = await fetch(app.url(''), { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify([...batch, { jsonrpc: '2.0', method: 'notifications/initialized' }]) });
    const answers = (await response.json()) as Answer[];
    expect(answers.toSorted((a, b) => Number(a.id) - Number(b.id))).toMatchObject([{ id: 0, result: {} }, { id: 1, result: {} }, { id: 2, error: { code: -32602 } }]);
  });
});

describe('payments', () => {
  const facts = createToolFacts({ now: () => 7, changed: () => {} });
  const paidServer = (name: string): UpstreamSpec => listing(name, { tools: ['free'], priced: ['paid'] });

  test('I8: an agent is not told the cost, or can write a proof', async () => {
    const payments = { onAnswer: async () => ({ kind: 'pass' as const }), withdraw: () => Promise.resolve(false), reassess: () => {} };
    await start([paidServer('one')], { hook: createInterceptor({ payments, words: createServerWords(() => 0), facts, showsCosts: () => true }) });
    const client = await rawClient();
    const { result } = await ask(client, 1, 'tools/list');
    expect(result?.tools).toMatchObject([{ name: 'one__free', description: 'Does free.' }, { name: 'one__paid', description: 'Does paid. (Cost: 0.01 USDC)' }]);
    expect(JSON.stringify(result?.tools)).not.toContain('_payment');
    const answer = await call(client, 2, 'one__paid', { query: 'q', _payment: { signature: 's' } });
    expect(JSON.parse(answer.result?.content?.[0]?.text ?? '')).toMatchObject({ params: { name: 'paid', arguments: { query: 'q' } } });
    expect(answer.result?.content?.[0]?.text).not.toContain('signature');
  });

  test('I3: calls to two servers over one connection count as two sessions, or under another name than the server\'s', async () => {
    const seen: ToolCall[] = [];
    const hook: PaymentHook = { looksPaid: () => true, onAnswer: async (paid) => (seen.push(paid), undefined) };
    await start([rawStdio('one'), rawStdio('two')], { hook });
    const client = await rawClient();
    for (const [id, name] of ['one__paid', 'two__paid'].entries()) await call(client, id, name, { n: 1 });
    expect(seen).toMatchObject([{ client: 'tester', upstream: 'one', tool: 'paid', argumentsText: '{"n":1}' }, { client: 'tester', upstream: 'two', tool: 'paid', argumentsText: '{"n":1}' }]);
    expect(new Set(seen.map(({ sessionId }) => sessionId))).toEqual(new Set(app.bridge.sessions().map(({ id }) => id)));
    await rawClient();
    expect(app.bridge.sessions()).toHaveLength(2);
  });

  test('I9: a paid answer counts as delivered although its client has gone, or as lost although it was written', async () => {
    const delivered: boolean[] = [];
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const hook: PaymentHook = {
      looksPaid: (_scan, text) => text.includes('x402Version'),
      async onAnswer(paid) {
        if (paid.argumentsText !== '{}') await gate;
        return { text: `{"jsonrpc":"2.0","id":${JSON.stringify((JSON.parse(paid.requestText) as { id: unknown }).id)},"result":{"content":[]}}`, delivered: (written) => void delivered.push(written) };
      },
    };
    await start([rawStdio('one')], { hook });
    const client = await rawClient();
    await call(client, 1, 'one__paid');
    await eventually(() => delivered).toEqual([true]);
    client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one__paid","arguments":{"late":true}}}');
    await call(client, 3, 'one__echo');
    await client.close();
    await eventually(() => app.bridge.sessions().every(({ openRequests }) => openRequests === 0)).toBe(true);
    release();
    await eventually(() => delivered).toEqual([true, false]);
  });
});

describe('lists', () => {
  test('a server that cannot be started, or refuses, takes the others\' tools with it', async () => {
    const gone: UpstreamSpec = { name: 'gone', transport: { kind: 'stdio', command: '/nonexistent/server', args: [] } };
    await start([gone, listing('good', { tools: ['a'] }), listing('refuses', { refuses: true })]);
    const client = await rawClient();
    const listed = await ask(client, 1, 'tools/list');
    expect(toolNames(listed)).toEqual(['good__a']);
    expect(listed.result?.['_meta']).toMatchObject({ 'bursar/unavailable': [{ upstream: 'gone', reason: expect.stringContaining('gone') }, { upstream: 'refuses', reason: 'no licence' }] });
    expect(app.logged.filter(({ level, message }) => level === 'warn' && message === 'a server is left out of a list').map(({ fields }) => fields?.['upstream'])).toEqual(['gone', 'refuses']);
    expect(await call(client, 2, 'good__a')).toMatchObject({ id: 2, result: {} });
    expect((await call(client, 3, 'refuses__a')).error).toEqual({ code: -32000, message: 'no licence' });
    expect((await call(client, 4, 'gone__a')).error).toMatchObject({ code: -32000 });
  });

  test('a crash of one server fails calls of another, or it does not come back', async () => {
    await start([listing('one', { tools: ['crash'] }), rawStdio('two')]);
    const client = await rawClient();
    await ask(client, 1, 'tools/list');
    client.send('{"jsonrpc":"2.0","id":"waits","method":"tools/call","params":{"name":"two__ask","arguments":{"method":"roots/list","params":{}}}}');
    const question = parse(await client.next((line) => line.includes('roots/list')));
    expect((await call(client, 2, 'one__crash')).error).toMatchObject({ data: { code: 'UPSTREAM_EXITED' } });
    client.send(JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { roots: [] } }));
    expect(parse(await client.next((line) => line.includes('"id":"waits"')))).toMatchObject({ result: {} });
    expect(await call(client, 3, 'one__echo')).toMatchObject({ id: 3, result: {} });
  });

  test('a server that takes in no messages stops the client\'s calls of another', async () => {
    await start([listing('deaf', { tools: ['mute'] }), listing('other', { tools: ['a'] })]);
    const client = await rawClient();
    await call(client, 1, 'deaf__mute');
    for (let id = 2; id < 6; id++) client.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'deaf__mute', arguments: { filler: 'x'.repeat(1_000_000) } } }));
    expect(await call(client, 10, 'other__a')).toMatchObject({ result: {} });
    expect((await call(client, 11, 'deaf__mute')).error).toMatchObject({ message: expect.stringContaining('takes in no messages') });
  });

  test('a server starts before anything is asked of it', async () => {
    await start([listing('one', { tools: ['a'] }), listing('two', { tools: ['b'] })]);
    const client = await rawClient();
    const started = (): unknown[] => app.logged.filter(({ message }) => message === 'server stderr').map(({ fields }) => fields?.['upstream']);
    await call(client, 1, 'two__b');
    await eventually(started).toEqual(['two']);
    await ask(client, 2, 'tools/list');
    await eventually(started).toEqual(['two', 'one']);
  });

  test('a slow server holds up the list for ever, or its tools are never announced', async () => {
    await start([listing('fast', { tools: ['a'] }), listing('slow', { tools: ['b'], slowMs: 5_000 })], { limits: { listWaitMs: 2_000 } });
    const client = await rawClient();
    const first = await ask(client, 1, 'tools/list');
    expect(toolNames(first)).toEqual(['fast__a']);
    expect(first.result?.['_meta']).toMatchObject({ 'bursar/unavailable': [{ upstream: 'slow' }] });
    await client.next((line) => line.includes('notifications/tools/list_changed'));
    expect(toolNames(await ask(client, 2, 'tools/list'))).toEqual(['fast__a', 'slow__b']);
    // Another client need not wait for what is known by now.
    expect(toolNames(await ask(await rawClient(), 1, 'tools/list'))).toEqual(['fast__a', 'slow__b']);
  });

  test('a tool that a server adds is not announced, or stays unlisted', async () => {
    await start([listing('tells', { tools: ['grow'] }), listing('silent', { tools: ['grow'], tellsChanges: false })]);
    const client = await rawClient();
    expect(toolNames(await ask(client, 1, 'tools/list'))).toEqual(['tells__grow', 'silent__grow']);
    await call(client, 2, 'tells__grow');
    await client.next((line) => line.includes('notifications/tools/list_changed'));
    await call(client, 3, 'silent__grow');
    expect(toolNames(await ask(client, 4, 'tools/list'))).toEqual(['tells__grow', 'tells__grown_1', 'silent__grow', 'silent__grown_1']);
  });

  test('a tool of a name that is long, odd or another\'s cannot be called', async () => {
    const long = 'x'.repeat(100);
    await start([listing('a', { tools: ['b__c', long, 'dots.and/slashes', 'é'] }), listing('a__b', { tools: ['c', 'b__c'] })]);
    const client = await rawClient();
    const names = toolNames(await ask(client, 1, 'tools/list'));
    expect(new Set(names).size).toBe(6);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    const called: unknown[] = [];
    for (const [index, name] of names.entries()) called.push((JSON.parse((await call(client, 10 + index, name)).result?.content?.[0]?.text ?? '') as { params: { name: string } }).params.name);
    expect(called).toEqual(['b__c', long, 'dots.and/slashes', 'é', 'c', 'b__c']);
    // A client that kept the names of an earlier connection calls without listing first.
    expect(await call(await rawClient(), 1, names[5] ?? '')).toMatchObject({ result: {} });
  });

  test('two servers with the same resource: one of them cannot be read, or one reads in the other\'s name', async () => {
    await start([listing('one', { resources: ['file:///a', 'bursar://two/file:///b'] }), listing('two', { resources: ['file:///a', 'file:///b'] })]);
    const client = await rawClient();
    const { result } = await ask(client, 1, 'resources/list');
    const uris = ((result?.['resources'] ?? []) as { uri: string }[]).map(({ uri }) => uri);
    expect(uris).toEqual(['file:///a', 'bursar://one/bursar://two/file:///b', 'bursar://two/file:///a', 'file:///b']);
    const read: unknown[] = [];
    for (const [index, uri] of uris.entries()) read.push((JSON.parse((await ask(client, 10 + index, 'resources/read', { uri })).result?.['received'] as string) as { params: { uri: string } }).params.uri);
    expect(read).toEqual(['file:///a', 'bursar://two/file:///b', 'file:///a', 'file:///b']);
  });

  test('a server that the owner removes keeps its tools', async () => {
    const upstreams = [listing('one', { tools: ['a'] }), listing('two', { tools: ['b'] })];
    await start(upstreams);
    const client = await rawClient();
    expect(toolNames(await ask(client, 1, 'tools/list'))).toEqual(['one__a', 'two__b']);
    upstreams.shift();
    await app.bridge.reset('one');
    await client.next((line) => line.includes('notifications/tools/list_changed'));
    expect(toolNames(await ask(client, 2, 'tools/list'))).toEqual(['two__b']);
    upstreams.push(listing('three', { tools: ['c'] }));
    await app.bridge.reset('three');
    await client.next((line) => line.includes('notifications/tools/list_changed'));
    expect(toolNames(await ask(client, 3, 'tools/list'))).toEqual(['two__b', 'three__c']);
    expect((await call(client, 4, 'one__a')).error).toMatchObject({ code: -32602 });
  });

  test('2,000 tools of two servers, page by page, are not all listed; prints how long a list takes beside the servers\' own', async () => {
    const [one, two] = ['one', 'two'].map((name) => listing(name, { more: 1_000, pageSize: 150 }));
    await start([one!, two!]);
    const direct = shimClient(app.home, 'one');
    open.push(direct);
    await ask(direct, 0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } });
    const client = await rawClient();
    const names = toolNames(await ask(client, 1, 'tools/list'));
    expect(new Set(names).size).toBe(2_000);

    let id = 10;
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const before = performance.now();
      await work();
      return performance.now() - before;
    };
    const page = (cursor: number) => ask(direct, id++, 'tools/list', { cursor: String(cursor) });
    const pages = async (): Promise<void> => {
      for (let cursor = 0; cursor < 1_000; cursor += 150) await page(cursor);
    };
    const median = async (work: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < 9; round++) times.push(await time(work));
      return times.toSorted((x, y) => x - y)[4] ?? 0;
    };
    const direct2000 = 2 * (await median(pages));
    const known = await median(() => ask(client, id++, 'tools/list'));
    const other = await rawClient();
    const first = await time(() => ask(other, id++, 'tools/list'));
    console.log(`tools/list of 2,000 tools of two servers, by the time of reading all pages on their own routes (${direct2000.toFixed(1)} ms): known ${(known / direct2000).toFixed(2)}, a new client's first ${(first / direct2000).toFixed(2)}`);
  });
});
