import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { SHIM, startApp, TOKEN, type TestApp } from './fixtures/harness.ts';
import { startSdkHttp } from './fixtures/sdk-server.ts';

const SDK_SERVER = fileURLToPath(new URL('./fixtures/sdk-server.ts', import.meta.url));
let app: TestApp;
let http: { url: string; close: () => Promise<void> };
beforeAll(async () => {
  http = await startSdkHttp();
  app = await startApp({ upstreams: [{ name: 'stdio', transport: { kind: 'stdio', command: process.execPath, args: [SDK_SERVER] } }, { name: 'http', transport: { kind: 'http', url: http.url } }] });
});
afterAll(async () => {
  await app.close();
  await http.close();
});
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

const shim = (upstream: string) => ({ command: process.execPath, args: [SHIM, '--home', app.home, '--upstream', upstream, '--client', 'tester'] });
const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
const capabilities = { sampling: {}, elicitation: {} };
const info = { name: 'test', version: '1' };
const said = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'said' } };

async function v1(via: 'shim' | 'http', upstream: string): Promise<ClientV1> {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(CreateMessageRequestSchema, () => said);
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
  open.push(client);
  await client.connect(via === 'shim' ? new StdioV1(shim(upstream)) : new HttpV1(new URL(app.url(upstream)), { requestInit }));
  return client;
}

async function v2(via: 'shim' | 'http', upstream: string, mode: 'legacy' | 'auto'): Promise<ClientV2> {
  const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('sampling/createMessage', () => said);
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
  open.push(client);
  await client.connect(via === 'shim' ? new StdioV2(shim(upstream)) : new HttpV2(new URL(app.url(upstream)), { requestInit }));
  return client;
}

const ways = (['shim', 'http'] as const).flatMap((via) => ['stdio', 'http'].map((upstream) => [via, upstream] as const));

describe.each(ways)('%s to a %s server', (via, upstream) => {
  test.each<['v1' | 'v2']>([['v1'], ['v2']])('an SDK %s client of the older protocol can do what it can do directly', async (version) => {
    const client = (version === 'v1' ? await v1(via, upstream) : await v2(via, upstream, 'legacy')) as ClientV1;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add');
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(await client.callTool({ name: 'sample', arguments: {} })).toMatchObject({ content: [{ text: '{"type":"text","text":"said"}' }] });
    expect(await client.callTool({ name: 'elicit', arguments: {} })).toMatchObject({ content: [{ text: '{"name":"Ada"}' }] });
    expect(await client.readResource({ uri: 'note://one' })).toMatchObject({ contents: [{ text: 'the note' }] });
    expect(await client.getPrompt({ name: 'greet', arguments: { who: 'you' } })).toMatchObject({ messages: [{ content: { text: 'Hello you' } }] });
    const seen: number[] = [];
    const options = { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) };
    await (version === 'v1' ? client.callTool({ name: 'progress', arguments: {} }, undefined, options) : (client as unknown as ClientV2).callTool({ name: 'progress', arguments: {} }, options));
    expect(seen).toEqual([1, 2, 3]);
    await expect(client.callTool({ name: 'add', arguments: { a: 'x' } })).resolves.toMatchObject({ isError: true });
    const stop = new AbortController();
    const slow = version === 'v1' ? client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: stop.signal }) : (client as unknown as ClientV2).callTool({ name: 'slow', arguments: {} }, { signal: stop.signal });
    stop.abort();
    await expect(slow).rejects.toThrow();
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 2 } })).toMatchObject({ structuredContent: { sum: 4 } });
  });

  test('an SDK v2 client speaks 2026-07-28, with input in a second round', async () => {
    const client = await v2(via, upstream, 'auto');
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add');
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({ structuredContent: { sum: 3 } });
    expect(JSON.stringify(await client.callTool({ name: 'elicit-modern', arguments: {} }))).toContain('Ada');
    expect(await client.readResource({ uri: 'note://one' })).toMatchObject({ contents: [{ text: 'the note' }] });
  });
});
