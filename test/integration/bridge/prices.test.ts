import { afterEach, expect, test } from 'vitest';
import { createToolFacts } from '../../../src/core/challenges/tool-facts.ts';
import type { PaidCall } from '../../../src/core/payments/call.ts';
import { createInterceptor } from '../../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../../src/main/bridge/server-words.ts';
import { rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

let app: TestApp | undefined;
let http: RawHttpServer | undefined;
const clients: LineClient[] = [];
afterEach(async () => {
  await app?.close();
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await http?.close();
  app = undefined;
  http = undefined;
});

/** The real interceptor before a payment core that pays nothing, on servers over stdio and over HTTP. */
async function start() {
  http = await startRawHttp();
  const calls: PaidCall[] = [];
  const facts = createToolFacts({ now: () => 7, changed: () => {} });
  const payments = { onAnswer: async (call: PaidCall) => (calls.push(call), { kind: 'pass' as const }), withdraw: () => Promise.resolve(false), reassess: () => {} };
  const hook = createInterceptor({ payments, words: createServerWords(() => 0), facts, showsCosts: () => true });
  app = await startApp({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }], hook });
  const { home } = app;
  const connect = (upstream: string) => {
    const client = shimClient(home, upstream);
    clients.push(client);
    return async (line: string) => {
      client.send(line);
      return client.next();
    };
  };
  return { facts, calls, connect };
}

const TOOLS = '[ {"name":"paid", "description":"d","payment":{"required":true,"price":0.01,"currency":"USDC"},"inputSchema":{"properties":{"_payment":{},"x":{"const":12345678901234567890}}}},{"name":"free","description":"d"} ]';
const SHOWN = '[ {"name":"paid", "description":"d (Cost: 0.01 USDC)","payment":{"required":true,"price":0.01,"currency":"USDC"},"inputSchema":{"properties":{"x":{"const":12345678901234567890}}}},{"name":"free","description":"d"} ]';
const listRequest = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":{"arguments":{"line":${JSON.stringify(`{"jsonrpc":"2.0", "id":$ID,"result":{"tools":${TOOLS}}}`)}}}}`;
const listAnswer = (id: string) => `{"jsonrpc":"2.0", "id":${id},"result":{"tools":${SHOWN}}}`;
const call = (id: string, name: string) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":{ "x":1 ,"_payment":{"signature":"s"}}}}`;

test.each(['raw', 'http'])('I8: an agent is not told the cost, can write a proof, or reads other bytes than the server wrote (%s)', async (upstream) => {
  const { connect } = await start();
  const ask = connect(upstream);
  expect(await ask(listRequest('"a"'))).toBe(listAnswer('"a"'));
  const echo = async (id: string, name: string) => (JSON.parse(await ask(call(id, name))) as { result: { received: string } }).result.received;
  expect(await echo('3', 'free')).toBe(call('3', 'free'));
  const answer = await ask(call('4', 'paid').replace('"method"', '"x":0,"method"'));
  expect(JSON.parse(answer)).toMatchObject({ result: { isError: true } }); // the fixture's own challenge, which this core passes on
});

test('a batch is not edited in its parts', async () => {
  const { connect } = await start();
  const ask = connect('raw');
  expect(await ask(`[${listRequest('1')},${listRequest('2')}]`)).toBe(`[${listAnswer('1')},${listAnswer('2')}]`);
  await ask(`[${call('3', 'free')}]`);
});

test('an agent over HTTP reads a list that is not edited', async () => {
  await start();
  const post = async (body: string) => {
    const response = await fetch(app!.url('http'), { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body });
    return response.text();
  };
  expect(await post(listRequest('1'))).toContain(listAnswer('1'));
});

test('the payment side is not told the listed price, nor the dialect in which a tool asked before', async () => {
  const { facts, calls, connect } = await start();
  const ask = connect('raw');
  await ask(listRequest('1'));
  await ask(call('2', 'paid'));
  expect(calls[0]).toMatchObject({ tool: 'paid', argumentsText: '{ "x":1}' });
  expect(calls[0]?.listing?.get('payment')).toBeDefined();
  expect(calls[0]?.lastDialect).toBeUndefined();
  facts.noteChallenge('raw', 'paid', 'x402-mcp');
  await ask(call('3', 'paid'));
  expect(calls[1]).toMatchObject({ lastDialect: 'x402-mcp' });
});

test('I9: a page that a server asks for by itself is not shown to the owner, or does not reach the client as it came', async () => {
  const { facts, connect } = await start();
  const ask = connect('raw');
  const params = { mode: 'url', elicitationId: 'e', url: 'https://pay.example/3', message: 'Pay' };
  const elicit = (method: string) => ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"method":"${method}","params":${JSON.stringify(params)}}}}`);
  expect(await elicit('elicitation/create')).toBe(`{"jsonrpc":"2.0","id":"srv-1","method":"elicitation/create","params":${JSON.stringify(params)}}`);
  await elicit('sampling/createMessage');
  await eventually(() => facts.links()).toMatchObject([{ upstream: 'raw', tool: '', kind: 'url-elicitation', url: params.url, message: 'Pay' }]);
});

test('I9: a page to pay at is not shown to the owner, or does not reach the client as it came', async () => {
  const { facts, connect } = await start();
  const ask = connect('raw');
  const elicitation = '{"jsonrpc":"2.0", "id":1,"error":{"code":-32042,"message":"m","data":{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://pay.example/1","message":"Pay"}]}}}';
  const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw","arguments":{"line":${JSON.stringify(elicitation)}}}}`;
  expect(await ask(request)).toBe(elicitation);
  const link = elicitation.replace(/"error".*$/, '"result":{"content":[],"structuredContent":{"payment_url":"https://pay.example/2","payment_id":"p"}}}');
  expect(await ask(request.replace(JSON.stringify(elicitation), () => JSON.stringify(link)))).toBe(link);
  await eventually(() => facts.links()).toMatchObject([
    { upstream: 'raw', tool: 'raw', kind: 'payment-link', url: 'https://pay.example/2', at: 7 },
    { upstream: 'raw', tool: 'raw', kind: 'url-elicitation', url: 'https://pay.example/1', message: 'Pay', at: 7 },
  ]);
});
