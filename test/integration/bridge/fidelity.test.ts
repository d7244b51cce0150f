import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directClient, rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

// I8: what passes is compared byte for byte with what passes without Bursar. Requests and answers are in passthrough.test.ts;
// here is what a server says of its own accord, and what a client says that nobody answers.
let app: TestApp;
let http: RawHttpServer;
const clients: LineClient[] = [];
const keep = (client: LineClient): LineClient => {
  clients.push(client);
  return client;
};
beforeAll(async () => {
  http = await startRawHttp();
  app = await startApp({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await app.close();
  await http.close();
});

const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Posts a message; resolves with the messages of the answer. */
const post = (upstream: string, body: string, headers: Record<string, string> = {}): Promise<{ lines: string[]; session: string }> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(app.url(upstream), { method: 'POST', headers: { ...HEADERS, ...headers } }, (response) => {
      let text = '';
      const session = String(response.headers['mcp-session-id']);
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve({ session, lines: text.startsWith('{') || text === '' ? [text] : [...text.matchAll(/^data: (.+)$/gm)].map((match) => match[1] ?? '') }));
    });
    request.on('error', reject);
    request.end(body);
  });

const SERVER_SAYS: Record<string, string> = {
  'a notification with unknown keys': '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":12345678901234567890},"own":[1e400]},"more":null}',
  'a notification that is not in the protocol': '{"jsonrpc":"2.0","method":"vendor/thing","params":[1,2,{"x":"\\u00e9"}]}',
  'a request under the id 0': '{"jsonrpc":"2.0","id":0,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}',
  'a request under a text that looks like a number': '{"jsonrpc":"2.0","id":"1","method":"elicitation/create","params":{"mode":"url","url":"https://example.com/?q=1"}}',
  'a request under an id beyond 2^53': '{"jsonrpc":"2.0","id":9007199254740993,"method":"roots/list"}',
  'a ping': '{"jsonrpc":"2.0","id":"ping","method":"ping"}',
  'progress that nobody asked for': '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":0.30000000000000004}}',
  'the status of a task': '{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"input_required"}}',
  'an error without id': '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error","data":{"big":12345678901234567890}}}',
  'an answer to nothing': '{"jsonrpc":"2.0","id":"never","result":{}}',
  'a batch of notifications': '[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","method":"x"}]',
  'something that is no JSON-RPC': '{"hello":"world"}',
};

/** What a stdio server says to nobody in particular. A client over HTTP hears it in the stream of its session, not in that of a call. */
const TO_NOBODY = ['an error without id', 'an answer to nothing', 'a batch of notifications'];

describe('what a server says besides its answer reaches the client as it was said', () => {
  test.each(Object.entries(SERVER_SAYS))('%s', async (name, line) => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'odd/raw', params: { arguments: { line: `${line}\n{"jsonrpc":"2.0","id":$ID,"result":{}}` } } });
    const overHttp = JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'odd/raw', params: { arguments: { line: `${line}\n\ndata: {"jsonrpc":"2.0","id":$ID,"result":{}}` } } });
    const direct = keep(directClient());
    direct.send(call);
    const expected = [await direct.next(), await direct.next()];
    expect(expected[0]).toBe(line);
    for (const [upstream, sent] of [['raw', call], ['http', overHttp]] as const) {
      const shim = keep(shimClient(app.home, upstream));
      shim.send(sent);
      expect([await shim.next(), await shim.next()]).toEqual(expected);
      expect((await post(upstream, sent)).lines).toEqual(upstream === 'raw' && TO_NOBODY.includes(name) ? expected.slice(1) : expected);
    }
  });
});

const CLIENT_SAYS: Record<string, string> = {
  'a notification with unknown keys': '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","own":{"n":12345678901234567890}}',
  'a cancellation of nothing': '{ "jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1","reason":"\\u00fc"} }',
  'an answer under the id 0': '{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}',
  'an answer under an id beyond 2^53': '{"jsonrpc":"2.0","id":9007199254740993,"result":{"big":1e400}}',
  'an error as an answer': '{"jsonrpc":"2.0","id":"1","error":{"code":-1.5,"message":"no","data":[null]}}',
  'a null as an answer': '{"jsonrpc":"2.0","id":"2","result":null}',
  'a batch without requests': '[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":5,"result":[]}]',
};

describe('what a client says that nobody answers reaches the server as it was said', () => {
  test.each(Object.entries(CLIENT_SAYS))('%s', async (_name, line) => {
    const ask = '{"jsonrpc":"2.0","id":1,"method":"odd/heard"}';
    for (const upstream of ['raw', 'http']) {
      const shim = keep(shimClient(app.home, upstream));
      shim.send(line);
      if (upstream === 'raw') {
        shim.send(ask);
        expect((JSON.parse(await shim.next((answer) => answer.includes('odd/heard'))) as { result: string[] }).result).toEqual([line, ask]);
      } else await eventually(() => http.seen.at(-1)?.body).toBe(line);
    }
    const { session } = await post('raw', '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
    await post('raw', line, { 'mcp-session-id': session });
    const [heard] = (await post('raw', ask, { 'mcp-session-id': session })).lines.slice(-1);
    expect((JSON.parse(heard ?? '') as { result: string[] }).result.slice(1)).toEqual([line, ask]);
    await post('http', line);
    expect(http.seen.at(-1)?.body).toBe(line);
  });
});

test('a message just below 64 MB passes, and one above is an error under its id', async () => {
  const client = keep(shimClient(app.home));
  const call = (id: number, size: number): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"big","arguments":{"size":${size}}}}`;
  const limit = 64 * 1024 * 1024;
  client.send(call(1, limit - 200));
  expect((await client.next()).length).toBeGreaterThan(limit - 200);
  client.send(call(2, limit));
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { data: { code: 'MESSAGE_TOO_LARGE', context: { limit: String(limit) } } } });
});
