import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { rawStdio, SHIM, shimClient, startApp, TOKEN, type LineClient, type TestApp, type TestAppOptions } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startSdkHttp } from './fixtures/sdk-server.ts';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';

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
  async function v2(mode: 'legacy' | 'auto'): Promise<ClientV2> {
    const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
    client.setRequestHandler('sampling/createMessage', () => said);
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    await client.connect(via === 'shim' ? new StdioV2(shim()) : new HttpV2(url(), { requestInit }));
    return client;
  }

  test.each(['v1', 'v2', 'v2 that would rather speak 2026-07-28'] as const)('of %s cannot do with two servers at once what it can with each', async (version) => {
    const http = await startSdkHttp();
    open.push(http);
    await start([sdkStdio('stdio'), { name: 'http', transport: { kind: 'http', url: http.url } }]);
    const client = (version === 'v1' ? await v1() : await v2(version === 'v2' ? 'legacy' : 'auto')) as ClientV1;
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
