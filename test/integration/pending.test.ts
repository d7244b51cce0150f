import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../support/approval-socket.ts';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { httpAgent, type HttpAgent, type ToolAnswer } from '../support/http-agent.ts';
import { sandboxEnv } from '../support/sandbox-env.ts';

/** The whole application with an owner who is slower than its clients: clients here give a call up after one second. */

const NETWORK = 'eip155:84532';
const call = { name: 'sun_times', arguments: { latitude: 52.5, longitude: 13.4, date: '2026-06-21' } };
const { name, arguments: args } = call;

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let owner: ApprovalSocket;
let contract: OwnerContract;
let agent: HttpAgent;

const received = () => sandbox.balance(NETWORK, sandbox.seller.payTo.evm);
const rows = async () => (await contract.request('payments.list', {})).payments;
function text(answer: ToolAnswer): string {
  const words = answer.result?.content[0]?.text;
  if (!words) throw new Error(`an answer without a text: ${JSON.stringify(answer)}`);
  return words;
}

async function open(home?: string): Promise<void> {
  app = await startApp({ env, ...(home !== undefined && { home }) });
  owner = await openApprovalSocket(app.dashboard);
  contract = await ownerContract(app.home);
  agent = await httpAgent(app);
}
async function close(): Promise<void> {
  owner.close();
  contract.close();
  await app.stop();
}
/** A fresh folder whose clients have a second. */
async function openImpatient(): Promise<void> {
  const fresh = await startApp({ env });
  await fresh.stop();
  const path = join(fresh.home, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, clients: { default: { answerWithinSeconds: 1 } } }));
  await open(fresh.home);
}

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
afterEach(close);

async function sentAway(): Promise<string> {
  const notice = await agent.call(name, args);
  const payment = notice.result?._meta?.['bursar/payment'] as { paymentId: string } | undefined;
  expect(payment).toEqual({ status: 'payment_pending', paymentId: expect.stringMatching(/^pay_/), expiresAt: expect.stringMatching(/Z$/) });
  expect(text(notice)).toMatch(/call the same tool again with the same arguments/);
  return payment!.paymentId;
}

describe('a client that gives up before its owner decides', () => {
  test('I1: pending, approved, called again: pays never, twice, or leaves the owner with a second question', async () => {
    await openImpatient();
    const before = await received();
    const paymentId = await sentAway();
    expect((await owner.decide('approve')).paymentId).toBe(paymentId);
    await expect.poll(rows).toMatchObject([{ id: paymentId, status: 'approved' }]);
    expect(await received()).toBe(before);
    expect((await contract.request('payments.spend', {})).todayUnits).toBe('10000');

    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.call(name, args)));
    expect(new Set(answers.map(text)).size).toBe(1);
    expect(answers.filter(({ result }) => result?.isError)).toEqual([]);
    await expect.poll(rows).toMatchObject([{ id: paymentId, status: 'delivered' }]);
    expect(await received()).toBe(before + 10_000n);
    expect((await contract.request('payments.detail', { paymentId })).timeline.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['challenged', 'pending', 'approved', 'signed', 'answered', 'delivered']));
  });

  test('pending, called again, approved while it waits: the second call does not get the answer', async () => {
    await openImpatient();
    const before = await received();
    const paymentId = await sentAway();
    const [answer] = await Promise.all([agent.call(name, args), owner.decide('approve')]);
    // The owner's second on screen may be longer than the client waits; then the third call has it.
    const got = answer.result?.isError ? await agent.call(name, args) : answer;
    expect(got.result?.isError).toBeFalsy();
    await expect.poll(rows).toMatchObject([{ id: paymentId, status: 'delivered' }]);
    expect(await received()).toBe(before + 10_000n);
  });

  test('I9: pending, rejected: the agent is not told, or told for ever', async () => {
    await openImpatient();
    const before = await received();
    const paymentId = await sentAway();
    await owner.decide('reject');
    const told = await agent.call(name, args);
    expect(told.result?._meta?.['bursar/payment']).toMatchObject({ code: 'APPROVAL_REJECTED', paymentId });
    expect(await sentAway()).not.toBe(paymentId);
    expect(await received()).toBe(before);
  });

  test('I1: a restart while it waits: the approval outlives it, or the agent never hears', async () => {
    await openImpatient();
    const paymentId = await sentAway();
    const { home } = app;
    await close();
    await open(home);
    expect(await rows()).toMatchObject([{ id: paymentId, status: 'cancelled', columns: { money: 'none', service: 'lost' } }]);
    const told = await agent.call(name, args);
    expect(told.result?._meta?.['bursar/payment']).toMatchObject({ code: 'APPROVAL_CANCELLED', paymentId });
    expect(await sentAway()).not.toBe(paymentId);
  });

  test('the owner cannot take back what waits', async () => {
    await openImpatient();
    const paymentId = await sentAway();
    expect(await runCli(['--home', app.home, 'payment', 'cancel', paymentId])).toContain('Taken back');
    expect(await rows()).toMatchObject([{ id: paymentId, status: 'cancelled', columns: { money: 'none' } }]);
    expect((await contract.request('payments.spend', {})).todayUnits).toBe('0');
  });

  test.each(['v1', 'v2'])('an SDK %s client that knows the tool\'s output schema throws the notice away', async (version) => {
    await openImpatient();
    const requestInit = { headers: { authorization: `Bearer ${app.token}` } };
    const url = new URL(`${app.mcp}/demo`);
    const client = version === 'v1' ? new ClientV1({ name: 'test', version: '1' }) : new ClientV2({ name: 'test', version: '1' });
    await client.connect(version === 'v1' ? new HttpV1(url, { requestInit }) : new HttpV2(url, { requestInit }));
    try {
      const { tools } = await client.listTools();
      expect(tools.find((tool) => tool.name === name)?.outputSchema).toBeDefined();
      expect(await client.callTool(call)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('payment_pending') }], _meta: { 'bursar/payment': { status: 'payment_pending' } } });
      await owner.decide('approve');
      expect((await client.callTool(call)).isError).toBeFalsy();
    } finally {
      await client.close();
    }
  });
});

test('I1: fifty identical calls at once are paid more than once, or one goes without the answer', async () => {
  await open();
  await allowEverything(contract);
  const before = await received();
  const answers = await Promise.all(Array.from({ length: 50 }, () => agent.call(name, args)));
  expect(new Set(answers.map(text)).size).toBe(1);
  expect(answers.filter(({ result }) => result?.isError)).toEqual([]);
  // On a slow machine some come when the answer is out already, and buy another one: after the first, and once for all of them.
  const bought = (await rows()).toSorted((one, other) => one.createdAt - other.createdAt);
  const delivered = await Promise.all(bought.map(async ({ id }) => (await contract.request('payments.detail', { paymentId: id })).timeline.find(({ kind }) => kind === 'delivered')?.at));
  bought.slice(1).forEach(({ createdAt }, index) => expect(createdAt).toBeGreaterThanOrEqual(delivered[index] ?? Infinity));
  expect(await received()).toBe(before + 10_000n * BigInt(bought.length));
});

test('I9: a payment whose tool failed after the money moved leaves no evidence', async () => {
  await open();
  await allowEverything(contract);
  sandbox.faults!.facilitator.set('settle', 'settle-then-500');
  const answer = await agent.call(name, args);
  sandbox.faults!.clear();
  expect(answer.result?.isError).toBe(true);
  await expect.poll(rows).toMatchObject([{ status: 'undelivered', reasonCode: 'PAID_NOT_DELIVERED' }]);
  const [row] = await rows();
  const packet = JSON.parse(await runCli(['--home', app.home, 'dispute', row!.id, '--json'])) as { terms: { amount: string }; transaction: string; proof: string };
  expect(packet).toMatchObject({ format: 'bursar-dispute/1', terms: { amount: '10000', payee: sandbox.seller.payTo.evm }, transaction: row!.transaction });
  expect(packet.proof).toContain('signature');
  expect(await runCli(['--home', app.home, 'dispute', row!.id])).toContain(row!.transaction);
});

test('I5: a payment that the server could not settle cannot be ended by its owner before it expires', async () => {
  await open();
  await allowEverything(contract);
  const before = await received();
  sandbox.faults!.facilitator.set('settle', '500');
  const answer = await agent.call(name, args);
  sandbox.faults!.clear();
  expect(answer.result?.isError).toBe(true);
  const [row] = await rows();
  expect(row).toMatchObject({ status: 'unknown', columns: { money: 'outstanding', service: 'refused' } });
  expect(await runCli(['--home', app.home, 'payment', 'cancel', row!.id])).toMatch(/It costs at most 0\.\d+ ETH/);
  expect(await rows()).toMatchObject([{ columns: { money: 'outstanding' } }]);
  const { transaction } = JSON.parse(await runCli(['--home', app.home, 'payment', 'cancel', row!.id, '--yes', '--json'])) as { transaction: string };
  await sandbox.time.advanceEvm(0);
  await expect.poll(rows, { timeout: 30_000 }).toMatchObject([{ status: 'failed', columns: { money: 'dead' } }]);
  const { timeline } = await contract.request('payments.detail', { paymentId: row!.id });
  expect(timeline.find(({ kind }) => kind === 'cancelling')?.detail).toContain(transaction);
  expect((await contract.request('payments.spend', {})).todayUnits).toBe('0');
  expect(await received()).toBe(before);
});
