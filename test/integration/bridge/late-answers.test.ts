import { afterEach, expect, test } from 'vitest';
import type { PaymentHook } from '../../../src/main/bridge/payment-hook.ts';
import { rawStdio, shimClient, startApp, type LineClient, type TestApp } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';
import { startRawHttp, type RawHttpServer } from './fixtures/raw-http.ts';

let app: TestApp | undefined;
let http: RawHttpServer | undefined;
let client: LineClient | undefined;
afterEach(async () => {
  await client?.close();
  await app?.close();
  await http?.close();
});

async function connect(upstream: string, hook: PaymentHook): Promise<LineClient> {
  http = await startRawHttp();
  app = await startApp({ upstreams: [rawStdio(), { name: 'http', transport: { kind: 'http', url: http.url } }], hook });
  client = shimClient(app.home, upstream);
  return client;
}

/** Pays by a call of the `replies` tool, which answers under the retry's id with whatever lines the test wants. */
const payingBy = (replies: readonly string[], abort = false): PaymentHook => ({
  looksPaid: (_scan, text) => text.includes('x402Version'),
  async onAnswer(_call, _answer, io) {
    const stop = new AbortController();
    const retry = io.retry({ meta: { replies: JSON.stringify(replies) } }, { signal: stop.signal });
    if (!abort) return { text: (await retry).text, delivered: () => undefined };
    stop.abort(new Error('enough'));
    await retry.catch(() => undefined);
    return { text: '{"jsonrpc":"2.0","id":1,"result":{"given":"up"}}', delivered: () => undefined };
  },
});

const PAID = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"paid"}}';
const GOODS = '{"jsonrpc":"2.0","id":$ID,"result":{"goods":1}}';
/** Whatever the server said before this is answered has been dealt with. */
const fence = async (line: LineClient): Promise<void> => {
  line.send('{"jsonrpc":"2.0","id":"fence","method":"tools/call","params":{"name":"echo"}}');
  await line.next((text) => text.includes('"id":"fence"'));
};

test.each(['raw', 'http'])('an answer to a retry that comes twice reaches the client once, under the call\'s id (%s)', async (upstream) => {
  const line = await connect(upstream, payingBy([GOODS, GOODS]));
  line.send(PAID);
  expect(JSON.parse(await line.next())).toMatchObject({ id: 1, result: { goods: 1 } });
  await fence(line);
  expect(line.lines).toEqual([]);
});

test.each(['raw', 'http'])('an answer to a retry that was given up does not reach the client (%s)', async (upstream) => {
  const line = await connect(upstream, payingBy([GOODS], true));
  line.send(PAID);
  expect(JSON.parse(await line.next())).toEqual({ jsonrpc: '2.0', id: 1, result: { given: 'up' } });
  if (upstream === 'http') await eventually(() => http?.seen.filter(({ body }) => body.includes('replies')).length).toBe(1);
  await fence(line);
  expect(line.lines.filter((text) => text.includes('goods'))).toEqual([]);
});

test.each(['raw', 'http'])('a batch that holds the answer to a retry passes on its other messages and hides the retry (%s)', async (upstream) => {
  const notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":12345678901234567890}}';
  const line = await connect(upstream, payingBy([`[${GOODS},${notice}]`, `[${notice},${GOODS}]`]));
  line.send(PAID);
  const lines = [await line.next(), await line.next(), await line.next()];
  expect(lines.filter((text) => text === notice)).toHaveLength(2);
  expect(JSON.parse(lines.find((text) => text !== notice) ?? '')).toMatchObject({ id: 1, result: { goods: 1 } });
  await fence(line);
  expect(line.lines).toEqual([]);
});

test.each(['raw', 'http'])('an answer that shares a batch with the answer to a retry reaches the client (%s)', async (upstream) => {
  const other = '{"jsonrpc":"2.0","id":"other","result":{"own":true}}';
  const line = await connect(upstream, payingBy([`[${other},${GOODS}]`]));
  line.send('{"jsonrpc":"2.0","id":"other","method":"tools/call","params":{"name":"wait"}}');
  await eventually(() => app?.bridge.sessions()[0]?.openRequests).toBe(1);
  line.send(PAID);
  const lines = [await line.next(), await line.next()];
  expect(lines).toContain(other);
  expect(lines.filter((text) => text.includes('"goods":1') && text.includes('"id":1'))).toHaveLength(1);
});
