import { afterEach, expect, test } from 'vitest';
import { BursarError } from '../../../src/shared/errors/errors.ts';
import { stringAt, textAt } from '../../../src/main/bridge/json-text.ts';
import type { CallIo, HookAnswer, PaymentHook, ToolCall } from '../../../src/main/bridge/payment-hook.ts';
import { scanPayload } from '../../../src/main/bridge/scan.ts';
import { rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

const PROOF = '{"x402Version":2,"payload":{"signature":"0x1"},"big":12345678901234567890}';

/** A payment side that pays every challenge, as soon as its gate lets it. */
function payer(gate: (call: ToolCall, io: CallIo) => Promise<void> = () => Promise.resolve()) {
  const calls: ToolCall[] = [];
  const delivered: boolean[] = [];
  const hook: PaymentHook = {
    looksPaid: (scan, text) => scan.fields['result.structuredContent'] !== undefined && stringAt(text, scan.fields['result.isError']) === undefined && textAt(text, scan.span).includes('x402Version'),
    async onAnswer(call, _answer, io): Promise<HookAnswer> {
      calls.push(call);
      await gate(call, io);
      const { text } = await io.retry({ meta: { 'x402/payment': PROOF } });
      return { text, delivered: (written) => void delivered.push(written) };
    },
  };
  return { hook, calls, delivered };
}

let app: TestApp | undefined;
let http: RawHttpServer | undefined;
const clients: LineClient[] = [];
const connect = (upstream = 'raw'): LineClient => {
  const client = shimClient(app?.home ?? '', upstream);
  clients.push(client);
  return client;
};
afterEach(async () => {
  await app?.close();
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await http?.close();
  app = undefined;
  http = undefined;
});
const upstreams = async () => {
  http = await startRawHttp();
  return [rawStdio(), { name: 'http', transport: { kind: 'http' as const, url: http.url, headers: { 'x-upstream-key': 'k' } } }];
};

test.each(['raw', 'http'])('the retry differs from the call by nothing but id and payment, and answers under the call\'s id (%s)', async (upstream) => {
  const { hook, calls, delivered } = payer();
  app = await startApp({ upstreams: await upstreams(), hook });
  const client = connect(upstream);
  const call = '{ "jsonrpc":"2.0" , "params" : {"name":"paid","arguments":{ "n":12345678901234567890, "u":"\\u00e9" },"_meta":{"progressToken":"p","own":[1]},"x":null}, "method":"tools/call","id":"7" }';
  client.send(call);
  expect(JSON.parse(await client.next())).toMatchObject({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } });
  const answer = JSON.parse(await client.next()) as { id: unknown; result: { received: string } };
  expect(answer).toMatchObject({ id: '7', result: { content: [{ text: 'goods' }] } });
  const { received } = answer.result;
  const id = /"id":("bursar-[-\da-f]+")/.exec(received)?.[1] ?? '';
  expect(received).toBe(call.replace('"id":"7"', `"id":${id}`).replace('"own":[1]}', `"own":[1],"x402/payment":${PROOF}}`));
  expect(calls[0]).toMatchObject({ client: 'tester', upstream, tool: 'paid', argumentsText: '{ "n":12345678901234567890, "u":"\\u00e9" }', requestText: call.trim(), progressToken: '"p"' });
  await eventually(() => delivered).toEqual([true]);
});

test('a call without _meta and arguments gets both from the retry', async () => {
  const hook: PaymentHook = { ...payer().hook, onAnswer: async (_call, _answer, io) => ({ text: (await io.retry({ meta: { 'x402/payment': '{}' }, arguments: { _payment: '"s"' } })).text, delivered: () => undefined }) };
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  const { received } = (JSON.parse(await client.next()) as { result: { received: string } }).result;
  expect(JSON.parse(received)).toMatchObject({ params: { name: 'paid', _meta: { 'x402/payment': {} }, arguments: { _payment: 's' } } });
});

test('fifty concurrent paid calls each get their own goods, and free calls do not wait for them', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { hook, calls, delivered } = payer(() => gate);
  app = await startApp({ upstreams: await upstreams(), hook });
  for (const upstream of ['raw', 'http']) {
    const client = connect(upstream);
    for (let id = 0; id < 50; id++) client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"paid","arguments":{"n":${id}}}}`);
    client.send('{"jsonrpc":"2.0","id":"free","method":"tools/call","params":{"name":"echo"}}');
    expect(JSON.parse(await client.next())).toMatchObject({ id: 'free' });
    if (upstream === 'http') open();
  }
  await eventually(() => calls.length).toBe(100);
  for (const client of clients) {
    for (let count = 0; count < 50; count++) {
      const { id, result } = JSON.parse(await client.next()) as { id: number; result: { received: string } };
      expect(result.received).toContain(`"arguments":{"n":${id}}`);
    }
  }
  await eventually(() => delivered.filter(Boolean).length).toBe(100);
});

test('messages of the server keep their order around an answer that concerns no payment', async () => {
  const { hook } = payer();
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  for (let id = 0; id < 200; id++) client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":${id}}}}`);
  const order: number[] = [];
  while (order.length < 200) {
    const { id } = JSON.parse(await client.next()) as { id?: number };
    if (id !== undefined) order.push(id);
  }
  expect(order).toEqual([...Array(200).keys()]);
});

test('a call that is cancelled before its challenge arrives is not paid', async () => {
  const { hook, calls } = payer();
  app = await startApp({ upstreams: await upstreams(), hook });
  const client = connect('http');
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>();
  if (http !== undefined) {
    http.intercept = (_request, body, response) => {
      if (!body.includes('"paid"')) return false;
      onAsked(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":{"x402Version":2}}}'));
      return true;
    };
  }
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  const answer = await asked;
  client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await eventually(() => http?.seen.some(({ body }) => body.includes('cancelled'))).toBe(true);
  answer();
  await eventually(() => app?.bridge.sessions()[0]?.openRequests).toBe(0);
  expect(calls).toEqual([]);
});

test('a call that the client cancels while the owner decides aborts, and what was paid is reported as not delivered', async () => {
  const { hook, calls, delivered } = payer((call) => new Promise((resolve) => call.signal.addEventListener('abort', () => resolve())));
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  await eventually(() => calls.length).toBe(1);
  client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}');
  await eventually(() => delivered).toEqual([false]);
  client.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  expect(JSON.parse(await client.next((line) => line.includes('"id"')))).toMatchObject({ id: 2 });
});

test('a client that dies while the owner decides does not stop the payment, whose answer is reported as not delivered', async () => {
  const { hook, calls, delivered } = payer((call) => new Promise((resolve) => call.signal.addEventListener('abort', () => resolve())));
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  await eventually(() => calls.length).toBe(1);
  client.child.kill('SIGKILL');
  // A closed writing side alone may be a script that still reads, so it is given a moment.
  await eventually(() => delivered).toEqual([false]);
  await eventually(() => app?.bridge.sessions()).toEqual([]);
});

test('an HTTP client that hangs up while the owner decides is a lost delivery', async () => {
  const { hook, delivered } = payer((call) => new Promise((resolve) => call.signal.addEventListener('abort', () => resolve())));
  app = await startApp({ upstreams: [rawStdio()], hook });
  const hangUp = new AbortController();
  const call = fetch(app.url('raw'), {
    method: 'POST',
    signal: hangUp.signal,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}',
  });
  const response = await call;
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  hangUp.abort();
  await eventually(() => delivered).toEqual([false]);
});

test('the owner\'s progress reaches a client that asked for it, and rises', async () => {
  const { hook } = payer((_call, io) => {
    io.progress('waiting for the owner');
    io.progress('still waiting');
    return Promise.resolve();
  });
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid","_meta":{"progressToken":5}}}');
  const steps = [await client.next(), await client.next(), await client.next()].map((line) => (JSON.parse(line) as { params: { progressToken: number; progress: number } }).params);
  expect(steps.map(({ progressToken }) => progressToken)).toEqual([5, 5, 5]);
  expect(steps.map(({ progress }) => progress)).toEqual(steps.map(({ progress }) => progress).toSorted((a, b) => a - b));
});

test('a payment side that fails gives the client an error and no silence', async () => {
  const failing = (onAnswer: PaymentHook['onAnswer']): PaymentHook => ({ looksPaid: payer().hook.looksPaid, onAnswer });
  for (const [hook, code] of [
    [failing(() => Promise.reject(new BursarError('BUDGET_EXCEEDED', 'Too much.'))), 'BUDGET_EXCEEDED'],
    [failing(() => { throw new Error('defect'); }), 'INTERNAL'],
    [{ ...failing(() => Promise.reject(new BursarError('CHALLENGE_MALFORMED', 'Unreadable.'))), looksPaid: () => { throw new Error('defect'); } }, 'CHALLENGE_MALFORMED'],
  ] as const) {
    app = await startApp({ upstreams: [rawStdio()], hook });
    const client = connect();
    client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
    expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code } } });
    await app.close();
  }
});

test('a payment side that fails to note a delivery does not end Bursar', async () => {
  const hook: PaymentHook = { ...payer().hook, onAnswer: async (_call, _answer, io) => ({ text: (await io.retry({ meta: { 'x402/payment': '{}' } })).text, delivered: () => { throw new Error('defect'); } }) };
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  for (const id of [1, 2]) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"paid"}}`);
    expect(JSON.parse(await client.next())).toMatchObject({ id, result: { content: [{ text: 'goods' }] } });
  }
  await eventually(() => app?.logged.filter(({ message }) => message.includes('note a delivery')).length).toBe(2);
});

test('a retry that HTTP refuses rejects, and its refusal does not end the call before the payment side has decided', async () => {
  const hook: PaymentHook = {
    looksPaid: () => true,
    async onAnswer(call, _answer, io) {
      await expect(io.retry({ meta: { paid: 'true' } })).rejects.toMatchObject({ code: 'UPSTREAM_REFUSED', context: { status: '404' } });
      return { text: `{"jsonrpc":"2.0","id":1,"result":{"decided":${JSON.stringify(call.tool)}}}`, delivered: () => undefined };
    },
  };
  app = await startApp({ upstreams: await upstreams(), hook });
  if (http !== undefined) {
    http.intercept = (_request, body, response) => {
      if (!body.includes('"paid":true')) return false;
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      return true;
    };
  }
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}';
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const response = await fetch(app.url('http'), { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('{"decided":"echo"}');
});

test('an answer that the payment side lets pass is the server\'s own, byte for byte', async () => {
  app = await startApp({ upstreams: [rawStdio()], hook: { looksPaid: () => true, onAnswer: () => Promise.resolve(undefined) } });
  const client = connect();
  const odd = '{"id":$ID , "jsonrpc":"2.0","result":{"n":12345678901234567890}}';
  client.send(JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'echo', arguments: { odd } } }));
  expect(await client.next()).toContain('"received"');
});

test('a challenge within a batch is paid, and the rest of the batch stays as it was', async () => {
  const { hook, delivered } = payer();
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"paid"}}]');
  expect(JSON.parse(await client.next())).toMatchObject([{ id: 1, result: { batched: true } }, { id: 2, result: { content: [{ text: 'goods' }] } }]);
  await eventually(() => delivered).toEqual([true]);
});

test('a server that dies under a paid retry rejects it, so that the payment side knows', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const hook: PaymentHook = {
    looksPaid: payer().hook.looksPaid,
    async onAnswer(_call, _answer, io) {
      const error = await io.retry({ arguments: {}, meta: {} }).catch((reason: unknown) => reason);
      resolve(error);
      throw error;
    },
  };
  app = await startApp({ upstreams: await upstreams(), hook: { ...hook, looksPaid: () => true } });
  const client = connect('http');
  let posts = 0;
  if (http !== undefined) {
    http.intercept = (_request, _body, response) => {
      if (++posts < 2) return false;
      response.destroy();
      return true;
    };
  }
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  expect(await promise).toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_UNREACHABLE' } } });
  expect(posts).toBe(2);
});

test('a server that ended while the owner decided is started again for the paid retry', async () => {
  const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
  const { hook, calls, delivered } = payer(() => decided);
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
  await client.next();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  await eventually(() => calls.length).toBe(1);
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"crash"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { data: { code: 'UPSTREAM_EXITED' } } });
  decide();
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { content: [{ text: 'goods' }] } });
  await eventually(() => delivered).toEqual([true]);
});

test('a stdio server that ends under a paid retry rejects it', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  let sent = false;
  const hook: PaymentHook = {
    looksPaid: (_scan, text) => text.includes('x402Version'),
    async onAnswer(_call, _answer, io) {
      const retry = io.retry({ meta: { hold: '1' } });
      sent = true;
      resolve(await retry.catch((reason: unknown) => reason));
      throw new BursarError('PAYMENT_OUTCOME_UNKNOWN', 'The server "raw" ended.');
    },
  };
  app = await startApp({ upstreams: [rawStdio()], hook });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  await eventually(() => sent).toBe(true);
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"crash"}}');
  expect(await promise).toMatchObject({ code: 'UPSTREAM_EXITED', context: { upstream: 'raw' } });
});

test('a client that is expelled cuts off its own signed payment, takes the answer, or is not told why', async () => {
  const signed = Promise.withResolvers<void>();
  const settled: string[] = [];
  const { hook, delivered } = payer(() => signed.promise);
  const held: PaymentHook = {
    ...hook,
    async onAnswer(call, answer, io) {
      if (!call.argumentsText.includes('hold')) return hook.onAnswer(call, answer, io);
      void io.retry({ meta: { hold: '1' } }).then(() => settled.push('answered'), () => settled.push('rejected'));
      return new Promise(() => undefined);
    },
  };
  app = await startApp({ upstreams: [rawStdio()], hook: held, limits: { drainMs: 5_000 } });
  const client = connect();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}');
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"paid","arguments":{"hold":1}}}');
  client.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}');
  client.send('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 4 });
  app.bridge.endClients((name) => name === 'tester', new BursarError('FORBIDDEN', 'The owner ended it.'));
  const told = [await client.next(), await client.next(), await client.next()].map((line) => JSON.parse(line) as { id: number; error?: { message: string } });
  expect(new Set(told.map(({ id }) => id))).toEqual(new Set([1, 2, 3]));
  for (const { error } of told) expect(error?.message).toContain('The owner ended it.');
  signed.resolve();
  await eventually(() => delivered).toEqual([false]);
  expect(settled).toEqual([]);
});

test('a retry that the payment side aborts is cancelled at the server', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const hook: PaymentHook = {
    looksPaid: () => true,
    async onAnswer(_call, _answer, io) {
      const stop = new AbortController();
      const retry = io.retry({ meta: { again: 'true' } }, { signal: stop.signal });
      stop.abort(new Error('enough'));
      resolve(await retry.catch((reason: unknown) => reason));
      return undefined;
    },
  };
  app = await startApp({ upstreams: await upstreams(), hook });
  const client = connect('http');
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(await promise).toMatchObject({ message: 'enough' });
  await eventually(() => http?.seen.map(({ body }) => body).find((body) => body.includes('notifications/cancelled'))).toMatch(/"requestId":"bursar-/);
});

test('an HTTP 402 on the call itself reaches the payment side with its headers, and the retry carries the payment\'s', async () => {
  const hook: PaymentHook = {
    looksPaid: () => false,
    onAnswer: () => Promise.resolve(undefined),
    async onHttpPaymentRequired(call, refusal, io) {
      expect(call.tool).toBe('echo');
      expect(refusal).toMatchObject({ status: 402, body: '{"x402Version":2}' });
      return { text: (await io.retry({ headers: { 'payment-signature': refusal.headers['payment-required']?.[0] ?? '' } })).text, delivered: () => undefined };
    },
  };
  app = await startApp({ upstreams: await upstreams(), hook });
  if (http !== undefined) {
    http.intercept = (request, _body, response) => {
      if (request.headers['payment-signature'] === 'terms') return false;
      response.writeHead(402, { 'payment-required': 'terms' }).end('{"x402Version":2}');
      return true;
    };
  }
  const client = connect('http');
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { content: [] } });
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 2, error: { data: { context: { upstream: 'http', status: '402' } } } });
});

test('a configured credential keeps the proof from the header in which the server wants it, or another request loses that credential', async () => {
  const hook: PaymentHook = {
    looksPaid: () => false,
    onAnswer: () => Promise.resolve(undefined),
    onHttpPaymentRequired: async (_call, _refusal, io) => ({ text: (await io.retry({ headers: { Authorization: 'Payment abc' } })).text, delivered: () => undefined }),
  };
  http = await startRawHttp();
  http.intercept = (request, body, response) => {
    if (!body.includes('tools/call') || request.headers.authorization === 'Payment abc') return false;
    response.writeHead(402, { 'www-authenticate': 'Payment id="x"' }).end();
    return true;
  };
  app = await startApp({ upstreams: [{ name: 'http', transport: { kind: 'http', url: http.url, headers: { authorization: 'Bearer own', 'x-upstream-key': 'k' } } }], hook });
  const client = connect('http');
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { content: [] } });
  client.send('{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  await client.next();
  expect(http.seen.filter(({ method }) => method === 'POST').map(({ headers }) => [headers.authorization, headers['x-upstream-key']])).toEqual([
    ['Bearer own', 'k'],
    ['Payment abc', 'k'],
    ['Bearer own', 'k'],
  ]);
});

// The scanner is what the payment side relies on; a challenge has to be found where it lies.
test('the places of a challenge are found in its text', () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":{"x402Version":2}}}';
  const [scan] = scanPayload(text).messages;
  const span = scan?.fields['result.structuredContent'];
  expect(span && textAt(text, span)).toBe('{"x402Version":2}');
});

test.each([
  ['no token', undefined, 'tester (unverified)'],
  ['the token of another client', 'another', 'other'],
  ['its own token', TOKEN, 'tester'],
])('a client behind the shim that brings %s is counted as the one that it calls itself (I3)', async (_what, token, counted) => {
  const { hook, calls } = payer();
  app = await startApp({ upstreams: await upstreams(), hook });
  const client = shimClient(app.home, 'raw', { ...process.env, ...(token !== undefined && { BURSAR_CLIENT_TOKEN: token }) });
  clients.push(client);
  client.send('{"jsonrpc":"2.0","params":{"name":"paid","arguments":{}},"method":"tools/call","id":"7"}');
  await client.next((line) => line.includes('goods'));
  expect(calls).toMatchObject([{ client: counted }]);
});

test('a client behind the shim that brings a made-up token is served as one without any', async () => {
  const { hook, calls } = payer();
  app = await startApp({ upstreams: await upstreams(), hook });
  const client = shimClient(app.home, 'raw', { ...process.env, BURSAR_CLIENT_TOKEN: 'guess' });
  clients.push(client);
  client.send('{"jsonrpc":"2.0","params":{"name":"paid","arguments":{}},"method":"tools/call","id":"7"}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: '7', error: { data: { code: 'UNAUTHORIZED' } } });
  expect(calls).toEqual([]);
});
