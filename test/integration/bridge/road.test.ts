import { afterEach, expect, test } from 'vitest';
import { rawStdio, shimClient, startApp, type TestApp } from './fixtures/harness.ts';

let app: TestApp | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
});

test('a call through shim and socket reaches a stdio server and comes back', async () => {
  app = await startApp({ upstreams: [rawStdio()] });
  const client = shimClient(app.home);
  client.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
  expect(JSON.parse(await client.next())).toMatchObject({ id: 1, result: { content: [] } });
  expect(await client.close()).toBe(0);
});
