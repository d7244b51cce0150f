import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import { runCli, startApp } from '../support/app-process.ts';
import { httpAgent } from '../support/http-agent.ts';

/** The demo server, but that a call which brings a payment is never answered. */
async function neverAnswers(sellerUrl: string) {
  const paid = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      if (body.includes('x402/payment')) return paid.resolve();
      const answer = await fetch(sellerUrl, { method: request.method ?? 'POST', headers: headersOf(request), ...(body && { body }) });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, paid: paid.promise, close: () => (server.closeAllConnections(), server.close()) };
}
const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' && !['host', 'connection', 'content-length', 'accept-encoding'].includes(name) ? [[name, value]] : [])));

test.each(['still waits', 'is gone'])('told to stop while a paid call runs whose client %s, it waits for the server as long as that likes, or loses the payment (I1)', async (client) => {
  const app = await startApp();
  const { seller } = JSON.parse(readFileSync(join(app.home, 'sandbox', 'ready.json'), 'utf8')) as { seller: { mcpUrl: string } };
  const slow = await neverAnswers(seller.mcpUrl);
  try {
    const cli = (words: string[], input = '') => runCli(['--home', app.home, ...words], { input });
    await cli(['upstream', 'add', 'slow', '--url', slow.url]);
    const policy = JSON.parse(await cli(['policy', 'show'])) as object;
    await cli(['policy', 'set', '-'], JSON.stringify({ ...policy, otherwise: 'allow' }));
    const gone = new AbortController();
    const agent = await httpAgent(app, 'slow', gone.signal);
    const call = agent.call('moon_phase', { date: '2026-01-01' }).catch((error: unknown) => error);
    await slow.paid;
    if (client === 'is gone') gone.abort();
    const begun = performance.now();
    await app.stop();
    expect(await app.exited).toBe(0);
    expect(performance.now() - begun).toBeLessThan(12_000);
    await call;
    const { payments } = JSON.parse(await cli(['history', '--json'])) as { payments: PaymentView[] };
    expect(payments).toMatchObject([{ upstream: 'slow', columns: { decision: 'approved', money: 'outstanding' } }]);
  } finally {
    slow.close();
    app.child.kill('SIGKILL');
    rmSync(app.home, { recursive: true, force: true });
  }
}, 180_000);
