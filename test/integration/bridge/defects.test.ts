import { afterEach, expect, test } from 'vitest';
import { NO_PAYMENTS, rawStdio, shimClient, startApp, TOKEN, type LineClient, type TestApp, type TestAppOptions } from './fixtures/harness.ts';
import { eventually } from './fixtures/patience.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});
const start = async (options: TestAppOptions): Promise<TestApp> => {
  const app = await startApp(options);
  cleanups.push(() => app.close());
  return app;
};
const connect = (home: string, upstream: string): LineClient => {
  const client = shimClient(home, upstream);
  cleanups.push(() => client.close());
  return client;
};
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly data: { readonly code: string } };
}
const parse = (line: string): Answer => JSON.parse(line) as Answer;
const INITIALIZE = '{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
const PING = '{"jsonrpc":"2.0","id":3,"method":"ping"}';

// A defect that left one of these handlers would end this process: vitest fails the run for an uncaught exception.

test.each(['', 'raw'])('a batch within a batch, or a request with two ids that servers read differently, is refused by a parse error and nothing of it is done, by socket and HTTP (route "%s")', async (route) => {
  const app = await start({ upstreams: [rawStdio()] });
  const client = connect(app.home, route);
  for (const text of [nested(20_000), `[[${PING}]]`, `[[[${PING}]]]`, '{"jsonrpc":"2.0","id":4,"method":"ping","\\u0069d":5}']) {
    client.send(text);
    expect(parse(await client.next())).toMatchObject({ id: null, error: { code: -32700, data: { code: 'MESSAGE_MALFORMED' } } });
    const response = await fetch(`http://127.0.0.1:${app.port}/mcp${route === '' ? '' : `/${route}`}`, { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: text });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700, data: { code: 'MESSAGE_MALFORMED' } } });
  }
  client.send(INITIALIZE);
  expect(parse(await client.next())).toMatchObject({ id: 'i', result: {} });
});

test('a batch within a batch of a server is dropped, and the session goes on', async () => {
  const app = await start({ upstreams: [rawStdio()] });
  const client = connect(app.home, '');
  client.send(INITIALIZE);
  await client.next();
  client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  for (const [id, line] of [nested(3_000), `[[{"jsonrpc":"2.0","method":"notifications/message","params":{}}]]`].entries()) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"raw__any","_meta":{"replies":[${JSON.stringify(line)},"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$ID,\\"result\\":{\\"content\\":[]}}"]}}}`);
    expect(parse(await client.next())).toMatchObject({ id, result: { content: [] } });
  }
  await eventually(() => app.logged.filter(({ message }) => message.includes('not JSON')).length).toBe(2);
});

test('a defect under a message of a server ends that server with an error, and no other', async () => {
  let broken = true;
  const app = await start({
    upstreams: [rawStdio(), rawStdio('other')],
    hook: {
      ...NO_PAYMENTS,
      noteElicitation: () => {
        if (broken) throw new Error('a defect of the test');
      },
    },
  });
  const [client, other] = [connect(app.home, 'raw'), connect(app.home, 'other')];
  other.send(PING);
  await other.next();
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"method":"elicitation/create","params":{}}}}');
  expect(parse(await client.next())).toMatchObject({ id: 1, error: { data: { code: 'UPSTREAM_EXITED' } } });
  expect(app.logged.find(({ level }) => level === 'error')?.fields).toMatchObject({ upstream: 'raw', reason: 'a defect of the test' });
  broken = false;
  for (const each of [client, other]) {
    each.send(PING);
    expect(parse(await each.next())).toMatchObject({ id: 3, result: {} });
  }
});

test('a defect under a message of a client ends that connection with an error, and no other', async () => {
  const app = await start({
    upstreams: [rawStdio()],
    access: {
      admits: () => true,
      seen: () => {
        if (app.logged.every(({ level }) => level !== 'error')) throw new Error('a defect of the test');
      },
    },
  });
  const client = connect(app.home, 'raw');
  client.send(PING);
  expect(parse(await client.next())).toMatchObject({ error: {} });
  const next = connect(app.home, 'raw');
  next.send(PING);
  expect(parse(await next.next())).toMatchObject({ id: 3, result: {} });
});
