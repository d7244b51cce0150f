import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import { entryOf, runCli, startApp, type AppProcess } from '../support/app-process.ts';
import { usdcBalance, type SandboxReady } from '../support/chain-balance.ts';
import { openOwnerBrowser, type OwnerBrowser } from '../support/owner-browser.ts';

/** One paid call, with what the chain says of both ends before and after it. */
export interface PaidCallRecord {
  readonly via: 'stdio' | 'http';
  readonly tool: string;
  readonly answer: string;
  readonly payment: PaymentView;
  readonly payer: { readonly before: bigint; readonly after: bigint };
  readonly payee: { readonly before: bigint; readonly after: bigint };
}

export interface Story {
  readonly home: string;
  readonly calls: readonly PaidCallRecord[];
  readonly rows: readonly PaymentView[];
}

const PAID = [
  { tool: 'sun_times', arguments: { latitude: 52.52, longitude: 13.405, date: '2026-06-21' } },
  { tool: 'moon_phase', arguments: { date: '2026-06-21' } },
] as const;

/** How long the chain may take to show a settlement. */
const SETTLED_WITHIN_MS = 10_000;

export async function runStory(say: (line: string) => void): Promise<Story> {
  const app = await startApp();
  say(`Bursar runs headless on play money, in a fresh folder.\n  MCP ${app.mcp}\n`);
  let owner: OwnerBrowser | undefined;
  try {
    owner = await openOwnerBrowser(app.dashboard);
    const calls: PaidCallRecord[] = [];
    for (const via of ['stdio', 'http'] as const) calls.push(...(await playAgent(via, app, owner, say)));
    return { home: app.home, calls, rows: await history(app) };
  } finally {
    await owner?.close();
    await app.stop();
  }
}

async function playAgent(via: 'stdio' | 'http', app: AppProcess, owner: OwnerBrowser, say: (line: string) => void): Promise<PaidCallRecord[]> {
  const agent = new Client({ name: `demo-agent-${via}`, version: '1.0.0' });
  await agent.connect(
    via === 'stdio'
      ? new StdioClientTransport({ command: process.execPath, args: [entryOf('shim.js'), '--home', app.home, '--upstream', 'demo', '--client', 'demo-agent'], env: { BURSAR_CLIENT_TOKEN: app.token }, stderr: 'ignore' })
      : new StreamableHTTPClientTransport(new URL(`${app.mcp}/demo`), { requestInit: { headers: { authorization: `Bearer ${app.token}` } } }),
  );
  say(`An agent connects over ${via}.`);
  try {
    const free = await agent.callTool({ name: 'city_time', arguments: { timeZone: 'Europe/Berlin' } });
    say(`  city_time is free and passes untouched: ${textOf(free)}`);
    const calls: PaidCallRecord[] = [];
    for (const paid of PAID) calls.push(await buy(via, agent, paid, app, owner, say));
    return calls;
  } finally {
    await agent.close();
  }
}

async function buy(via: 'stdio' | 'http', agent: Client, { tool, arguments: args }: (typeof PAID)[number], app: AppProcess, owner: OwnerBrowser, say: (line: string) => void): Promise<PaidCallRecord> {
  const ready = JSON.parse(readFileSync(join(app.home, 'sandbox', 'ready.json'), 'utf8')) as SandboxReady;
  const before = await ends(app, ready);
  say(`  ${tool} asks for money. The owner sees:`);
  const [answer] = await Promise.all([
    agent.callTool({ name: tool, arguments: args }),
    owner.decide('Approve').then((shown) => say(indent(shown))),
  ]);
  const payment = await settledPayment(app, tool);
  const after = await ends(app, ready);
  const network = payment.money?.asset.network ?? '';
  say(`  The agent gets: ${textOf(answer)}\n`);
  return {
    via,
    tool,
    answer: textOf(answer),
    payment,
    payer: { before: before.payer.get(network) ?? 0n, after: after.payer.get(network) ?? 0n },
    payee: { before: before.payee.get(network) ?? 0n, after: after.payee.get(network) ?? 0n },
  };
}

/** Balances of both ends on both chains. */
async function ends(app: AppProcess, ready: SandboxReady) {
  const { accounts } = JSON.parse(await runCli(['--home', app.home, 'account', 'list', '--json'])) as { accounts: { namespace: string; address: string }[] };
  const read = async (network: string, namespace: string, payee: string) => {
    const payer = accounts.find((account) => account.namespace === namespace)?.address ?? '';
    return [network, await usdcBalance(ready, network, payer), await usdcBalance(ready, network, payee)] as const;
  };
  const rows = await Promise.all([read(ready.evm.network, 'eip155', ready.seller.payTo.evm), read(ready.solana.network, 'solana', ready.seller.payTo.solana)]);
  return { payer: new Map(rows.map(([network, payer]) => [network, payer])), payee: new Map(rows.map(([network, , payee]) => [network, payee])) };
}

/** The newest payment of a tool, once the chain has shown its settlement or the time for that is over. */
async function settledPayment(app: AppProcess, tool: string): Promise<PaymentView> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const payment = (await history(app)).find((row) => row.tool === tool);
    if (payment && (payment.status === 'delivered' || performance.now() > deadline)) return payment;
    await delay(100);
  }
}

async function history(app: AppProcess): Promise<readonly PaymentView[]> {
  return (JSON.parse(await runCli(['--home', app.home, 'history', '--json'])) as { payments: PaymentView[] }).payments;
}

function textOf(result: { content?: unknown }): string {
  const [first] = result.content as { type: string; text?: string }[];
  return first?.text ?? '';
}

const indent = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `    | ${line.trim()}`)
    .join('\n');
