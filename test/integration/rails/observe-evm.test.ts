import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestClient, createWalletClient, http, parseAbi, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import { createEvmClients, type EvmClients } from '../../../src/sandbox/evm/clients.ts';
import { findAsset } from '../../../src/core/registry/assets.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createEndpoint, type Endpoint } from '../../../src/main/adapters/chain/endpoint.ts';
import { lookAtEip3009, type SearchLimits } from '../../../src/main/adapters/chain/observe-eip3009.ts';
import { EVM_CHAIN_ID, EVM_NETWORK, EVM_USDC, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';
import { chainsOf, evmWallet, facilitate, signal, type Signed, type Wallet } from './shop.ts';

const LIFETIME_S = 60;

let sandbox: Sandbox;
let clients: EvmClients;
let chains: Chains;
let wallet: Wallet;
let payee: string;
let endpoint: Endpoint;

beforeAll(async () => {
  // Blocks come with transactions and when a test says so, so that finality does not move by itself.
  sandbox = await startSandbox({ faults: true, evmIntervalSeconds: 3_600 });
  clients = createEvmClients(sandbox.evm.rpcUrl);
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
  endpoint = createEndpoint(sandbox.evm.rpcUrl, 5_000);
  payee = sandbox.seller.payTo.evm;
});
afterAll(async () => {
  endpoint?.close();
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  wallet = evmWallet(chains);
  await sandbox.fund({ network: EVM_NETWORK, address: wallet.account.address, usdc: 1_000_000n, gas: true });
});
afterEach(() => sandbox.faults?.clear());

const observe = ({ terms, proof }: Signed, by: Chains = chains) => by.observeEip3009(terms, proof.track, signal);
// A test that moved the chain's time parts it from our clock; payments are signed by the chain's here.
const sign = async (): Promise<Signed> => {
  const { timestamp } = await clients.reader.getBlock();
  return wallet.sign({ payee, amount: 10_000n, maxTimeoutSeconds: LIFETIME_S, now: Math.max(Date.now(), Number(timestamp) * 1000) });
};
const balance = () => sandbox.balance(EVM_NETWORK, wallet.account.address);

async function cancel({ proof }: Signed): Promise<void> {
  const account = privateKeyToAccount(bytesToHex(wallet.privateKey));
  const nonce = proof.track.nonce as Hex;
  const signature = await account.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: EVM_CHAIN_ID, verifyingContract: EVM_USDC },
    types: { CancelAuthorization: [{ name: 'authorizer', type: 'address' }, { name: 'nonce', type: 'bytes32' }] },
    primaryType: 'CancelAuthorization',
    message: { authorizer: account.address, nonce },
  });
  const sender = createWalletClient({ account, chain: clients.reader.chain, transport: http(sandbox.evm.rpcUrl) });
  const hash = await sender.writeContract({ address: EVM_USDC, abi: parseAbi(['function cancelAuthorization(address,bytes32,bytes)']), functionName: 'cancelAuthorization', args: [account.address, nonce, signature] });
  const receipt = await clients.reader.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
}

describe('an EIP-3009 payment on the chain', () => {
  test('a settlement that is not seen, or is called final too early', async () => {
    const signed = await sign();
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    const { transaction } = await facilitate(sandbox, 'settle', signed);
    expect(await observe(signed)).toEqual({ state: 'settled', transaction, final: false });
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toEqual({ state: 'settled', transaction, final: true });
  });

  test('a settlement that is not found long after it happened', async () => {
    const signed = await sign();
    await clients.control.mine({ blocks: 12, interval: 2 });
    const { transaction } = await facilitate(sandbox, 'settle', signed);
    await clients.control.mine({ blocks: 12, interval: 2 });
    await sandbox.time.advanceEvm(7_200);
    await clients.control.mine({ blocks: 40, interval: 2 });
    const look = (limits: SearchLimits) => lookAtEip3009(endpoint, signed.terms, signed.proof.track, signal, { limits });
    expect(await look({ blocks: 5n, searches: 100 })).toEqual({ state: 'settled', transaction, final: true });
    expect(await look({ blocks: 1n, searches: 100 })).toEqual({ state: 'settled', transaction, final: true });
    expect(await look({ blocks: 1n, searches: 2 })).toMatchObject({ state: 'open' });
  });

  test('an unused authorization called dead before the finalized time passes its end', async () => {
    const signed = await sign();
    const { timestamp } = await clients.reader.getBlock();
    const left = Number(signed.proof.track.validBefore) - Number(timestamp);
    await clients.control.increaseTime({ seconds: left + 5 });
    await clients.control.mine({ blocks: 1 });
    expect((await clients.reader.getBlock()).timestamp).toBeGreaterThan(BigInt(signed.proof.track.validBefore!));
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: false });
    expect(await balance()).toBe(1_000_000n);
  });

  test('a cancelled authorization called settled, or dead before the cancellation is final', async () => {
    const signed = await sign();
    await cancel(signed);
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toEqual({ state: 'dead', why: 'The authorization was cancelled.' });
    expect(await balance()).toBe(1_000_000n);
  });

  test('I1, I5: a nonce that another transfer used: money open for ever, dead before that is final, or settled by the other’s transaction', async () => {
    const other = await sign();
    await facilitate(sandbox, 'settle', other);
    const signed: Signed = { ...other, terms: { ...other.terms, amount: baseUnits(900_000n) } };
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toEqual({ state: 'dead', why: 'Another transfer used the authorization’s nonce.' });
    expect(await observe(other)).toMatchObject({ state: 'settled', final: true });
  });

  test('an authorization cancelled after its end that stays open for ever', async () => {
    const signed = await sign();
    await sandbox.time.advanceEvm(LIFETIME_S + 60);
    await cancel(signed);
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
  });

  test('a settlement that a reorganisation took back but that stays settled', async () => {
    const signed = await sign();
    const control = createTestClient({ mode: 'anvil', transport: http(sandbox.evm.rpcUrl) });
    const snapshot = await control.snapshot();
    await facilitate(sandbox, 'settle', signed);
    expect(await observe(signed)).toMatchObject({ state: 'settled', final: false });
    await control.revert({ id: snapshot });
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: true });
    expect(await observe(signed)).toMatchObject({ state: 'settled' });
  });

  test('a facilitator that settles and answers 500: the money counted as not moved', async () => {
    const signed = await sign();
    sandbox.faults!.facilitator.set('settle', 'settle-then-500');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ status: 500 });
    expect(await observe(signed)).toMatchObject({ state: 'settled' });
    expect(await balance()).toBe(990_000n);
  });

  test('a facilitator that lies: the money counted as moved', async () => {
    const signed = await sign();
    sandbox.faults!.facilitator.set('settle', 'lie');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: true });
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(LIFETIME_S + 60);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
    expect(await balance()).toBe(1_000_000n);
  });

  test('another payment between the same parties taken for this one', async () => {
    const [first, second] = [await sign(), await sign()];
    await facilitate(sandbox, 'settle', first);
    expect(await observe(second)).toMatchObject({ state: 'open' });
    expect(await observe({ ...first, terms: { ...first.terms, amount: 9_999n as typeof first.terms.amount } })).toMatchObject({ state: 'open' });
    expect(await observe({ ...first, terms: { ...first.terms, payee: wallet.account.address } })).toMatchObject({ state: 'open' });
  });

  test('a track that cannot be read called dead', async () => {
    const { terms, proof } = await sign();
    await sandbox.time.advanceEvm(LIFETIME_S + 60);
    for (const track of [{}, { ...proof.track, validBefore: '' }, { ...proof.track, nonce: '0x' }, { ...proof.track, kind: 'exact-svm' }]) {
      expect(await chains.observeEip3009(terms, track, signal)).toMatchObject({ state: 'unreachable' });
    }
  });
});

describe('RPC servers that fail', () => {
  let near: RpcProxy;
  let far: RpcProxy;
  let both: Chains;
  let real: Chains;

  beforeAll(async () => {
    near = await startRpcProxy(sandbox.evm.rpcUrl);
    far = await startRpcProxy(sandbox.evm.rpcUrl);
    const urls = [near.url('localhost'), far.url('127.0.0.1')];
    both = chainsOf({ [EVM_NETWORK]: { rpcUrls: urls } }, { timeoutMs: 300 });
    real = chainsOf({ [EVM_NETWORK]: { rpcUrls: urls } }, { timeoutMs: 300, real: true });
  });
  afterAll(async () => {
    both?.close();
    real?.close();
    await Promise.all([near?.close(), far?.close()]);
  });
  beforeEach(() => {
    for (const proxy of [near, far]) {
      proxy.mode = 'pass';
      proxy.answers.clear();
      proxy.asked.length = 0;
    }
  });

  for (const mode of ['hang', '503', 'garbage', 'drop', 'cut', 'stall'] as const) {
    test(`a server that answers by ${mode}: a look that throws, hangs or calls the money dead`, async () => {
      const signed = await sign();
      await sandbox.time.advanceEvm(LIFETIME_S + 60);
      near.mode = mode;
      expect(await observe(signed, both)).toMatchObject({ state: 'dead' });
      far.mode = mode;
      const started = performance.now();
      expect(await observe(signed, both)).toMatchObject({ state: 'unreachable', why: expect.stringContaining('localhost') as string });
      expect(performance.now() - started).toBeLessThan(3_000);
    });
  }

  test('a server that works again being left out, or a dead one asked first every time', async () => {
    const { account, asset } = wallet;
    near.mode = '503';
    await both.balance(asset, account.address, { fresh: true });
    near.asked.length = far.asked.length = 0;
    await both.balance(asset, account.address, { fresh: true });
    expect([near.asked.length, far.asked.length]).toEqual([0, 1]);
    near.mode = 'pass';
    far.mode = '503';
    expect(await both.balance(asset, account.address, { fresh: true })).toBe(1_000_000n);
  });

  test('an aborted look that goes on', async () => {
    const signed = await sign();
    near.mode = far.mode = 'hang';
    const abort = new AbortController();
    const look = both.observeEip3009(signed.terms, signed.proof.track, abort.signal);
    abort.abort();
    expect(await look).toMatchObject({ state: 'unreachable' });
    expect(far.asked).not.toContain('eth_getBlockByNumber');
  });

  test('I5: real money called dead by one server alone', async () => {
    const signed = await sign();
    await sandbox.time.advanceEvm(LIFETIME_S + 60);
    expect(await observe(signed, real)).toMatchObject({ state: 'dead' });

    far.mode = '503';
    expect(await observe(signed, real)).toMatchObject({ state: 'open', why: expect.stringContaining('2 independent') as string });

    const same = chainsOf({ [EVM_NETWORK]: { rpcUrls: [near.url(), `${near.url()}/other`] } }, { real: true });
    expect(await observe(signed, same)).toMatchObject({ state: 'open' });
    same.close();
  });

  test('I5: a server that hides a settlement believed', async () => {
    const signed = await sign();
    const { transaction } = await facilitate(sandbox, 'settle', signed);
    await sandbox.time.advanceEvm(LIFETIME_S + 60);
    near.answers.set('eth_call', `0x${'0'.repeat(64)}`);
    expect(await observe(signed, real)).toEqual({ state: 'settled', transaction, final: false });
  });

  test('a server of another network believed', async () => {
    const signed = await sign();
    const other = chainsOf({ 'eip155:8453': { rpcUrls: [sandbox.evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
    await expect(other.balance(findAsset('eip155:8453', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')!, wallet.account.address)).rejects.toThrow('another network');
    await expect(other.latestBlockhash(SOLANA_NETWORK, signal)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    expect(await observe({ ...signed, terms: { ...signed.terms, network: 'eip155:8453' } }, other)).toMatchObject({ state: 'unreachable', why: expect.stringContaining('another network') as string });
    other.close();
  });

  test('an address with a key in it that shows in a message', async () => {
    const keyed = chainsOf({ [EVM_NETWORK]: { rpcUrls: ['http://user:hunter2@127.0.0.1:9/v2/hunter2?key=hunter2'] } });
    const error = await keyed.balance(wallet.asset, wallet.account.address).catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.stringContaining('127.0.0.1:9') as string });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
    keyed.close();
  });
});
