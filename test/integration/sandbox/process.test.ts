import { existsSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bestLeash, startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../../../src/sandbox/networks.ts';
import type { SandboxAddresses } from '../../../src/sandbox/sandbox.ts';
import { callTool, challengeOf, createBuyer, httpLink, receiptOf } from './buyer.ts';

const ENTRY = join(import.meta.dirname, '../../../src/sandbox/index.ts');
const children: ChildProcess[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-test-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly ready: SandboxAddresses;
  readonly lines: string[];
}

async function start(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const [line] = (await once(reader, 'line')) as [string];
  return { child, ready: JSON.parse(line) as SandboxAddresses, lines };
}

const ask = async ({ controlUrl, controlToken }: SandboxAddresses, path: string, body?: object): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${controlToken}` };
  const response = await fetch(`${controlUrl}${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  return { status: response.status, ...((await response.json()) as object) };
};
const balanceOf = async (ready: SandboxAddresses, network: SandboxNetwork, address: string) =>
  (await ask(ready, `/balance?${new URLSearchParams({ network, address })}`))['usdc'];

const call = async (url: string, method: string, params: unknown[]) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
  return ((await (await fetch(url, init)).json()) as { result: unknown }).result;
};

/** Resolves once nothing listens at the address any more. */
async function gone(url: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    try {
      await fetch(url, { method: 'POST', body: '{}', signal: AbortSignal.timeout(500) });
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') return;
    }
  }
  throw new Error(`${url} still answers`);
}

describe('the sandbox as a process', () => {
  test('says one line when it is ready, and is gone with anvil when its stdin ends', async () => {
    const { child, ready, lines } = await start();
    expect(ready).toMatchObject({ evm: { network: EVM_NETWORK, chainId: 84532 }, solana: { network: SOLANA_NETWORK } });
    const exited = once(child, 'exit');
    child.stdin!.end();
    expect(await exited).toEqual([0, null]);
    expect(lines).toHaveLength(1);
    await gone(ready.evm.rpcUrl);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal) => {
    const { child, ready } = await start();
    const exited = once(child, 'exit');
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    await gone(ready.evm.rpcUrl);
  });

  test('leaves no anvil behind when it is killed', async () => {
    const { child, ready } = await start();
    child.kill('SIGKILL');
    await gone(ready.evm.rpcUrl);
  });

  test('leaves nothing behind when the process that started it is killed', async () => {
    const code = `const c = require('node:child_process').spawn(process.execPath, [${JSON.stringify(ENTRY)}], { stdio: ['pipe', 'inherit', 'inherit'] });`;
    const parent = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(parent);
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const ready = JSON.parse(line) as SandboxAddresses;
    parent.kill('SIGKILL');
    await Promise.all([gone(ready.controlUrl), gone(ready.evm.rpcUrl), gone(ready.solana.rpcUrl)]);
  });

  test('keeps balances, transactions and used proofs across a restart', async () => {
    const first = await start('--dir', folder);
    const buyer = await createBuyer(first.ready);
    const product = { [EVM_NETWORK]: ['sun_times', { latitude: 1, longitude: 2, date: '2026-01-01' }], [SOLANA_NETWORK]: ['moon_phase', { date: '2026-01-01' }] } as const;
    const bought = new Map<SandboxNetwork, { payment: object; transaction: string }>();
    for (const network of [EVM_NETWORK, SOLANA_NETWORK] as const) {
      await ask(first.ready, '/fund', { network, address: buyer.addresses[network], usdc: '50000' });
      const [tool, args] = product[network];
      const send = httpLink(first.ready.seller.mcpUrl);
      const payment = await buyer.pay(challengeOf(await callTool(send, tool, args)));
      bought.set(network, { payment, transaction: receiptOf(await callTool(send, tool, args, payment))!.transaction });
    }
    first.child.stdin!.end();
    await once(first.child, 'exit');

    const { ready } = await start('--dir', folder);
    expect(ready.seller.payTo).toEqual(first.ready.seller.payTo);
    for (const network of [EVM_NETWORK, SOLANA_NETWORK] as const) {
      expect(await balanceOf(ready, network, buyer.addresses[network])).toBe('40000');
      const [tool, args] = product[network];
      const again = await callTool(httpLink(ready.seller.mcpUrl), tool, args, bought.get(network)!.payment);
      expect(challengeOf(again).error).toMatch(/^Payment (invalid|settlement failed): /);
    }
    expect(await call(ready.evm.rpcUrl, 'eth_getTransactionReceipt', [bought.get(EVM_NETWORK)!.transaction])).toMatchObject({ status: '0x1' });
    const usdcAtFinality = { to: ready.evm.usdc, data: `0x70a08231${buyer.addresses[EVM_NETWORK].slice(2).padStart(64, '0')}` };
    expect(await call(ready.evm.rpcUrl, 'eth_call', [usdcAtFinality, 'finalized'])).toBe(`0x${(40_000).toString(16).padStart(64, '0')}`);
    const lookup = [bought.get(SOLANA_NETWORK)!.transaction, { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }];
    expect(await call(ready.solana.rpcUrl, 'getTransaction', lookup)).toMatchObject({ meta: { err: null } });
  });
});

describe('the controls', () => {
  test('refuse a caller without the token, name what is wrong, and never take a number for money', async () => {
    const { ready } = await start();
    const fund = { network: EVM_NETWORK, address: '0x1111111111111111111111111111111111111111', usdc: '5', gas: true };
    expect(await ask({ ...ready, controlToken: 'guess' }, '/fund', fund)).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } });
    expect(await ask(ready, '/fund', { ...fund, usdc: 5 })).toMatchObject({ status: 400, error: { code: 'INPUT_INVALID' } });
    expect(await ask(ready, '/fund', { ...fund, usdc: '-5' })).toMatchObject({ status: 400, error: { code: 'AMOUNT_INVALID' } });
    expect(await ask(ready, '/fund', { ...fund, address: '0x11' })).toMatchObject({ status: 400, error: { code: 'INPUT_INVALID' } });
    expect(await ask(ready, '/fund', fund)).toMatchObject({ status: 200, usdc: '5' });
    const solana = { network: SOLANA_NETWORK, address: ready.seller.payTo.solana, usdc: '7' };
    expect(await ask(ready, '/fund', solana)).toMatchObject({ status: 200, usdc: '7' });
    expect(await ask(ready, '/fund', { ...solana, address: 'x' })).toMatchObject({ status: 400, error: { code: 'INPUT_INVALID' } });
  });

  test('switch faults and move time where the sandbox was started with faults', async () => {
    const { ready } = await start('--faults');
    const slot = async () => Number(await call(ready.solana.rpcUrl, 'getSlot', [{ commitment: 'confirmed' }]));
    const before = await slot();
    expect(await ask(ready, '/advance', { solanaSlots: 1_000 })).toMatchObject({ status: 200 });
    expect(await slot()).toBeGreaterThanOrEqual(before + 1_000);
    expect(await ask(ready, '/advance', { evmSeconds: 600 })).toMatchObject({ status: 200 });
    const block = (await call(ready.evm.rpcUrl, 'eth_getBlockByNumber', ['finalized', false])) as { timestamp: string };
    expect(Number(block.timestamp)).toBeGreaterThan(Date.now() / 1000 + 590);

    const verify = () => fetch(`${ready.facilitatorUrl}/verify`, { method: 'POST', body: '{"paymentPayload":{"payload":{}},"paymentRequirements":{"scheme":"x","network":"y"}}' });
    expect(await ask(ready, '/fault', { facilitator: 'verify', mode: 'lie' })).toMatchObject({ status: 200 });
    expect(await (await verify()).json()).toMatchObject({ isValid: true });
    expect(await ask(ready, '/fault', { clear: true })).toMatchObject({ status: 200 });
    expect((await verify()).status).toBe(500);
    expect(await ask(ready, '/fault', { facilitator: 'verify', mode: 'explode' })).toMatchObject({ status: 400, error: { code: 'INPUT_INVALID' } });
  });
});

test('anvil under the guard that machines without setpriv use dies with its parent, and stops when told', async () => {
  const stopped = await startAnvil({ idleBlockSeconds: 60, leash: 'guard' });
  await stopped.stop();
  await gone(stopped.rpcUrl);

  const module = join(import.meta.dirname, '../../../src/sandbox/evm/anvil.ts');
  const code = `import { startAnvil } from ${JSON.stringify(module)}; console.log((await startAnvil({ idleBlockSeconds: 60, leash: 'guard' })).rpcUrl);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(parent);
  const [url] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
  parent.kill('SIGKILL');
  await gone(url);
});

// util-linux may be missing in a small container; the guard holds there, as the test before this one shows.
test.runIf(existsSync('/usr/bin/setpriv') && existsSync('/bin/true') && (process.env['PATH'] ?? '').split(':').includes('/usr/bin'))('this machine offers the surest leash', () => {
  expect(bestLeash()).toBe('kernel');
});
