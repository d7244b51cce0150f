import { afterEach, expect, test } from 'vitest';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import { rawStdio, shimClient, startApp, type LineClient, type TestApp } from './fixtures/harness.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

let app: TestApp | undefined;
let http: RawHttpServer | undefined;
const clients: LineClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await app?.close();
  await http?.close();
});

/** A payment side that would pay whatever it is asked about. */
function payer() {
  const asked: string[] = [];
  const pay: PaymentHook['onAnswer'] = async (call, _answer, io) => {
    asked.push(call.requestText);
    return { text: (await io.retry({ meta: { 'x402/payment': '{}' } })).text, delivered: () => undefined };
  };
  const hook: PaymentHook = { looksPaid: (_scan, text) => text.includes('x402Version'), onAnswer: pay, onHttpPaymentRequired: (call, _refusal, io) => pay(call, '', io) };
  return { hook, asked };
}

const AMBIGUOUS: Record<string, [call: string, field: string]> = {
  'two tool names': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"paid"}}', 'params.name'],
  'two sets of arguments': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid","arguments":{"n":1},"arguments":{"n":1000}}}', 'params.arguments'],
  'two sets of metadata': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid","_meta":{},"_meta":{}}}', 'params._meta'],
  'an argument twice': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid","arguments":{"n":1,"n":1000}}}', 'params.arguments.n'],
  'a key twice, once written with escapes': ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid","n\\u0061me":"paid"}}', 'params.name'],
};

test.each(Object.entries(AMBIGUOUS))('I2: a call with %s is never paid', async (_name, [call, field]) => {
  const { hook, asked } = payer();
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = shimClient(app.home);
  clients.push(client);
  client.send(call);
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { message: expect.stringContaining('Nothing was paid') as string, data: { code: 'INPUT_INVALID', context: { field } } } });
  expect(asked).toEqual([]);
});

test('I2: a call with two sets of arguments is not paid for a challenge by HTTP 402 either', async () => {
  const { hook, asked } = payer();
  http = await startRawHttp();
  http.intercept = (_request, _body, response) => {
    response.writeHead(402).end('{"x402Version":2}');
    return true;
  };
  app = await startApp({ upstreams: [{ name: 'http', transport: { kind: 'http', url: http.url } }], hook });
  const client = shimClient(app.home, 'http');
  clients.push(client);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"arguments":{}}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'INPUT_INVALID' } } });
  expect(asked).toEqual([]);
});

test('I8: a free call that holds a key twice passes unchanged', async () => {
  const { hook } = payer();
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = shimClient(app.home);
  clients.push(client);
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2},"arguments":{}}}';
  client.send(call);
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { received: call } });
});
