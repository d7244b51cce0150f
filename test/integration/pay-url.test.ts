import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { entryOf, runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { offer, PAYEE } from '../support/payment-world.ts';

/** `bursar pay-url` with the running application, against an API that asks in the form of x402 v2 and believes what it is given. */

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const required = { x402Version: 2, error: 'Payment required', resource: { url: 'http://shop/data' }, accepts: [offer('10000')] };

let app: AppProcess;
let owner: OwnerContract;
const seen: { readonly path: string; readonly proof: boolean; readonly body: string }[] = [];
const shop = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const proof = request.headers['payment-signature'] !== undefined;
    seen.push({ path: `${request.method} ${request.url}`, proof, body });
    if (!proof) return response.writeHead(402, { 'payment-required': base64(required) }).end('{}');
    return response.writeHead(200, { 'payment-response': base64({ success: true, transaction: '0xfeed', network: 'eip155:84532' }) }).end(`bought with ${body}`);
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  app = await startApp();
  owner = await ownerContract(app.home);
  await allowEverything(owner);
});
afterAll(async () => {
  owner?.close();
  await app?.stop();
  shop.closeAllConnections();
  shop.close();
});

const host = () => `127.0.0.1:${(shop.address() as AddressInfo).port}`;
const payUrl = (...words: string[]) => runCli(['--home', app.home, '--network', 'sandbox', 'pay-url', `http://${host()}/data?q=1`, ...words]);

test('I7: the command line reaches this machine before the owner has opened the host', async () => {
  await expect(payUrl()).rejects.toThrow(/ADDRESS_FORBIDDEN/);
  expect(seen).toEqual([]);
});

test('the command does not pay, pays more than it may, or its payment is not in the history', async () => {
  const { number, policy } = await owner.request('policy.get', {});
  await owner.request('policy.set', { basedOn: number, policy: { ...policy, paying: { openHosts: [host()] } } });

  await expect(payUrl('--max', '0.0099')).rejects.toThrow(/at most 0\.0099 USDC.*\(BUDGET_EXCEEDED\)/);
  expect(seen.filter(({ proof }) => proof)).toEqual([]);

  expect(await payUrl('--data', 'tea', '--header', 'X-A=b', '--max', '0.01')).toBe('bought with tea');
  expect(seen.at(-1)).toEqual({ path: 'POST /data?q=1', proof: true, body: 'tea' });
  const { payments } = await owner.request('payments.list', { limit: 5 });
  expect(payments[0]).toMatchObject({ client: 'cli', upstream: host(), tool: 'POST /data', dialect: 'x402-http', payee: PAYEE, columns: { service: 'delivered' } });

  const spend = await owner.request('payments.spend', {});
  expect(spend.byUpstream).toContainEqual({ upstream: host(), todayUnits: '10000' });
  expect(spend.byUpstream.reduce((sum, { todayUnits }) => sum + BigInt(todayUnits), 0n)).toBe(BigInt(spend.todayUnits));

  expect(payments[1]).toMatchObject({ demanded: { money: { units: '10000' }, payee: PAYEE } });
  const { offers, challengeText } = await owner.request('payments.detail', { paymentId: payments[1]!.id });
  expect(challengeText).toContain(PAYEE);
  expect(offers).toMatchObject([{ taken: false, networkName: 'Base Sepolia', money: { units: '10000' }, why: expect.stringContaining('at most 0.0099 USDC') }]);
});

test('--json leaves out what was paid', async () => {
  const bought = JSON.parse(await payUrl('--data', 'more', '--json')) as object;
  expect(bought).toMatchObject({ status: 200, body: 'bought with more', encoding: 'utf8', payment: { upstream: host(), money: { units: '10000' } } });
});

test('the terminal names no paid API of the sandbox, or one that sells nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'bursar-ready-'));
  const child = spawn(process.execPath, [entryOf('cli.js'), 'serve', '--vault', '--port', '0', '--home', home], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  try {
    let said = '';
    for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      said += chunk;
      if (said.includes('Stop with Ctrl-C.')) break;
    }
    const [, url = ''] = /pay-url "([^"]+)"/.exec(said) ?? [];
    expect(said).toContain(`Paid API     ${new URL(url).origin}\n`);
    expect((await fetch(url)).status).toBe(402);
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
});
