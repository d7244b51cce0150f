import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { address, createSolanaRpc } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { z } from 'zod';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { DelegationAct } from '../../../src/shared/contract/delegations.ts';
import type { RouteOutput } from '../../../src/shared/contract/contract.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { runCli, startApp, type AppProcess } from '../../support/app-process.ts';
import { ownerContract, type OwnerContract } from '../../support/contract.ts';
import { sandboxEnv } from '../../support/sandbox-env.ts';

/** Spending limits on the chain through the whole application: the agent's tools, the command line, a paid API, and a process that dies. */

let sandbox: Sandbox;
let env: { BURSAR_SANDBOX: string };
let app: AppProcess;
let contract: OwnerContract;
let agent: Client;

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true });
  env = sandboxEnv(sandbox);
});
afterAll(() => sandbox?.close());
afterEach(async () => {
  void agent.close().catch(() => undefined);
  contract.close();
  await app.stop();
});

async function open(home?: string, failpoint?: string): Promise<void> {
  app = await startApp({ build: 'out-test', env: { ...env, ...(failpoint !== undefined && { BURSAR_FAILPOINT: failpoint }) }, ...(home !== undefined && { home }) });
  contract = await ownerContract(app.home);
  agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(app.mcp), { requestInit: { headers: { authorization: `Bearer ${app.token}` } } }));
}

const run = (...words: string[]): Promise<string> => runCli(['--home', app.home, '--network', 'sandbox', ...words], { env });
const json = async <T>(...words: string[]): Promise<T> => JSON.parse(await run(...words, '--json')) as T;
const call = async (name: string, args: Record<string, unknown> = {}) => {
  const { structuredContent, content, isError } = await agent.callTool({ name, arguments: args });
  const [first] = content;
  return { isError: isError === true, structured: (structuredContent ?? {}) as Readonly<Record<string, unknown>>, text: first?.type === 'text' ? first.text : '' };
};
const solanaAccounts = async () => (await contract.request('accounts.list', {})).accounts.filter(({ namespace }) => namespace === 'solana');

const Parsed = z.object({ value: z.object({ data: z.object({ parsed: z.object({ info: z.object({ delegate: z.string().optional(), delegatedAmount: z.object({ amount: z.string() }).optional() }) }) }) }) });
/** What the chain lets somebody else spend of an owner's USDC, and how many transactions touched the token account; from its own RPC. */
async function onChain(owner: string) {
  const rpc = createSolanaRpc(sandbox.solana.rpcUrl);
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(sandbox.solana.usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { value } = Parsed.parse(await rpc.getAccountInfo(account, { encoding: 'jsonParsed' }).send());
  const { delegate = '', delegatedAmount } = value.data.parsed.info;
  return { delegate, delegated: BigInt(delegatedAmount?.amount ?? 0), touched: (await rpc.getSignaturesForAddress(account).send()).length };
}

test('an agent gets an account and a limit that the owner allows, pays within it, and no further', async () => {
  await open();
  const names = (await agent.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['x402_setup_agent', 'x402_check_delegation', 'x402_revoke_delegation']));
  expect((await call('x402_check_delegation')).text).toContain('"error":"NO_DELEGATION"');
  const [savings] = await solanaAccounts();
  const before = await onChain(savings!.address);

  expect((await call('x402_setup_agent', { amount: '0.02' })).structured).toMatchObject({ status: 'waiting' });
  const { requests } = await json<RouteOutput<'requests.list'>>('request', 'list');
  expect(requests).toMatchObject([{ kind: 'setup', state: 'waiting', client: 'default' }]);
  const made = await json<RouteOutput<'requests.approve'>>('request', 'approve', requests[0]!.id, '--label', 'Agent', '--yes');
  expect(await onChain(savings!.address)).toEqual(before);

  // Without --yes nobody is asked here, so that the terms are shown and nothing is signed.
  expect(await run('delegation', 'approve', '0.02', '--delegate', made.account!)).toMatch(/May be spent +0\.02 USDC, all together[^]*Nothing was signed/);
  expect(await onChain(savings!.address)).toEqual(before);
  const act = await json<DelegationAct>('delegation', 'approve', '0.02', '--delegate', made.account!, '--owner', savings!.address, '--yes');
  expect(act).toMatchObject({ state: 'final', money: { units: '20000' }, delegate: made.account });
  expect(await onChain(savings!.address)).toEqual({ delegate: made.account, delegated: 20_000n, touched: before.touched + 1 });
  expect((await call('x402_check_delegation')).structured).toMatchObject({ delegations: [{ delegate: made.account, remaining: '0.02', approved: '0.02' }] });

  // The owner wants Solana used first; the account that holds the money does not pay besides.
  const { number, policy } = await contract.request('policy.get', {});
  await contract.request('policy.set', { basedOn: number, policy: { ...policy, otherwise: 'allow', paying: { ...policy.paying, accounts: [{ account: made.account! }] }, rules: [], caps: [] } });
  const buy = () => json<{ status: number; payment?: { payer: string; money: { units: string } } }>('pay-url', `${sandbox.seller.apiUrl}/x402-v2/sun_times?latitude=52.5&longitude=13.4&date=2026-06-21`);
  const bought = await buy();
  expect(bought).toMatchObject({ status: 200, payment: { payer: made.account } });
  const price = BigInt(bought.payment!.money.units);
  await expect.poll(async () => (await onChain(savings!.address)).delegated).toBe(20_000n - price);
  expect(await run('delegation', 'list')).toMatch(new RegExp(`of 0\\.02 USDC left\\n[^]*${savings!.address}\\n[^]*Agent ${made.account}`));

  // Taken back: the account pays nothing any more, and Bursar says why.
  expect((await call('x402_revoke_delegation')).structured).toMatchObject({ status: 'waiting' });
  const [waiting] = (await json<RouteOutput<'requests.list'>>('request', 'list')).requests;
  expect(await json<DelegationAct>('request', 'approve', waiting!.id, '--yes')).toMatchObject({ kind: 'revoke', state: 'final' });
  expect(await onChain(savings!.address)).toMatchObject({ delegate: '', delegated: 0n });
  // The account on EVM would pay instead, which is another network than last time and asks; the offer on Solana was passed over, and why.
  void buy().catch(() => 'nobody answers');
  const passedOver = async () => {
    const [newest] = (await contract.request('payments.list', { limit: 1 })).payments;
    return newest?.status === 'waiting' ? (await contract.request('payments.detail', { paymentId: newest.id })).offers.find(({ networkName }) => networkName === 'Solana Devnet') : undefined;
  };
  await expect.poll(passedOver, { timeout: 10_000 }).toMatchObject({ taken: false, why: expect.stringMatching(/may spend 0\.00 USDC of what .* holds/) });
});

test.each(['proof-signed', 'journal-committed'] as const)('I1: killed at %s, an approval is made twice or forgotten', async (failpoint) => {
  await open();
  const [savings] = await solanaAccounts();
  const asked = await call('x402_setup_agent', { force: true });
  const made = await json<RouteOutput<'requests.approve'>>('request', 'approve', String(asked.structured['requestId']), '--yes');
  const { home } = app;
  void agent.close().catch(() => undefined);
  contract.close();
  await app.stop();

  await open(home, failpoint);
  const before = await onChain(savings!.address);
  const order = ['delegation', 'approve', '1', '--delegate', made.account!, '--owner', savings!.address, '--yes'] as const;
  await expect(run(...order)).rejects.toThrow();
  expect(await app.exited).toBe('SIGKILL');
  expect(await onChain(savings!.address)).toEqual(before);
  void agent.close().catch(() => undefined);
  contract.close();

  await open(home);
  if (failpoint === 'journal-committed') {
    await expect.poll(async () => (await onChain(savings!.address)).delegated, { timeout: 20_000 }).toBe(1_000_000n);
    await expect.poll(async () => (await contract.request('delegations.list', {})).acts, { timeout: 20_000 }).toMatchObject([{ state: 'final' }]);
    expect((await onChain(savings!.address)).touched).toBe(before.touched + 1);
    expect((await solanaAccounts()).find((one) => one.address === made.account)).toMatchObject({ delegatedFrom: savings!.address });
  } else {
    // What was never journaled never left: the owner says it again.
    expect((await contract.request('delegations.list', {})).acts).toEqual([]);
    expect(await json<DelegationAct>(...order)).toMatchObject({ state: 'final' });
    expect(await onChain(savings!.address)).toMatchObject({ delegated: 1_000_000n, touched: before.touched + 1 });
  }
});
