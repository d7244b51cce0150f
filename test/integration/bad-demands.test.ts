import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentView } from '../../src/shared/contract/payments.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { startApp, type AppProcess } from '../support/app-process.ts';
import { allowEverything, ownerContract, type OwnerContract } from '../support/contract.ts';
import { httpAgent, type HttpAgent } from '../support/http-agent.ts';

/** I9: whatever a server asks and whatever breaks, the agent gets a reason that names the server, and the owner a row. Real app, real chains. */

const SERVER = fileURLToPath(new URL('../support/servers/asks-anything.mjs', import.meta.url));

let sandbox: Sandbox;
let app: AppProcess;
let owner: OwnerContract;
let agent: HttpAgent;
let ready: string;

const start = async (change: (addresses: Record<string, unknown>) => object = (addresses) => addresses) => {
  const { evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken } = sandbox;
  writeFileSync(ready, JSON.stringify(change({ evm, solana, facilitatorUrl, seller, card, controlUrl, controlToken })));
  const started = await startApp({ env: { BURSAR_SANDBOX: ready } });
  const contract = await ownerContract(started.home);
  await contract.request('upstreams.add', { name: 'shady', transport: { kind: 'stdio', command: process.execPath, args: [SERVER], env: {} } });
  await allowEverything(contract);
  return { started, contract };
};

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, facilitatorTimeoutMs: 2000 });
  ready = join(mkdtempSync(join(tmpdir(), 'bursar-bad-')), 'ready.json');
  const { started, contract } = await start();
  [app, owner, agent] = [started, contract, await httpAgent(started, 'shady')];
});
afterEach(() => sandbox.faults!.clear());
afterAll(async () => {
  owner?.close();
  await app?.stop();
  await sandbox?.close();
});

const newest = async (contract = owner): Promise<PaymentView> => (await contract.request('payments.list', { limit: 1 })).payments[0]!;
const offer = (change: object = {}) => ({
  scheme: 'exact',
  network: sandbox.evm.network,
  amount: '10000',
  asset: sandbox.evm.usdc,
  payTo: sandbox.seller.payTo.evm,
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
  ...change,
});
const required = (...accepts: object[]) => ({ x402Version: 2, error: 'Payment required', resource: { url: 'mcp://tool/ask' }, accepts });
const textOf = ({ result, error }: Awaited<ReturnType<HttpAgent['call']>>) => result?.content[0]?.text ?? error?.message ?? '';
const evmPaid = () => sandbox.balance(sandbox.evm.network, sandbox.seller.payTo.evm);

describe('a demand that must not be signed', () => {
  test.each([
    ['malformed', () => required({ ...offer(), amount: 10_000 }), 'CHALLENGE_MALFORMED'],
    ['in a token that is not registered', () => required(offer({ asset: '0x1111111111111111111111111111111111111111', extra: {} })), 'ASSET_UNKNOWN'],
    ['in a token that calls itself otherwise', () => required(offer({ extra: { name: 'USD Coin', version: '2' } })), 'ASSET_MISMATCH'],
    ['on a network that is not enabled', () => required(offer({ network: 'eip155:8453', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' })), 'NETWORK_UNSUPPORTED'],
    ['above the limit of a call', () => required(offer({ amount: '1000001' })), 'BUDGET_EXCEEDED'],
    ['to nobody', () => required(offer({ payTo: '0x0000000000000000000000000000000000000000' })), 'PAYEE_INVALID'],
    ['by an approval of everything', () => required(offer({ extra: { name: 'USDC', version: '2', assetTransferMethod: 'permit2' } })), 'FLOW_UNSUPPORTED'],
    ['in an unknown flow', () => required(offer({ extra: { name: 'USDC', version: '2', paymentFlow: 'escrow' } })), 'FLOW_UNSUPPORTED'],
  ])('%s: is signed, has no row, or gives the agent no reason', async (_name, challenge, code) => {
    const answer = textOf(await agent.call('ask', { challenge: challenge(), paid: 'serve' }));
    expect(answer).toMatch(new RegExp(`server "shady" for tool "ask".*\\(${code}\\)$`, 's'));
    expect(await newest()).toMatchObject({ upstream: 'shady', tool: 'ask', status: 'denied', reasonCode: code, columns: { money: 'none', service: 'refused' }, transaction: '' });
  });

  test('above the balance: is signed, or does not say what is there', async () => {
    const rich = await owner.request('policy.get', {});
    await owner.request('policy.set', { basedOn: rich.number, policy: { ...rich.policy, caps: [] } });
    const answer = textOf(await agent.call('ask', { challenge: required(offer({ amount: '1000000000000' })), paid: 'serve' }));
    expect(answer).toMatch(/holds 1000\.00 USDC, and 1000000\.00 USDC is asked.*\(INSUFFICIENT_BALANCE\)$/s);
    const { number } = await owner.request('policy.get', {});
    await owner.request('policy.set', { basedOn: number, policy: rich.policy });
  });
});

describe('a server that breaks after it was paid', () => {
  test.each([
    ['refuses', 'refuse', /\(PAYMENT_REJECTED\)$/, 'refused'],
    ['fails', 'fail', /^the tool broke$/, 'refused'],
    ['dies', 'die', /"shady".*\(PAYMENT_OUTCOME_UNKNOWN\)$/s, 'lost'],
  ] as const)('%s: the money is forgotten while it can still move', async (_name, paid, text, service) => {
    const { todayUnits } = await owner.request('payments.spend', {});
    expect(textOf(await agent.call('ask', { challenge: required(offer()), paid, at: paid }))).toMatch(text);
    expect(await newest()).toMatchObject({ status: 'unknown', columns: { decision: 'approved', money: 'outstanding', service } });
    expect(BigInt((await owner.request('payments.spend', {})).todayUnits)).toBe(BigInt(todayUnits) + 10_000n);
  });

  test('asks for another payment: it is made', async () => {
    const before = (await owner.request('payments.list', { limit: 500 })).payments.length;
    await agent.call('ask', { challenge: required(offer()), paid: 'refuse', again: true });
    expect((await owner.request('payments.list', { limit: 500 })).payments.length).toBe(before + 1);
  });
});

describe('a facilitator', () => {
  const pay = async (date: string) => textOf(await (await httpAgent(app)).call('sun_times', { latitude: 1, longitude: 2, date }));

  test('that answers 500 to settle: the payment is dropped although it can still settle', async () => {
    sandbox.faults!.facilitator.set('settle', '500');
    const before = await evmPaid();
    expect(await pay('2026-02-01')).toMatch(/server "demo".*\(SETTLEMENT_FAILED\)$/s);
    expect(await newest()).toMatchObject({ status: 'unknown', columns: { money: 'outstanding', service: 'refused' } });
    expect(await evmPaid()).toBe(before);
  });

  test('that settles and then answers 500: the ledger says the money did not move', async () => {
    sandbox.faults!.facilitator.set('settle', 'settle-then-500');
    const before = await evmPaid();
    expect(await pay('2026-02-02')).toMatch(/\(PAID_NOT_DELIVERED\)$/s);
    await expect.poll(() => newest()).toMatchObject({ status: 'undelivered', reasonCode: 'PAID_NOT_DELIVERED', columns: { money: 'settled' } });
    expect(await evmPaid()).toBe(before + 10_000n);
  });

  test('that says it settled and did not: the ledger believes it', async () => {
    sandbox.faults!.facilitator.set('settle', 'lie');
    const before = await evmPaid();
    expect(JSON.parse(await pay('2026-02-03'))).toMatchObject({ date: '2026-02-03' });
    expect(await newest()).toMatchObject({ status: 'confirming', columns: { money: 'outstanding', service: 'delivered' } });
    expect(await evmPaid()).toBe(before);
  });
});

test('a dead RPC: the payment hangs, is signed, or leaves no reason', async () => {
  const { started, contract } = await start((addresses) => ({ ...addresses, solana: { ...sandbox.solana, rpcUrl: 'http://127.0.0.1:9' } }));
  try {
    const answer = textOf(await (await httpAgent(started)).call('moon_phase', { date: '2026-02-04' }));
    expect(answer).toMatch(/server "demo" for tool "moon_phase".*\(CHAIN_UNREACHABLE\)$/s);
    expect(await newest(contract)).toMatchObject({ tool: 'moon_phase', status: 'denied', reasonCode: 'CHAIN_UNREACHABLE', columns: { money: 'none' } });
  } finally {
    contract.close();
    await started.stop();
  }
});

test('a corrupted configuration, or a database of a newer version, is overwritten', async () => {
  const { started, contract } = await start();
  contract.close();
  await started.stop();
  const config = join(started.home, 'config.json');
  const good = readFileSync(config, 'utf8');
  writeFileSync(config, good.replace('"port"', 'port'));
  await expect(startApp({ home: started.home, env: { BURSAR_SANDBOX: ready } })).rejects.toThrow(/CONFIG_CORRUPT/);
  expect(readFileSync(config, 'utf8')).toBe(good.replace('"port"', 'port'));

  writeFileSync(config, good);
  const database = join(started.home, 'bursar.db');
  const bytes = readFileSync(database);
  bytes.writeUInt32BE(9999, 60); // PRAGMA user_version, at offset 60 of the file's header
  writeFileSync(database, bytes);
  await expect(startApp({ home: started.home, env: { BURSAR_SANDBOX: ready } })).rejects.toThrow(/DATABASE_TOO_NEW/);
  expect(readFileSync(database).equals(bytes)).toBe(true);
});
