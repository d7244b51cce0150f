import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { EVM_NETWORK, SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { random, solanaAccount } from '../../unit/rails/fixtures.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';
import { chainsOf, evmWallet, facilitate, feePayerOf, signal, solanaWallet, type Wallet } from './shop.ts';

let sandbox: Sandbox;
let chains: Chains;
let proxies: { evm: RpcProxy; solana: RpcProxy };
let evm: Wallet;
let solana: Wallet;

beforeAll(async () => {
  sandbox = await startSandbox();
  proxies = { evm: await startRpcProxy(sandbox.evm.rpcUrl), solana: await startRpcProxy(sandbox.solana.rpcUrl) };
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [proxies.evm.url()] }, [SOLANA_NETWORK]: { rpcUrls: [proxies.solana.url()] } });
  evm = evmWallet(chains);
  solana = await solanaWallet(chains, await feePayerOf(sandbox));
  await sandbox.fund({ network: EVM_NETWORK, address: evm.account.address, usdc: 1_000_000_000_000n });
  await sandbox.fund({ network: SOLANA_NETWORK, address: solana.account.address, usdc: 1_000_000_000_000n });
});
afterAll(async () => {
  chains?.close();
  await Promise.all([proxies?.evm.close(), proxies?.solana.close()]);
  await sandbox?.close();
});

const below = (max: number): number => Buffer.from(random(6)).readUIntBE(0, 6) % max;

test('an EVM proof that the stock facilitator does not accept or settle for its exact amount', async () => {
  const payee = sandbox.seller.payTo.evm;
  for (let count = 0; count < 5; count++) {
    const amount = BigInt(1 + below(1_000_000));
    const signed = await evm.sign({ payee, amount });
    const before = [await sandbox.balance(EVM_NETWORK, evm.account.address), await sandbox.balance(EVM_NETWORK, payee)] as const;
    expect(await facilitate(sandbox, 'verify', signed)).toMatchObject({ isValid: true, payer: evm.account.address });
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: true });
    expect(await sandbox.balance(EVM_NETWORK, evm.account.address)).toBe(before[0] - amount);
    expect(await sandbox.balance(EVM_NETWORK, payee)).toBe(before[1] + amount);
  }
});

test('a Solana proof that the stock facilitator does not accept or settle for its exact amount', async () => {
  const payee = sandbox.seller.payTo.solana;
  for (let count = 0; count < 5; count++) {
    const amount = BigInt(1 + below(1_000_000));
    const signed = await solana.sign({ payee, amount });
    const before = [await sandbox.balance(SOLANA_NETWORK, solana.account.address), await sandbox.balance(SOLANA_NETWORK, payee)] as const;
    expect(await facilitate(sandbox, 'verify', signed)).toMatchObject({ isValid: true, payer: solana.account.address });
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: true });
    expect(await sandbox.balance(SOLANA_NETWORK, solana.account.address)).toBe(before[0] - amount);
    expect(await sandbox.balance(SOLANA_NETWORK, payee)).toBe(before[1] + amount);
  }
});

test('more RPC calls than none on EVM and one on Solana in signing', async () => {
  proxies.evm.asked.length = 0;
  proxies.solana.asked.length = 0;
  await evm.sign({ payee: sandbox.seller.payTo.evm, amount: 1n });
  await solana.sign({ payee: sandbox.seller.payTo.solana, amount: 1n });
  expect(proxies.evm.asked).toEqual([]);
  expect(proxies.solana.asked).toEqual(['getLatestBlockhash']);
});

test('a balance other than the chain’s', async () => {
  for (const { asset, account } of [evm, solana]) {
    const truth = await sandbox.balance(asset.network as typeof EVM_NETWORK, account.address);
    expect(await chains.balance(asset, account.address, { fresh: true })).toBe(truth);
  }
  const stranger = (await solanaAccount(random(32))).address;
  expect(await chains.balance(solana.asset, stranger)).toBe(0n);
});

test('equal balance questions that are asked twice, or a fresh one that is not asked', async () => {
  const { asset, account } = evm;
  await chains.balance(asset, account.address, { fresh: true });
  proxies.evm.asked.length = 0;
  await Promise.all([chains.balance(asset, account.address), chains.balance(asset, account.address)]);
  expect(proxies.evm.asked).toEqual([]);
  const other = privateKeyToAddress(bytesToHex(random(32)));
  await Promise.all([chains.balance(asset, other), chains.balance(asset, other)]);
  expect(proxies.evm.asked).toEqual(['eth_call']);
  await chains.balance(asset, other, { fresh: true, signal });
  expect(proxies.evm.asked).toEqual(['eth_call', 'eth_call']);
});
