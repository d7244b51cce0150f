import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Proof, Rail } from '../../../src/core/ports.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createFacilitators, type Facilitators } from '../../../src/main/adapters/facilitators/facilitators.ts';
import { createClientSettled } from '../../../src/main/rails/client-settled.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { offerOf, termsOf } from '../../unit/rails/fixtures.ts';
import { chainsOf, evmWallet, feePayerOf, signal, silent, solanaWallet, type Wallet } from './shop.ts';

/** A facilitator on a real socket that answers as the test says, and passes everything else on. */
interface Facilitator {
  readonly url: string;
  /** Method and path of every request with its body, in order. */
  readonly asked: { path: string; body: string }[];
  /** Status of every answer to `/settle`; undefined: ask the real one. */
  status: number | 'hang' | undefined;
  /** Kinds that `/supported` lists; undefined: those of the real one. */
  kinds: object[] | undefined;
  close(): Promise<void>;
}

let sandbox: Sandbox;
let chains: Chains;
let primary: Facilitator;
let fallback: Facilitator;
let facilitators: Facilitators;

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  sandbox = await startSandbox({ faults: true });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
  [primary, fallback] = [await startFacilitator(sandbox.facilitatorUrl), await startFacilitator(sandbox.facilitatorUrl)];
  facilitators = createFacilitators({ addresses: () => [primary.url, fallback.url], log: silent, tryMs: 1_000, retryAfterMs: [50, 100] });
});
afterAll(async () => {
  chains?.close();
  await Promise.all([primary?.close(), fallback?.close()]);
  await sandbox?.close();
});
afterEach(() => {
  for (const facilitator of [primary, fallback]) {
    facilitator.status = undefined;
    facilitator.kinds = undefined;
    facilitator.asked.length = 0;
  }
  sandbox.faults!.clear();
});

async function startFacilitator(target: string): Promise<Facilitator> {
  const asked: Facilitator['asked'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const path = request.url ?? '';
      asked.push({ path, body });
      if (path === '/supported' && facilitator.kinds) return void response.end(JSON.stringify({ kinds: facilitator.kinds }));
      const { status } = facilitator;
      if (path === '/settle' && status === 'hang') return;
      if (path === '/settle' && typeof status === 'number') return void response.writeHead(status).end(JSON.stringify({ success: false, errorReason: 'insufficient_funds' }));
      fetch(`${target}${path}`, request.method === 'POST' ? { method: 'POST', headers: { 'content-type': 'application/json' }, body } : {})
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch(() => response.writeHead(502).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const facilitator: Facilitator = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    status: undefined,
    kinds: undefined,
    close: () => new Promise((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
  return facilitator;
}
const settles = (facilitator: Facilitator) => facilitator.asked.filter(({ path }) => path === '/settle').map(({ body }) => body);

interface Shop {
  readonly network: typeof EVM_NETWORK | typeof SOLANA_NETWORK;
  readonly payee: string;
  readonly account: Account;
  readonly rail: Rail;
  sign(): Promise<{ terms: Terms; proof: Proof }>;
  submit(signed: { terms: Terms; proof: Proof }, ms?: number): ReturnType<NonNullable<Rail['submit']>>;
  balance(): Promise<bigint>;
}

async function shopOf(wallet: Wallet, payee: string): Promise<Shop> {
  const network = wallet.asset.network as Shop['network'];
  await sandbox.fund({ network, address: wallet.account.address, usdc: 1_000_000n });
  const rail = createClientSettled(wallet.rail, facilitators);
  return {
    network,
    payee,
    account: wallet.account,
    rail,
    async sign() {
      const offer = { ...offerOf(wallet.asset, { payee, amount: 10_000n }), settlement: 'client' as const };
      const terms: Terms = { ...termsOf(offer, wallet.asset, wallet.account, rail.check(offer, wallet.asset).payee), flow: 'prepay' };
      return { terms, proof: await rail.sign({ terms, offer, asset: wallet.asset, account: wallet.account, now: Date.now(), signal }) };
    },
    submit: ({ terms, proof }, ms = 20_000) => rail.submit!(terms, proof.track, AbortSignal.timeout(ms)),
    balance: () => sandbox.balance(network, wallet.account.address),
  };
}

describe.each(['EVM', 'Solana'])('settlement by the client on %s', (chain) => {
  let shop: Shop;
  beforeEach(async () => {
    shop = chain === 'EVM' ? await shopOf(evmWallet(chains), sandbox.seller.payTo.evm) : await shopOf(await solanaWallet(chains, await feePayerOf(sandbox)), sandbox.seller.payTo.solana);
  });

  test('money that does not move before the retry, or moves twice', async () => {
    const signed = await shop.sign();
    expect(settles(primary)).toEqual([]);
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(settles(primary)).toHaveLength(1);
    expect(settles(fallback)).toHaveLength(0);
    expect(await shop.balance()).toBe(990_000n);
  });

  test('a primary that is down: no fallback, too few or too many tries, or other bytes', async () => {
    primary.status = 503;
    const signed = await shop.sign();
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(settles(primary)).toHaveLength(3);
    expect(new Set([...settles(primary), ...settles(fallback)]).size).toBe(1);
    expect(settles(fallback)).toHaveLength(1);
    expect(await shop.balance()).toBe(990_000n);
  });

  test('a refusal (4xx) that is tried again', async () => {
    primary.status = 400;
    const signed = await shop.sign();
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(settles(primary)).toHaveLength(1);
  });

  test('I1: a facilitator that settles and answers 500: the fallback’s "already settled" taken for unpaid', async () => {
    sandbox.faults!.facilitator.set('settle', 'settle-then-500');
    const signed = await shop.sign();
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(await shop.balance()).toBe(990_000n);
  });

  test('I5: a facilitator that lies taken at its word', async () => {
    sandbox.faults!.facilitator.set('settle', 'lie');
    const signed = await shop.sign();
    expect(await shop.submit(signed, 1_500)).toMatchObject({ state: 'open' });
    sandbox.faults!.clear();
    expect(await shop.submit(signed)).toMatchObject({ state: 'settled' });
    expect(await shop.balance()).toBe(990_000n);
  });
});

test('Solana: a fallback that lacks the fee payer’s key is given the proof', async () => {
  const shop = await shopOf(await solanaWallet(chains, await feePayerOf(sandbox)), sandbox.seller.payTo.solana);
  primary.status = 503;
  const signed = await shop.sign();
  fallback.kinds = [{ x402Version: 2, scheme: 'exact', network: SOLANA_NETWORK, extra: { feePayer: sandbox.seller.payTo.solana } }];
  expect(await shop.submit(signed, 2_500)).toMatchObject({ state: 'open' });
  expect(settles(fallback)).toEqual([]);
  expect(signed.proof.track).toMatchObject({ kind: 'exact-svm', feePayer: await feePayerOf(sandbox) });
});

test('the error says that nobody answered where somebody refused, or the other way round', async () => {
  const settle = (network = EVM_NETWORK as typeof EVM_NETWORK) => facilitators.settle({ network, body: '{}', signal });
  primary.status = 503;
  fallback.status = 'hang';
  await expect(settle()).rejects.toMatchObject({ code: 'FACILITATOR_ERROR', message: expect.stringContaining('did not answer in time') as string });
  expect(settles(fallback)).toHaveLength(3);
  fallback.status = 402;
  await expect(settle()).rejects.toMatchObject({ code: 'SETTLEMENT_FAILED', message: expect.stringContaining('insufficient_funds') as string });
  const nobody = createFacilitators({ addresses: () => [], log: silent });
  await expect(nobody.settle({ network: EVM_NETWORK, body: '{}', signal })).rejects.toMatchObject({ code: 'FACILITATOR_ERROR' });
});
