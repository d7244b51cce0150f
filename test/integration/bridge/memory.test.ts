import { afterEach, expect, test } from 'vitest';
import type { UpstreamSpec } from '../../../src/main/bridge/upstream.ts';
import { rawStdio, shimClient, startApp, TOKEN, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const MIB = 1024 * 1024;
const node = (name: string, script: string): UpstreamSpec => ({ name, transport: { kind: 'stdio', command: process.execPath, args: ['-e', script] } });
const start = async (upstreams: readonly UpstreamSpec[]): Promise<TestApp> => {
  const app = await startApp({ upstreams, limits: { maxMessageBytes: 8 * MIB } });
  cleanups.push(() => app.close());
  return app;
};
const post = (app: TestApp, body: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
  fetch(app.url('raw'), { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, body, ...(signal && { signal }) });

test('calls over HTTP to a server that reads nothing more are refused once it has left enough unread', async () => {
  const app = await start([node('raw', `
    process.stdin.once('data', (line) => {
      process.stdin.pause();
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: {} }) + '\\n');
      setInterval(() => undefined, 1 << 30);
    });`)]);
  const first = await post(app, '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  const session = { 'mcp-session-id': first.headers.get('mcp-session-id') ?? '' };
  await first.text();
  const gone = new AbortController();
  cleanups.push(() => gone.abort());
  const answers: string[] = [];
  const call = (id: number): void => {
    void post(app, `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"x","arguments":{"filler":"${'x'.repeat(2 * MIB)}"}}}`, session, gone.signal).then((response) => response.text()).then((text) => answers.push(text), () => undefined);
  };
  for (let id = 1; id <= 8; id++) call(id);
  await eventually(() => answers.length).toBeGreaterThanOrEqual(3);
  for (const text of answers) expect(text).toMatch(/takes in no messages.*UPSTREAM_UNREACHABLE/);
});

test('a server whose list has no end is left out of the list of all', async () => {
  const app = await start([rawStdio('raw'), node('endless', `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const page = Number(params?.cursor ?? 0);
      const result = method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'e', version: '1' } }
        : { tools: [{ name: 't' + page, description: 'x'.repeat(4 << 20), inputSchema: { type: 'object' } }], nextCursor: String(page + 1) };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    });`)]);
  const client = shimClient(app.home, '');
  cleanups.push(() => client.close());
  client.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  expect(JSON.parse(await client.next((line) => line.includes('"id":2')))).toMatchObject({ id: 2, result: { tools: [] } });
  await eventually(() => app.logged.some(({ message, fields }) => message === 'a server is left out of a list' && fields?.['upstream'] === 'endless' && String(fields['reason']).includes('lists more than is kept'))).toBe(true);
});

test('complete answers are kept for a client that lost one by their size: the newest ones', async () => {
  const app = await start([rawStdio()]);
  const first = await post(app, '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  const session = { 'mcp-session-id': first.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  await first.text();
  const answer = async (id: number): Promise<string> => {
    const text = await (await post(app, `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"big","arguments":{"size":${3 * MIB}}}}`, session)).text();
    return `${/^id: (.*)-\d+$/m.exec(text)?.[1]}-0`;
  };
  const starts: string[] = [];
  for (let id = 1; id <= 5; id++) starts.push(await answer(id));
  const gone = new AbortController();
  cleanups.push(() => gone.abort());
  const resume = (lastEventId: string): Promise<Response> => fetch(app.url('raw'), { headers: { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream', ...session, 'last-event-id': lastEventId }, signal: gone.signal });
  for (const [index, at] of starts.entries()) if (index >= 3) expect(await (await resume(at)).text()).toContain(`"id":${index + 1},`);
  // Nothing to resume: it is the stream of the session instead, and ends with it.
  const stream = await resume(starts[0] ?? '');
  await fetch(app.url('raw'), { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}`, ...session } });
  expect(await stream.text()).not.toContain('"id":1,');
});
