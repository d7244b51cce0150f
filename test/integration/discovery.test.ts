import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { openApprovalSocket } from '../support/approval-socket.ts';
import { entry, startBazaar, type BazaarServer } from '../support/bazaar-server.ts';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { offer, PAYEE } from '../support/payment-world.ts';
import { sandboxEnv } from '../support/sandbox-env.ts';

/** The whole application: what a Bazaar lists becomes a tool of the agents, and what is paid for it is seen on the chain. */

const NETWORK = 'eip155:84532';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let contract: OwnerContract;
let bazaar: BazaarServer;
let shop: { readonly url: string; readonly host: string; amount: string; asked: string[]; close(): void };
/** What the shop answers once it is paid. */
let served: (request: IncomingMessage, response: ServerResponse) => void;
const open: (() => Promise<void> | void)[] = [];

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** An SDK client, which refuses results that do not fit a tool's output schema. Counts what it is told of. */
async function connect(token = app.token): Promise<{ call: (name: string, args?: Record<string, unknown>) => Promise<Result>; names: () => Promise<string[]>; tool: (name: string) => Promise<{ description?: string | undefined; inputSchema: unknown } | undefined>; told: () => number; close: () => Promise<void> }> {
  let told = 0;
  const client = new Client({ name: 'test', version: '1' });
  client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
  await client.connect(new StreamableHTTPClientTransport(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  await client.listTools();
  const list = async () => (await client.listTools({}, { cacheMode: 'refresh' } as object)).tools;
  open.push(() => client.close());
  return {
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as unknown as Result,
    names: async () => (await list()).map(({ name }) => name),
    tool: async (name) => (await list()).find((tool) => tool.name === name),
    told: () => told,
    close: () => client.close(),
  };
}

const text = ({ content }: Result): string => content[0]?.text ?? '';
const received = () => sandbox.balance(NETWORK, sandbox.seller.payTo.evm);
const rows = async () => (await contract.request('payments.list', {})).payments;

async function approve(url: string, group = 'default') {
  await contract.request('discovery.search', { refresh: 'all' });
  const { listings } = await contract.request('discovery.listing', { url });
  const { source, method, digest } = listings[0]!;
  return contract.request('discovery.approve', { source, url, method, digest, group });
}

/** A shop that believes what it is given: what it is paid is not the question here. */
async function startShop(): Promise<typeof shop> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      if (request.headers['payment-signature'] !== undefined) return served(request, response);
      return response.writeHead(402, { 'payment-required': base64({ x402Version: 2, error: 'Payment required', resource: { url: `http://shop${request.url}` }, accepts: [offer(started.amount)] }) }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const started = { url: `http://${host}`, host, amount: '10000', asked, close: () => (server.closeAllConnections(), void server.close()) };
  return started;
}

beforeAll(async () => {
  sandbox = await startSandbox();
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());

beforeEach(async () => {
  [bazaar, shop, app] = await Promise.all([startBazaar(), startShop(), startApp({ env })]);
  served = (_request, response) => response.writeHead(200, { 'content-type': 'application/json', 'payment-response': base64({ success: true, transaction: '0xfeed', network: NETWORK }) }).end('{\n  "n": 1\n}');
  contract = await ownerContract(app.home);
  await allowEverything(contract);
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', { basedOn: number, policy: { ...policy, paying: { openHosts: [bazaar.host, shop.host] } } });
  await contract.request('discovery.setSources', { urls: [sandbox.seller.apiUrl, bazaar.url] });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  contract.close();
  await app.stop();
  shop.close();
  await bazaar.close();
});

test('I1: an approved endpoint is no tool, is paid twice, or its answer is not what was sold', async () => {
  const agent = await connect();
  const { listings } = await contract.request('discovery.search', { query: 'sun times', refresh: 'all' });
  expect(listings[0]).toMatchObject({ method: 'GET', name: 'Bursar demo seller', approvedFor: [], schemaProblem: '' });
  expect(listings[0]?.prices[0]).toMatchObject({ payable: true, money: { units: '10000' } });

  const url = `${sandbox.seller.apiUrl}/x402-v2/sun_times`;
  expect(await approve(url)).toMatchObject({ tool: 'sun_times', group: 'default', url });
  await expect.poll(() => agent.told()).toBeGreaterThan(0);
  const tool = await agent.tool('sun_times');
  expect(tool?.description).toMatch(/ \(Cost: 0\.01 USDC\)$/);
  expect(tool?.inputSchema).toMatchObject({ type: 'object', required: ['latitude', 'longitude', 'date'], properties: { latitude: { type: 'number', minimum: -90, maximum: 90 } } });

  const before = await received();
  const args = { latitude: 52.5, longitude: 13.4, date: '2026-06-21' };
  const bought = await agent.call('sun_times', args);
  expect(bought.isError).toBeFalsy();
  expect(bought.structuredContent).toMatchObject({ httpStatus: 200, bodyEncoding: 'json', body: { sunrise: expect.any(String) }, payment: { amount: '0.01', token: 'USDC', network: NETWORK } });
  expect(JSON.parse(text(bought))).toEqual(bought.structuredContent?.['body']);
  expect(await received()).toBe(before + 10_000n);
  await expect.poll(rows).toMatchObject([{ upstream: new URL(url).host, tool: 'GET /x402-v2/sun_times', status: 'delivered' }]);

  const history = await agent.call('x402_transaction_history');
  expect(history.structuredContent).toMatchObject({ status: 'success', count: 1, transactions: [{ amount: '10000', network: NETWORK, method: 'GET', url: expect.stringContaining('sun_times?') }] });
  const wrong = await agent.call('sun_times', { ...args, latitude: 'north' });
  expect(wrong.isError).toBe(true);
  expect(text(wrong)).toMatch(/latitude must be number.*Nothing was sent/);
  expect(await received()).toBe(before + 10_000n);
});

test('I7: what one client paid is shown to another, or one without a group has the tools of a group', async () => {
  bazaar.entries = [entry(`${shop.url}/v1/forecast`)];
  await approve(`${shop.url}/v1/forecast`, 'research');
  const { token } = JSON.parse(await runCli(['--home', app.home, 'client', 'add', 'scholar', '--json'])) as { token: string };
  await runCli(['--home', app.home, 'discover', 'group', 'scholar', 'research', '--json']);
  const [scholar, other] = [await connect(token), await connect()];
  expect(await scholar.names()).toContain('forecast');
  expect(await other.names()).not.toContain('forecast');
  await expect(other.call('forecast')).rejects.toThrow(/no tool "forecast"/);
  expect((await scholar.call('forecast')).isError).toBeFalsy();
  expect((await scholar.call('x402_transaction_history')).structuredContent).toMatchObject({ count: 1 });
  expect((await other.call('x402_transaction_history')).structuredContent).toMatchObject({ count: 0 });
});

test('a removed tool is gone for who has it, stays for who comes later, or outlives a removal at once', async () => {
  bazaar.entries = [entry(`${shop.url}/forecast`)];
  const { id } = await approve(`${shop.url}/forecast`);
  const early = await connect();
  expect(await early.names()).toContain('forecast');
  await contract.request('discovery.remove', { id });
  const late = await connect();
  expect(await late.names()).not.toContain('forecast');
  expect(await early.names()).toContain('forecast');
  expect(early.told()).toBe(0);
  expect((await early.call('forecast')).isError).toBeFalsy();

  await contract.request('discovery.remove', { id, now: true });
  await expect.poll(() => early.told()).toBeGreaterThan(0);
  expect(await early.names()).not.toContain('forecast');
  await expect(early.call('forecast')).rejects.toThrow(/no tool "forecast"/);

  // Its name is nobody else's.
  bazaar.entries = [entry(`${shop.url}/v2/forecast`), entry(`${shop.url}/forecast`)];
  expect((await approve(`${shop.url}/v2/forecast`)).tool).not.toBe('forecast');
  expect(await approve(`${shop.url}/forecast`)).toMatchObject({ id, tool: 'forecast' });
  await expect.poll(() => early.names()).toContain('forecast');
});

test('I2: an endpoint that asks for more than was approved is paid without the owner', async () => {
  const owner = await openApprovalSocket(app.dashboard);
  open.push(() => owner.close());
  bazaar.entries = [entry(`${shop.url}/forecast`)];
  await approve(`${shop.url}/forecast`);
  const agent = await connect();
  shop.amount = '9000';
  expect((await agent.call('forecast')).structuredContent).toMatchObject({ payment: { amount: '0.009' } });
  shop.amount = '10001';
  const asked = agent.call('forecast', { again: 1 });
  expect(await owner.decide('reject')).toMatchObject({ rule: expect.stringContaining('approved at 0.01 USDC, and now asks for 0.010001 USDC') });
  expect(await asked).toMatchObject({ isError: true });
  expect((await rows()).map(({ columns }) => columns.service)).toEqual(['refused', 'delivered']);
});

test('I1: a slow owner: the agent is not told to come back, or the same call again pays twice or never', async () => {
  await app.stop();
  contract.close();
  const path = join(app.home, 'config.json');
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), clients: { default: { answerWithinSeconds: 1 } } }));
  app = await startApp({ env, home: app.home });
  contract = await ownerContract(app.home);
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', { basedOn: number, policy: { ...policy, otherwise: 'ask' } });
  const owner = await openApprovalSocket(app.dashboard);
  open.push(() => owner.close());
  const url = `${sandbox.seller.apiUrl}/x402-v2/moon_phase`;
  await approve(url);
  const agent = await connect();
  const before = await received();
  const args = { date: '2026-06-21' };
  const pending = await agent.call('moon_phase', args);
  expect(text(pending)).toMatch(/^payment_pending: .*call the same tool again with the same arguments/);
  const { paymentId = '' } = (pending._meta?.['bursar/payment'] ?? {}) as { paymentId?: string };
  expect((await agent.call('payment_status', { paymentId })).structuredContent).toMatchObject({ status: 'waiting', resumable: false, next: expect.stringContaining('Call the same tool again') });
  // The same request by another tool is the same purchase.
  const again = JSON.parse(text(await agent.call('x402_pay', { url: `${url}?date=2026-06-21` }))) as object;
  expect(again).toMatchObject({ error: 'PAYMENT_PENDING', status: 'payment_pending', paymentId });
  await owner.decide('approve');
  await expect.poll(async () => (await agent.call('payment_status', { paymentId })).structuredContent?.['status']).toBe('approved');
  expect(await received()).toBe(before);
  expect((await agent.call('moon_phase', args)).structuredContent).toMatchObject({ httpStatus: 200, payment: { paymentId } });
  await expect.poll(received).toBe(before + 10_000n);
  expect(await rows()).toHaveLength(1);
});

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['is gone', (response) => response.writeHead(404).end('nope'), /^Endpoint not available\. Service may be down or removed\./],
  ['takes no such method', (response) => response.writeHead(405).end(), /^Endpoint not available\. Service may be down or removed\./],
  ['tells of a session key', (response) => response.writeHead(500).end('{"error":"AA24 signature error"}'), /^Payment failed due to invalid session key\. Rotate the session key and retry\./],
  ['cannot be decompressed', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'), /^Remote endpoint error\. Retry later or use different endpoint\./],
])('an endpoint that %s tells the agent nothing that it can act on', async (_what, answer, words) => {
  bazaar.entries = [entry(`${shop.url}/forecast`)];
  await approve(`${shop.url}/forecast`);
  served = (_request, response) => answer(response);
  const told = await (await connect()).call('forecast');
  expect(told.isError).toBe(true);
  expect(text(told)).toMatch(words);
});

test('x402_pay pays another form than it was asked in, pays above maxAmount, or x402_estimate_cost pays', async () => {
  const owner = await openApprovalSocket(app.dashboard);
  open.push(() => owner.close());
  const agent = await connect();
  const before = await received();
  for (const [index, form] of ['x402-v2', 'x402-v2-body', 'x402-v1', 'x402-x-names', 'x402-split', 'mpp'].entries()) {
    const url = `${sandbox.seller.apiUrl}/${form}/sun_times?latitude=1&longitude=${index}&date=2026-06-21`;
    const cost = await agent.call('x402_estimate_cost', { url });
    expect(cost.structuredContent, form).toMatchObject({ status: 'success', paymentRequired: true, options: expect.arrayContaining([expect.objectContaining({ amount: '10000', price: '0.01 USDC' })]) });
    const dear = await agent.call('x402_pay', { url, maxAmount: '9999' });
    expect(JSON.parse(text(dear)), form).toMatchObject({ error: 'AMOUNT_EXCEEDS_MAX', message: expect.any(String) });
    expect(await received(), form).toBe(before + 10_000n * BigInt(index));
    const paying = agent.call('x402_pay', { url, maxAmount: '10000', passphrase: 'hunter2' });
    // What Bursar settles before the retry always asks: the money is gone whatever the seller then does.
    if (form === 'x402-split') await owner.decide('approve');
    const bought = await paying;
    expect(bought.structuredContent, `${form} ${text(bought)}`).toMatchObject({ status: 'success', paymentRequired: true, httpStatus: 200, amountPaid: '10000' });
    await expect.poll(received, { message: form }).toBe(before + 10_000n * BigInt(index + 1));
  }
  const free = await agent.call('x402_pay', { url: `${sandbox.seller.apiUrl}/` });
  expect(free.structuredContent).toMatchObject({ paymentRequired: false, httpStatus: 200 });
  const refused = await agent.call('x402_pay', { url: 'http://10.0.0.1/' });
  expect(JSON.parse(text(refused))).toMatchObject({ error: 'PAY_FAILED', code: 'ADDRESS_FORBIDDEN' });
  const balance = await agent.call('x402_check_balance', { tokenMint: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' });
  expect(balance.structuredContent).toMatchObject({ status: 'success', balances: [{ network: NETWORK, token: 'USDC', stale: false }] });
  const found = await agent.call('x402_discover_services', { query: 'moon' });
  expect(found.structuredContent).toMatchObject({ status: 'success', results: [{ registry: sandbox.seller.apiUrl, services: expect.arrayContaining([expect.objectContaining({ method: 'GET' })]) }] });
  const foreign = await agent.call('x402_discover_services', { query: 'moon', registry: 'https://evil.example' });
  expect(JSON.parse(text(foreign))).toMatchObject({ error: 'DISCOVER_FAILED' });
});

test('I2: an address out of a Bazaar that no owner approved is paid without asking', async () => {
  const owner = await openApprovalSocket(app.dashboard);
  open.push(() => owner.close());
  bazaar.entries = [entry(`${shop.url}/tip`, { description: 'Tips.' })];
  await contract.request('discovery.search', { refresh: 'all' });
  const agent = await connect();
  expect(text(await agent.call('x402_discover_services', { query: 'tips' }))).toContain(PAYEE);
  const asked = agent.call('x402_pay', { url: `${shop.url}/tip` });
  expect(await owner.decide('reject')).toMatchObject({ rule: expect.stringContaining('x402_discover_services') });
  expect(JSON.parse(text(await asked))).toMatchObject({ error: 'PAY_FAILED', code: 'APPROVAL_REJECTED' });
});

test('I6: a secret that the agent gives stands in the journal', async () => {
  const agent = await connect();
  await agent.call('x402_pay', { url: `${shop.url}/secret`, headers: { Authorization: 'Bearer s3cr3t-of-the-agent' }, passphrase: 'p4ss-of-the-agent' });
  const [payment] = await rows();
  const evidence = JSON.stringify(await contract.request('payments.dispute', { paymentId: payment!.id }));
  expect(evidence).toContain('/secret');
  expect(evidence).not.toMatch(/s3cr3t|p4ss/);
});

test('the command line finds, approves and removes otherwise than the dashboard', async () => {
  bazaar.entries = [entry(`${shop.url}/data/price-data`, { description: 'Prices of coins\u202e' })];
  const bursar = async (...words: string[]) => JSON.parse(await runCli(['--home', app.home, 'discover', ...words, '--json'])) as Record<string, never>;
  const found = await bursar('search', 'prices', 'of', 'coins', '--refresh');
  expect(found).toMatchObject({ listings: [{ url: `${shop.url}/data/price-data`, description: 'Prices of coins' }], more: false });
  const url = `${shop.url}/data/price-data`;
  expect(await bursar('approve', url)).toMatchObject({ url, digest: expect.any(String) });
  expect(await bursar('approved')).toMatchObject({ approved: [], groups: [{ name: 'default' }] });
  expect(await bursar('approve', url, '--yes')).toMatchObject({ tool: 'price_data' });
  expect(await bursar('remove', 'price_data', '--now')).toMatchObject({ tool: 'price_data', removedNow: true });
  await bazaar.close();
  const offline = await bursar('search', 'coins', '--refresh');
  expect(offline).toMatchObject({ listings: [{ url }], sources: expect.arrayContaining([expect.objectContaining({ url: bazaar.url, entries: 1, problem: expect.stringContaining('could not be reached'), fetchedAt: expect.any(Number) })]) });
});
