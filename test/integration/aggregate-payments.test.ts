import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../support/approval-socket.ts';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { httpAgent } from '../support/http-agent.ts';
import { sandboxEnv } from '../support/sandbox-env.ts';

/** The whole application, paid through the route to all servers. Clients here give a call up after one second. */

const NETWORK = 'eip155:84532';
const TOOL = 'demo__sun_times';
const args = { latitude: 52.5, longitude: 13.4, date: '2026-06-21' };

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let owner: ApprovalSocket;
let contract: OwnerContract;
let agent: ClientV2;

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const received = () => sandbox.balance(NETWORK, sandbox.seller.payTo.evm);
const rows = async () => (await contract.request('payments.list', {})).payments;
const call = async (name: string, given: Record<string, unknown> = args, client = agent): Promise<Result> => (await client.callTool({ name, arguments: given })) as unknown as Result;
const text = ({ content }: Result): string => content[0]?.text ?? '';

/** An SDK client, which refuses results that do not fit a tool's output schema. */
async function connect(token = app.token): Promise<ClientV2> {
  const client = new ClientV2({ name: 'test', version: '1' });
  await client.connect(new HttpV2(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  await client.listTools();
  return client;
}
async function open(home?: string): Promise<void> {
  app = await startApp({ env, ...(home !== undefined && { home }) });
  owner = await openApprovalSocket(app.dashboard);
  contract = await ownerContract(app.home);
  agent = await connect();
}
async function openImpatient(): Promise<void> {
  const fresh = await startApp({ env });
  await fresh.stop();
  const path = join(fresh.home, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, clients: { default: { answerWithinSeconds: 1 } } }));
  await open(fresh.home);
}

beforeAll(async () => {
  sandbox = await startSandbox();
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
afterEach(async () => {
  await agent.close();
  owner.close();
  contract.close();
  await app.stop();
});

async function sentAway(): Promise<string> {
  const notice = await call(TOOL);
  expect(text(notice)).toContain('payment_pending');
  const payment = notice._meta?.['bursar/payment'] as { paymentId: string } | undefined;
  return payment?.paymentId ?? '';
}

test('I1: pending, approved, resumed: pays never, twice, under another tool\'s name, or leaves the owner with a second question', async () => {
  await openImpatient();
  const before = await received();
  const paymentId = await sentAway();
  expect(await call('payment_status', { paymentId })).toMatchObject({ structuredContent: { paymentId, status: 'waiting', resumable: true, server: 'demo', tool: 'sun_times', amount: '0.01', token: 'USDC' } });
  expect(text(await call('payment_status', { paymentId }))).toMatch(/0\.01 USDC to server "demo" for tool "sun_times": waiting\..*Call payment_resume/);
  await owner.decide('approve');
  await expect.poll(async () => (await call('payment_status', { paymentId })).structuredContent).toMatchObject({ status: 'approved', resumable: true });
  expect(await received()).toBe(before);

  const transparent = await httpAgent(app);
  const [called, ...resumed] = await Promise.all([call(TOOL), call('payment_resume', { paymentId }), call('payment_resume', { paymentId }), transparent.call('sun_times', args)]);
  for (const answer of resumed.slice(0, 2) as Result[]) {
    expect(answer.isError).toBeFalsy();
    expect(answer.structuredContent).toMatchObject({ paymentId, server: 'demo', tool: 'sun_times', result: called.structuredContent });
    expect(text(answer)).toBe(text(called));
  }
  await expect.poll(rows).toMatchObject([{ id: paymentId, upstream: 'demo', tool: 'sun_times', status: 'delivered' }]);
  expect(await received()).toBe(before + 10_000n);

  const late = await call('payment_resume', { paymentId });
  expect(late.isError).toBe(true);
  expect(text(late)).toMatch(/nothing to resume.*buy it again/);
  expect(await received()).toBe(before + 10_000n);
});

test('resumed before the owner decides: the agent is not told to come back, or not told of a rejection', async () => {
  await openImpatient();
  const before = await received();
  const paymentId = await sentAway();
  const again = await call('payment_resume', { paymentId });
  expect(again).toMatchObject({ isError: true, _meta: { 'bursar/payment': { status: 'payment_pending', paymentId } } });
  await owner.decide('reject');
  await expect.poll(async () => text(await call('payment_resume', { paymentId }))).toMatch(/nothing to resume.*rejected/);
  expect(await rows()).toHaveLength(1);
  expect(await received()).toBe(before);
});

test('I7: a client sees or resumes the payment of another', async () => {
  await openImpatient();
  const paymentId = await sentAway();
  const { token } = JSON.parse(await runCli(['--home', app.home, 'client', 'add', 'stranger', '--json'])) as { token: string };
  const stranger = await connect(token);
  try {
    for (const tool of ['payment_status', 'payment_resume']) {
      const theirs = await call(tool, { paymentId }, stranger);
      expect(theirs.isError).toBe(true);
      expect(text(theirs)).toBe(text(await call(tool, { paymentId: 'pay_none' }, stranger)));
    }
  } finally {
    await stranger.close();
  }
});

test('a call through the route to all servers has another budget or dedupe than on the server\'s own route', async () => {
  await open();
  await allowEverything(contract);
  const before = await received();
  const transparent = await httpAgent(app);
  const answers = await Promise.all([call(TOOL), call(TOOL), transparent.call('sun_times', args)]);
  expect(answers.map((answer) => ('result' in answer ? answer.result?.isError : (answer as Result).isError) ?? false)).toEqual([false, false, false]);
  await expect.poll(rows).toMatchObject([{ tool: 'sun_times', upstream: 'demo', status: 'delivered' }]);
  expect(await received()).toBe(before + 10_000n);
});
