import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { openApprovalSocket, type ApprovalSocket } from '../support/approval-socket.ts';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { sandboxEnv } from '../support/sandbox-env.ts';

/** The whole application with play money, and a server that asks for it in the result of a task. Client and server are on SDK v1, which has tasks. */

const FRONT = fileURLToPath(new URL('./bridge/fixtures/tasks-v1.ts', import.meta.url));
const NETWORK = 'eip155:84532';
const args = { latitude: 52.5, longitude: 13.4, date: '2026-06-21' };

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let owner: ApprovalSocket;
let contract: OwnerContract;
let agent: Client;

const received = () => sandbox.balance(NETWORK, sandbox.seller.payTo.evm);
const rows = async () => (await contract.request('payments.list', {})).payments;
const fresh = (): string => mkdtempSync(join(tmpdir(), 'bursar-tasks-'));

beforeAll(async () => {
  sandbox = await startSandbox();
  env = sandboxEnv(sandbox);
});
beforeEach(async () => {
  app = await startApp({ env });
  owner = await openApprovalSocket(app.dashboard);
  contract = await ownerContract(app.home);
});
afterEach(async () => {
  await agent.close();
  owner.close();
  contract.close();
  await app.stop();
});
afterAll(() => sandbox?.close());

async function connect(...more: string[]): Promise<void> {
  await contract.request('upstreams.add', { name: 'tasks', transport: { kind: 'stdio', command: process.execPath, args: [FRONT, sandbox.seller.mcpUrl, ...more], env: {} } });
  agent = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${app.mcp}/tasks`), { requestInit: { headers: { authorization: `Bearer ${app.token}` } } }));
  await agent.listTools();
}

/** What a client that follows the task to its end gets. */
async function callAsTask(signal?: AbortSignal): Promise<CallToolResult | string> {
  const stream = agent.experimental.tasks.callToolStream({ name: 'sun_times', arguments: args }, CallToolResultSchema, { task: { ttl: 60_000 }, ...(signal && { signal }) });
  for await (const message of stream) {
    if (message.type === 'result') return message.result;
    if (message.type === 'error') return message.error.message;
  }
  return 'the stream ended';
}

test('a tool that asks for money in its task\'s result is paid once, and the client that follows the task gets what it bought', async () => {
  await allowEverything(contract);
  await connect();
  const before = await received();
  const result = await callAsTask();
  expect(result).toMatchObject({ structuredContent: { sunrise: expect.anything() } });
  expect(await received()).toBe(before + 10_000n);
  await expect.poll(rows).toMatchObject([{ upstream: 'tasks', tool: 'sun_times', status: 'delivered' }]);
});

test('the owner is asked for the call itself, and a client that goes away before they answer pays nothing', async () => {
  await connect();
  const before = await received();
  const stop = new AbortController();
  const call = callAsTask(stop.signal);
  const asked = await owner.current();
  expect(asked).toMatchObject({ upstream: 'tasks', tool: 'sun_times' });
  stop.abort();
  await call;
  await expect.poll(async () => (await rows())[0]?.columns.decision).toBe('cancelled');
  expect(await received()).toBe(before);
});

test('a server that dies once it was paid leaves one payment under watch, and the same call again never pays a second one (I1, I9)', async () => {
  await allowEverything(contract);
  await connect(join(fresh(), 'crash'));
  const before = await received();
  const first = await callAsTask();
  expect(JSON.stringify(first)).toContain('PAYMENT_OUTCOME_UNKNOWN');
  const second = await callAsTask();
  expect(await received()).toBe(before + 10_000n);
  expect(await rows()).toHaveLength(1);
  expect((await rows())[0]).toMatchObject(typeof second !== 'string' && second.isError !== true ? { status: 'delivered' } : { reasonCode: 'PAID_NOT_DELIVERED' });
});
