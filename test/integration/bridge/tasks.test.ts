import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { stringAt, textAt } from '../../../src/main/bridge/json-text.ts';
import type { CallIo, HookAnswer, PaymentHook, ToolCall } from '../../../src/main/bridge/payment-hook.ts';
import type { BridgeLimits } from '../../../src/main/bridge/limits.ts';
import { answerTo } from './fixtures/tasks-modern.ts';
import { shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';

/** Challenges that sit in what a task came to: MCP 2025-11-25 (`tasks/result`, a server on SDK v1) and the Tasks extension of 2026-07-28 (`tasks/get`). */

const serverOf = (file: string) => ({ kind: 'stdio' as const, command: process.execPath, args: [fileURLToPath(new URL(`./fixtures/${file}.ts`, import.meta.url))] });
const UPSTREAMS = [{ name: 'tasks', transport: serverOf('tasks-v1') }, { name: 'modern', transport: serverOf('tasks-modern') }];

function payer(gate: (call: ToolCall, io: CallIo) => Promise<void> = () => Promise.resolve()) {
  const calls: ToolCall[] = [];
  const delivered: boolean[] = [];
  const hook: PaymentHook = {
    looksPaid: (scan, text) => textAt(text, scan.span).includes('x402Version') && stringAt(text, scan.fields['result.isError']) === undefined,
    async onAnswer(call, _answer, io): Promise<HookAnswer> {
      calls.push(call);
      await gate(call, io);
      const { text } = await io.retry({ meta: { 'x402/payment': '{"proof":1}' } });
      return { text, delivered: (written) => void delivered.push(written), paid: true };
    },
  };
  return { hook, calls, delivered };
}

let app: TestApp | undefined;
const clients: LineClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await app?.close();
  app = undefined;
});

interface Answer {
  readonly id?: unknown;
  readonly result?: Record<string, unknown> & { readonly task?: { readonly taskId: string; readonly status: string }; readonly _meta?: Record<string, { readonly taskId: string }> };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code: string } };
}
const RELATED = 'io.modelcontextprotocol/related-task';

async function connect(upstream: string, hook: PaymentHook, limits: Partial<BridgeLimits> = {}) {
  app ??= await startApp({ upstreams: UPSTREAMS, hook, limits });
  const client = shimClient(app.home, upstream);
  clients.push(client);
  if (upstream === 'tasks') {
    client.send('{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}');
    await client.next();
    client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  }
  const ask = async (id: unknown, method: string, params: object): Promise<Answer> => {
    client.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return JSON.parse(await client.next((line) => (JSON.parse(line) as Answer).id === id)) as Answer;
  };
  const begin = async (name: string, args: object = {}): Promise<string> => {
    const { result } = await ask(`call-${name}`, 'tools/call', { name, arguments: args, task: { ttl: 60_000 } });
    return result?.task?.taskId ?? '';
  };
  return { client, ask, begin };
}

test('a challenge in a task\'s result is paid as the call that began the task, and the goods come under the id and the task that the client asked for', async () => {
  const { hook, calls, delivered } = payer();
  const { ask, begin } = await connect('tasks', hook);
  const taskId = await begin('paid', { n: 1 });
  const { result, id } = await ask('7', 'tasks/result', { taskId, _meta: { progressToken: 'p' } });
  expect(id).toBe('7');
  expect(result).toMatchObject({ content: [{ text: 'goods' }], _meta: { [RELATED]: { taskId } } });
  expect(result?.['received']).toContain('"n":1');
  expect(calls).toMatchObject([{ client: 'tester', upstream: 'tasks', tool: 'paid', argumentsText: '{"n":1}', idText: '"7"', progressToken: '"p"' }]);
  expect(calls[0]?.requestText).toContain('"method":"tools/call"');
  await eventually(() => delivered).toEqual([true]);
});

test.each(['paid', 'paid-at-once'])('whoever asks again for the result of a task that was paid for buys nothing again, whether the paid call ran in a task or not: %s (I1)', async (tool) => {
  const { hook, calls } = payer();
  const { ask, begin } = await connect('tasks', hook);
  const taskId = await begin(tool);
  const first = await ask(1, 'tasks/result', { taskId });
  const second = await ask(2, 'tasks/result', { taskId });
  expect(second.result).toEqual(first.result);
  expect(calls.length).toBe(1);
  // Another connection of the same client knows the task as well.
  const again = await connect('tasks', hook);
  if (tool === 'paid-at-once') expect((await again.ask(3, 'tasks/get', { taskId })).error).toBeDefined();
  expect(calls.length).toBe(1);
});

test('a task that another client began is not paid for by whoever knows its id', async () => {
  const { hook, calls } = payer();
  const { begin } = await connect('tasks', hook);
  const taskId = await begin('paid');
  const other = shimClient(app?.home ?? '', 'tasks', { ...process.env, BURSAR_CLIENT_TOKEN: 'another' });
  clients.push(other);
  other.send(`{"jsonrpc":"2.0","id":1,"method":"tasks/result","params":{"taskId":"${taskId}"}}`);
  expect(JSON.parse(await other.next())).toHaveProperty('error');
  expect(calls).toEqual([]);
});

test('a client that takes back its request for the result while the owner decides pays nothing for an answer that nobody awaits', async () => {
  const { hook, calls, delivered } = payer((call) => new Promise((resolve) => call.signal.addEventListener('abort', () => resolve())));
  const { client, ask, begin } = await connect('tasks', hook);
  const taskId = await begin('paid');
  client.send(`{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"${taskId}"}}`);
  await eventually(() => calls.length).toBe(1);
  client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
  await eventually(() => calls[0]?.signal.aborted).toBe(true);
  await eventually(() => delivered).toEqual([false]);
  expect((await ask(6, 'ping', {})).result).toEqual({});
});

test('a client that cancels the task while the owner decides stops the payment, and its request for the result does not hang', async () => {
  const cancelled: HookAnswer = { text: '{"jsonrpc":"2.0","id":5,"result":{"isError":true,"content":[{"type":"text","text":"cancelled"}]}}', delivered: () => undefined };
  const calls: ToolCall[] = [];
  const hook: PaymentHook = {
    looksPaid: payer().hook.looksPaid,
    onAnswer: (call) => {
      calls.push(call);
      return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve(cancelled)));
    },
  };
  const { client, begin } = await connect('tasks', hook);
  const taskId = await begin('paid');
  client.send(`{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"${taskId}"}}`);
  await eventually(() => calls.length).toBe(1);
  client.send(`{"jsonrpc":"2.0","id":6,"method":"tasks/cancel","params":{"taskId":"${taskId}"}}`);
  const answers = [JSON.parse(await client.next()) as Answer, JSON.parse(await client.next()) as Answer];
  expect(answers.find(({ id }) => id === 5)?.result).toMatchObject({ content: [{ text: 'cancelled' }] });
  expect(answers.find(({ id }) => id === 6)).toBeDefined();
});

test('a server that crashes in the task of a paid call tells the payment side and the client, so that neither waits', async () => {
  const seen: unknown[] = [];
  const hook: PaymentHook = {
    looksPaid: payer().hook.looksPaid,
    async onAnswer(_call, _answer, io) {
      seen.push(await io.retry({ meta: { 'x402/payment': '{}' } }).catch((error: unknown) => error));
      throw seen[0];
    },
  };
  const { ask, begin } = await connect('tasks', hook);
  const taskId = await begin('crash-when-paid');
  const begun = performance.now();
  expect(await ask(1, 'tasks/result', { taskId })).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_EXITED' } } });
  expect(performance.now() - begun).toBeLessThan(1_000);
  expect(seen).toMatchObject([{ code: 'UPSTREAM_EXITED' }]);
});

test('a paid task that takes longer than a payment waits is told to the payment side as begun, and its client still gets the goods', async () => {
  const texts: string[] = [];
  const { hook, delivered } = payer();
  const slow: PaymentHook = {
    looksPaid: hook.looksPaid,
    async onAnswer(call, answer, io) {
      const given = await hook.onAnswer(call, answer, io);
      texts.push(given?.text ?? '');
      return given;
    },
  };
  const { ask, begin } = await connect('tasks', slow, { paidTaskMs: 100 });
  const taskId = await begin('slow-goods');
  expect((await ask(1, 'tasks/result', { taskId })).result).toMatchObject({ content: [{ text: 'goods' }], _meta: { [RELATED]: { taskId } } });
  expect(texts[0]).toContain('"status":"working"');
  await eventually(() => delivered).toEqual([true]);
  expect((await ask(2, 'tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed' });
});

const modernMeta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } };

test.each(['challenge', 'error'])('2026-07-28: a challenge in the %s of a finished task is paid, and the task is seen to come to the goods', async (unpaid) => {
  const { hook, calls, delivered } = payer();
  const { ask } = await connect('modern', hook);
  const begun = await ask(1, 'tools/call', { name: 'paid', arguments: { unpaid }, _meta: modernMeta });
  const taskId = String(begun.result?.['taskId']);
  expect((await ask(2, 'tasks/get', { taskId, _meta: modernMeta })).result).toMatchObject({ taskId, status: 'working' });
  const paid = await ask(3, 'tasks/get', { taskId, _meta: modernMeta });
  expect(paid.result).toMatchObject({ resultType: 'complete', taskId, status: 'completed', own: 12345, result: { content: [{ text: 'goods' }] } });
  expect(paid.result).not.toHaveProperty('error');
  expect(calls).toMatchObject([{ tool: 'paid', argumentsText: JSON.stringify({ unpaid }) }]);
  await eventually(() => delivered).toEqual([true]);
  expect((await ask(4, 'tasks/get', { taskId, _meta: modernMeta })).result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'goods' }] } });
  expect(calls.length).toBe(1);
});

test('2026-07-28: a paid task that asks its client something first is handed on, under the name that the client knows', async () => {
  const { hook, calls, delivered } = payer();
  const { ask } = await connect('modern', hook);
  const taskId = String((await ask(1, 'tools/call', { name: 'paid', arguments: { paid: 'asks' }, _meta: modernMeta })).result?.['taskId']);
  await ask(2, 'tasks/get', { taskId, _meta: modernMeta });
  expect((await ask(3, 'tasks/get', { taskId, _meta: modernMeta })).result).toMatchObject({ taskId, status: 'input_required', inputRequests: { name: {} } });
  await eventually(() => delivered).toEqual([true]);
  await ask(4, 'tasks/update', { taskId, inputResponses: { name: { action: 'accept' } }, _meta: modernMeta });
  expect((await ask(5, 'tasks/get', { taskId, _meta: modernMeta })).result).toMatchObject({ taskId, status: 'completed', result: { content: [{ text: 'goods' }], said: { name: { action: 'accept' } } } });
  expect(calls.length).toBe(1);
});

test('2026-07-28 over HTTP: every request about a task names in its headers the task that it is about, or a server refuses it', async () => {
  const { hook } = payer();
  const seen: { readonly method: unknown; readonly name: unknown; readonly body: { readonly method: string; readonly params: { readonly name?: string; readonly taskId?: string } } }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await textOf(request);
      seen.push({ method: request.headers['mcp-method'], name: request.headers['mcp-name'], body: JSON.parse(body) as never });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    app = await startApp({ upstreams: [{ name: 'modern', transport: { kind: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }], hook });
    let id = 0;
    const ask = async (method: string, params: object, name: string): Promise<Answer> => {
      const response = await fetch(app?.url('modern') ?? '', {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name },
        body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: modernMeta } }),
      });
      const body = await response.text();
      return JSON.parse(body.startsWith('{') ? body : (/^data: ?(.*)$/m.exec(body)?.[1] ?? '')) as Answer;
    };
    const taskId = String((await ask('tools/call', { name: 'paid', arguments: { paid: 'asks' } }, 'paid')).result?.['taskId']);
    await ask('tasks/get', { taskId }, taskId);
    expect((await ask('tasks/get', { taskId }, taskId)).result).toMatchObject({ taskId, status: 'input_required' });
    await ask('tasks/update', { taskId, inputResponses: {} }, taskId);
    expect((await ask('tasks/get', { taskId }, taskId)).result).toMatchObject({ taskId, status: 'completed' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  expect(seen.length).toBeGreaterThan(6);
  for (const { method, name, body } of seen) expect([method, name]).toEqual([body.method, body.params.taskId ?? body.params.name]);
});
