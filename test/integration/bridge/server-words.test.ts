import { afterEach, expect, test } from 'vitest';
import { createToolFacts } from '../../../src/core/challenges/tool-facts.ts';
import type { PaidCall } from '../../../src/core/payments/call.ts';
import type { Payments } from '../../../src/core/payments/pay.ts';
import { createInterceptor } from '../../../src/main/bridge/interceptor.ts';
import { createServerWords } from '../../../src/main/bridge/server-words.ts';
import { rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp } from './fixtures/harness.ts';

const EVM = '0x209693bc6afc0c5328ba36faf03c514ef312287c';

let app: TestApp | undefined;
const clients: LineClient[] = [];
afterEach(async () => {
  await app?.close();
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** The real interceptor before a payment core that pays nothing and keeps what it was told. */
async function start() {
  const calls: PaidCall[] = [];
  const controls: unknown[] = [];
  /** Where the address had been seen by the time of each call. */
  const seen: string[] = [];
  const payments: Pick<Payments, 'onAnswer'> = {
    async onAnswer(call) {
      calls.push(call);
      seen.push(call.seenIn(EVM));
      return { kind: 'pass' };
    },
  };
  const hook = createInterceptor({ payments, words: createServerWords(() => 0), facts: createToolFacts({ now: () => 0, changed: () => {} }), showsCosts: () => true });
  const asked = { ...hook, looksPaid: (_scan: unknown, text: string) => text.includes('x402Version') };
  app = await startApp({ upstreams: [rawStdio(), rawStdio('web')], hook: asked, onControl: (connection) => (controls.push(connection), connection.close()) });
  const connect = (upstream: string) => {
    const client = shimClient(app!.home, upstream);
    clients.push(client);
    return async (line: string) => {
      client.send(line);
      return client.next();
    };
  };
  return { calls, seen, controls, connect };
}

const call = (name: string, args: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

test('an address from a result or a description is not known when the same client pays, even another server', async () => {
  const { calls, connect } = await start();
  const [web, raw] = [connect('web'), connect('raw')];
  await web(call('search', { echoed: EVM }));
  await web(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { echoed: 'https://pay.example/x' } }));
  await web(JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'ping', params: { echoed: 'https://ping.example/x' } }));
  await raw(call('paid', {}));
  const [paid] = calls;
  expect(paid?.seenIn(EVM)).toBe('a result of tool "search" of server "web"');
  expect(paid?.seenIn('https://pay.example/x')).toBe('a tool description of server "web"');
  expect(paid?.seenIn('https://ping.example/x')).toBe('');
  expect(paid?.session).toMatch(/./);
});

test('an address of the challenge itself counts as one that a server brought up', async () => {
  const { seen, connect } = await start();
  const raw = connect('raw');
  const challenge = call('echo', { payTo: EVM, x402Version: 2 });
  await raw(challenge);
  // The core found nothing to pay in it, so the agent read it as any other result.
  await raw(challenge);
  expect(seen).toEqual(['', 'a result of tool "echo" of server "raw"']);
});

test('I7: an agent reaches the owner\'s requests through its own connection, over the socket or over HTTP', async () => {
  const { controls, connect } = await start();
  const raw = connect('raw');
  for (const route of ['policy.set', 'policy.pause', 'policy.resume', 'approvals.decide']) {
    // A method that Bursar does not know is the server's matter: it goes there untouched, and the answer is the server's.
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: route, params: { basedOn: 1, policy: {} } });
    expect(JSON.parse(await raw(line))).toEqual({ jsonrpc: '2.0', id: 1, result: { received: line } });
    const frame = JSON.stringify({ id: 0, route, input: {} });
    clients[0]!.send(frame); // the form of the owner's own socket: no message of MCP, so nobody answers it
    for (const path of [route, 'raw/control', '../control', 'policy']) {
      const response = await fetch(`http://127.0.0.1:${app!.port}/mcp/${path}`, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }, body: frame });
      expect(response.status).toBe(404);
    }
  }
  expect(controls).toEqual([]);
});
