import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startApp } from '../support/app-process.ts';

const ends: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

test('play money that cannot be had at the start ends the application, as if real money were lost', async () => {
  const server = createServer((_request, response) => response.destroy());
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'bursar-no-faucet-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const ready = join(folder, 'ready.json');
  writeFileSync(
    ready,
    JSON.stringify({
      evm: { network: 'eip155:84532', rpcUrl: url },
      solana: { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', rpcUrl: url },
      facilitatorUrl: url,
      seller: { mcpUrl: `${url}/mcp`, apiUrl: url, devSecret: 'secret' },
      card: { url, publishableKey: 'pk_test_1' },
      controlUrl: url,
      controlToken: 'token',
    }),
  );
  const app = await startApp({ home: join(folder, 'home'), env: { BURSAR_SANDBOX: ready } });
  ends.push(() => app.stop());
  const answer = await fetch(app.mcp.replace(/\/mcp.*/, '/mcp'), { method: 'POST', headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  expect(answer.status).toBeLessThan(500);
});
