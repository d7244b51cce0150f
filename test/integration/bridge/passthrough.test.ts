import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { directClient, rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

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

/** The one message that answers a POST, be it JSON or a stream. */
const post = (upstream: string, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = httpRequest(app.url(upstream), { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(/^data: (.*)$/m.exec(text)?.[1] ?? text));
    });
    request.on('error', reject);
    request.end(body);
  });

const ODD_REQUESTS: Record<string, string> = {
  'a zero id': '{"jsonrpc":"2.0","id":0,"method":"x"}',
  'a text id that looks like a number': '{"jsonrpc":"2.0","id":"1","method":"x"}',
  'an id beyond 2^53': '{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}',
  'an empty id': '{"jsonrpc":"2.0","id":"","method":"x"}',
  'unknown keys and integers beyond 2^53 anywhere': '{"jsonrpc":"2.0","extra":{"a":[1e400,12345678901234567890]},"id":5,"method":"tools/call","params":{"name":"echo","arguments":{"n":123456789012345678901234567890,"f":1.0},"other":null}}',
  'spaces and escapes': '{ "jsonrpc" : "2.0" , "id" : 7 , "method":"x\\u0041" , "params" : { "text":"\\u00e9\\ud83d\\ude00 ü \\/" } }',
  'a key that is written with escapes': '{"jsonrpc":"2.0","\\u0069d":8,"method":"x"}',
  'parameters in an array': '{"jsonrpc":"2.0","id":9,"method":"x","params":[1,{"a":2}]}',
  'no jsonrpc member': '{"id":10,"method":"x"}',
  'a batch': '[{"jsonrpc":"2.0","id":11,"method":"x"},{"jsonrpc":"2.0","method":"y"},{"jsonrpc":"2.0","id":"b","method":"z"}]',
  'a call of a tool without parameters': '{"jsonrpc":"2.0","id":12,"method":"tools/call"}',
};

const ODD_ANSWERS: Record<string, string> = {
  'a null result': '{"jsonrpc":"2.0","id":$ID,"result":null}',
  'an array as result': '{"jsonrpc":"2.0","id":$ID,"result":[1,2]}',
  'a text as result': '{"jsonrpc":"2.0","id":$ID,"result":"x"}',
  'an error code that is no integer': '{"jsonrpc":"2.0","id":$ID,"error":{"code":1.5,"message":"m","data":[12345678901234567890]}}',
  'an error code in text': '{"jsonrpc":"2.0","id":$ID,"error":{"code":"E","message":"m"},"more":true}',
  'a result beside an error': '{"jsonrpc":"2.0","id":$ID,"error":{"code":1,"message":"m"},"result":{}}',
  'a number beyond 2^53': '{"jsonrpc":"2.0","id":$ID,"result":{"n":9007199254740993,"x":1.10}}',
};
const oddAnswer = (line: string): string => JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'odd/raw', params: { arguments: { line } } });

describe('what a server answers reaches the client byte for byte', () => {
  const cases = [...Object.entries(ODD_REQUESTS), ...Object.entries(ODD_ANSWERS).map(([name, line]) => [name, oddAnswer(line)] as const)];
  let direct: LineClient;
  let shim: LineClient;
  let shimHttp: LineClient;
  beforeAll(() => {
    direct = keep(directClient());
    shim = keep(shimClient(app.home));
    shimHttp = keep(shimClient(app.home, 'http'));
  });

  test.each(cases)('%s', async (_name, line) => {
    direct.send(line);
    const expected = await direct.next();
    shim.send(line);
    expect(await shim.next()).toBe(expected);
    shimHttp.send(line);
    expect(await shimHttp.next()).toBe(expected);
    expect(await post('raw', line)).toBe(expected);
    expect(await post('http', line)).toBe(expected);
  });
});

test('an error without id from the server is not lost, and the request still ends', async () => {
  const client = keep(shimClient(app.home));
  client.send(oddAnswer('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}'));
  expect(await client.next()).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}');
});

test('two requests under one id both get their answer', async () => {
  const client = keep(shimClient(app.home));
  client.send('{"jsonrpc":"2.0","id":3,"method":"first"}');
  client.send('{"jsonrpc":"2.0","id":3,"method":"second"}');
  expect([await client.next(), await client.next()].map((line) => line.includes('first'))).toEqual([true, false]);
});

test('text that is not JSON is answered with a parse error and does not end the session', async () => {
  const client = keep(shimClient(app.home));
  client.send('{"jsonrpc":"2.0",');
  expect(JSON.parse(await client.next())).toMatchObject({ id: null, error: { code: -32700, data: { code: 'JSON_INVALID' } } });
  client.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1 });
});

test('what a server prints beside its messages does not reach the client', async () => {
  const client = keep(shimClient(app.home));
  client.send(oddAnswer('Server listening on stdio\n{"jsonrpc":"2.0","id":$ID,"result":{}}'));
  expect(await client.next()).toBe('{"jsonrpc":"2.0","id":77,"result":{}}');
  expect(client.lines).toEqual([]);
});

test.each(['raw', 'http'])('progress keeps its token, number and order (%s)', async (upstream) => {
  const client = keep(shimClient(app.home, upstream));
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":12345678901234567890}}}');
  const lines = [await client.next(), await client.next(), await client.next(), await client.next()];
  expect(lines.slice(0, 3).every((line) => line.includes('"unknown":12345678901234567890'))).toBe(true);
  expect(JSON.parse(lines[3] ?? '')).toMatchObject({ id: 1, result: { content: [] } });
});

test.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'unknown/method'])('a request of the server reaches the client, and its answer the server: %s', async (method) => {
  for (const upstream of ['raw', 'http']) {
    const client = keep(shimClient(app.home, upstream));
    client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"method":"${method}","params":{"deep":[1,{"x":null}]}}}}`);
    const asked = JSON.parse(await client.next()) as { id: string; method: string; params: unknown };
    expect(asked).toMatchObject({ method, params: { deep: [1, { x: null }] } });
    const said = `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},"result":{"big":12345678901234567890}}`;
    client.send(said);
    expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { clientSaid: said } });
  }
});

test.each(['raw', 'http'])('a cancellation reaches the server as it was written (%s)', async (upstream) => {
  const client = keep(shimClient(app.home, upstream));
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  if (upstream === 'http') await eventually(() => http.seen.some(({ method }) => method === 'GET')).toBe(true);
  client.send('{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"wait"}}');
  client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w","reason":"x"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ method: 'notifications/message', params: { data: { cancelled: 'w' } } });
});

test('a message of 12 MB passes in both directions and over both transports', async () => {
  const size = 12 * 1024 * 1024;
  const filler = 'y'.repeat(size);
  const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"filler":"${filler}"}}}`;
  for (const upstream of ['raw', 'http']) {
    const client = keep(shimClient(app.home, upstream));
    client.send(line);
    const received = (JSON.parse(await client.next()) as { result: { received: string } }).result.received;
    expect(received === line).toBe(true);
    expect((await post(upstream, line)).length).toBeGreaterThan(size);
  }
});

test('a client that reads slowly loses nothing and does not fill the memory of Bursar', async () => {
  const own = await startApp({ upstreams: [rawStdio()] });
  const client = shimClient(own.home);
  try {
    const size = 4 * 1024 * 1024;
    const calls = 24;
    const open = (): number => own.bridge.sessions()[0]?.openRequests ?? calls;
    client.send('{"jsonrpc":"2.0","id":"first","method":"ping"}');
    await client.next();
    client.child.stdout.pause();
    for (let id = 0; id < calls; id++) client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"big","arguments":{"size":${size}}}}`);
    await eventually(open).toBeGreaterThan(calls / 2);
    // What does not fit into the buffers on the way stays in the server: the count stops falling.
    let before = -1;
    await expect.poll(() => before === (before = open()), { interval: 500, timeout: 20_000 }).toBe(true);
    expect(open()).toBeGreaterThan(calls / 2);
    client.child.stdout.resume();
    for (let id = 0; id < calls; id++) expect((await client.next()).length).toBeGreaterThan(size);
  } finally {
    client.child.stdout.resume();
    await client.close();
    await own.close();
  }
});
