import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPublicClient, createWalletClient, http, parseEther, parseGwei, parseTransaction, type Hex } from 'viem';
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Fee, Proof, Rail } from '../../../src/core/ports.ts';
import type { Asset } from '../../../src/core/registry/assets.ts';
import { coinOf } from '../../../src/core/registry/coins.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createTransferEvm, verifyTransferEvm } from '../../../src/main/rails/transfer-evm.ts';
import { createEvmClients, type EvmClients } from '../../../src/sandbox/evm/clients.ts';
import { EVM_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { evmAccount, keyRing, offerOf, random, termsOf } from '../../unit/rails/fixtures.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';
import { chainsOf, EVM_ASSET, signal } from './shop.ts';

let sandbox: Sandbox;
let clients: EvmClients;
let chains: Chains;
let proxy: RpcProxy;
let privateKey: Uint8Array;
let account: Account;
let rail: Rail;
let sent: Hex[];
/** Transactions do not reach the chain while this is set. */
let heldBack: boolean;

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, evmIntervalSeconds: 3_600 });
  proxy = await startRpcProxy(sandbox.evm.rpcUrl);
  clients = createEvmClients(sandbox.evm.rpcUrl);
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [proxy.url()] } });
});
afterAll(async () => {
  chains?.close();
  await proxy?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  proxy.answers.clear();
  proxy.mode = 'pass';
  heldBack = false;
  privateKey = random(32);
  account = evmAccount(privateKey);
  rail = createRail();
  await sandbox.fund({ network: EVM_NETWORK, address: account.address, usdc: 1_000_000n, gas: true });
});

function createRail(): Rail {
  sent = [];
  const send: Chains['evmTransactions']['send'] = async (network, raw, stop) => {
    sent.push(raw);
    if (!heldBack) await chains.evmTransactions.send(network, raw, stop);
  };
  return createTransferEvm({ keys: keyRing(account, privateKey), observe: chains.observeTransferEvm, transactions: () => ({ ...chains.evmTransactions, send }) });
}

async function sign({ payee = sandbox.seller.payTo.evm, amount = 10_000n, asset = EVM_ASSET, fees }: { payee?: string; amount?: bigint; asset?: Asset; fees?: readonly Fee[] } = {}) {
  const offer = { ...offerOf(asset, { payee, amount }), scheme: 'transfer' };
  const terms: Terms = { ...termsOf(offer, asset, account, rail.check(offer, asset).payee), flow: 'prepay' };
  return { terms, proof: await rail.sign({ terms, offer, asset, account, now: Date.now(), signal: AbortSignal.timeout(20_000), ...(fees && { fees }) }) };
}
type Signed = { terms: Terms; proof: Proof };
const submit = ({ terms, proof }: Signed, stop = AbortSignal.timeout(20_000)) => rail.submit!(terms, proof.track, stop);
const observe = ({ terms, proof }: Signed) => rail.observe(terms, proof.track, signal);
/** As a row of an earlier version has it. */
const withoutBlock = ({ terms, proof }: Signed): Signed => {
  const { block: _, ...track } = proof.track;
  return { terms, proof: { ...proof, track } };
};
const usdc = (owner: string) => sandbox.balance(EVM_NETWORK, owner);
const wei = (owner: string) => createPublicClient({ transport: http(sandbox.evm.rpcUrl) }).getBalance({ address: owner as Hex });
const stranger = () => privateKeyToAddress(bytesToHex(random(32)));
/** Another transaction of the account, with the nonce that it has now. */
const spendNonce = async (nonce: number) => {
  const wallet = createWalletClient({ account: privateKeyToAccount(bytesToHex(privateKey)), chain: clients.wallet.chain, transport: http(sandbox.evm.rpcUrl) });
  const hash = await wallet.sendTransaction({ to: stranger(), value: 1n, nonce, maxFeePerGas: parseGwei('100'), maxPriorityFeePerGas: parseGwei('50') });
  await clients.reader.waitForTransactionReceipt({ hash });
};

describe('a transfer of one’s own on an EVM network', () => {
  test('tokens that do not arrive exactly, or cost more than was shown', async () => {
    const payee = stranger();
    const before = await wei(account.address);
    const signed = await sign({ payee });
    expect(sent).toEqual([]);
    const [fee] = await rail.fees!(signed.terms, signal);
    expect(await submit(signed)).toEqual({ state: 'settled', transaction: signed.proof.track.transaction, final: false });
    expect([await usdc(account.address), await usdc(payee)]).toEqual([990_000n, 10_000n]);
    expect(before - (await wei(account.address))).toBeLessThanOrEqual(fee!.units);
    await sandbox.time.advanceEvm(0);
    expect(await observe(signed)).toMatchObject({ state: 'settled', final: true });
    expect(JSON.parse(signed.proof.payloadText)).toMatchObject({ signature: signed.proof.track.transaction, amount: '10000', from: account.address });
  });

  test('ether that does not arrive exactly', async () => {
    const payee = stranger();
    const signed = await sign({ payee, amount: parseEther('0.1'), asset: coinOf(EVM_NETWORK) });
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(await wei(payee)).toBe(parseEther('0.1'));
    await expect(sign({ payee, amount: parseEther('0.9'), asset: coinOf(EVM_NETWORK) })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  test('I1: a second transfer where a crash lay between journal and submit, or between submit and answer', async () => {
    const signed = await sign();
    rail = createRail();
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    rail = createRail();
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(sent).toEqual([]);
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('I1: a transaction that a node swallowed is signed anew instead of sent again', async () => {
    const signed = await sign();
    heldBack = true;
    const submitting = submit(signed);
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    heldBack = false;
    expect(await submitting).toMatchObject({ state: 'settled' });
    expect(new Set(sent)).toEqual(new Set([signed.proof.track.raw]));
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('I5: a nonce that another transaction consumed: money called open for ever, or dead before that is final', async () => {
    const signed = await sign();
    await spendNonce(Number(signed.proof.track.nonce));
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(0);
    expect(await submit(signed)).toEqual({ state: 'dead', why: 'Another transaction of the account took its place.' });
    expect(await usdc(account.address)).toBe(1_000_000n);
  });

  test('I1, I5: a transfer that landed called dead while its receipt is missing', async () => {
    const signed = await sign();
    await submit(signed);
    await sandbox.time.advanceEvm(0);
    proxy.answers.set('eth_getTransactionReceipt', null);
    expect(await observe(signed)).toMatchObject({ state: 'open', why: expect.stringContaining('is in a block') as string });
    expect(await observe(withoutBlock(signed))).toMatchObject({ state: 'open' });
    proxy.answers.clear();
    expect(await observe(signed)).toMatchObject({ state: 'settled', final: true });
  });

  test('I5: money called dead by a server that does not show what took its nonce', async () => {
    const signed = await sign();
    await spendNonce(Number(signed.proof.track.nonce));
    await sandbox.time.advanceEvm(0);
    proxy.answers.set('eth_getTransactionCount', '0x7');
    expect(await observe(signed)).toMatchObject({ state: 'open', why: expect.stringContaining('does not show by what') as string });
    proxy.answers.clear();
    expect(await observe(withoutBlock(signed))).toMatchObject({ state: 'dead' });
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
  });

  test('I1: two payments under one nonce that are one transaction', async () => {
    const first = await sign({ amount: 10_000n });
    rail = createRail(); // the process died before it sent the first
    const second = await sign({ amount: 10_000n });
    expect(second.proof.track.nonce).toBe(first.proof.track.nonce);
    expect(second.proof.track.transaction).not.toBe(first.proof.track.transaction);
  });

  test('I5: an outcome that is not known called settled or dead', async () => {
    const signed = await sign();
    proxy.mode = '503';
    expect(await submit(signed, AbortSignal.timeout(300))).toMatchObject({ state: 'unreachable' });
    proxy.mode = 'pass';
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('two payments at once that take the same nonce: one of them is lost', async () => {
    const [first, second] = await Promise.all([sign().then(async (signed) => ({ signed, seen: await submit(signed) })), sign().then(async (signed) => ({ signed, seen: await submit(signed) }))]);
    expect([first.seen, second.seen]).toMatchObject([{ state: 'settled' }, { state: 'settled' }]);
    expect(first.signed.proof.track.nonce).not.toBe(second.signed.proof.track.nonce);
    expect(await usdc(account.address)).toBe(980_000n);
  });

  test('I3: a fee beyond what was held for it can be paid', async () => {
    const asset = coinOf(EVM_NETWORK);
    const [shown] = await rail.fees!((await sign()).terms, signal);
    rail = createRail();
    const units = baseUnits((shown!.units * 100n) / 125n - 1n);
    const { proof } = await sign({ fees: [{ asset, units }] });
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(proof.track.raw as Hex);
    expect(gas * maxFeePerGas).toBeLessThanOrEqual(units);
    rail = createRail();
    await expect(sign({ fees: [{ asset, units: baseUnits(1_000n) }] })).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
  });

  test('a transfer that the token refuses: gas is spent on it', async () => {
    await expect(sign({ amount: 2_000_000n })).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.stringContaining('exceeds balance') });
    expect(sent).toEqual([]);
  });

  test('I2: a transaction that does anything else passes the check', async () => {
    const { terms, proof } = await sign();
    const raw = proof.track.raw as Hex;
    const check = (change: Partial<Terms>, nonce = Number(proof.track.nonce), maxGasFee = parseEther('1')) => verifyTransferEvm(raw, { ...terms, ...change }, { nonce, maxGasFee });
    await check({});
    const mismatch = { code: 'PROOF_MISMATCH' };
    for (const change of [{ payee: stranger() }, { payer: stranger() }, { amount: baseUnits(1n) }, { asset: stranger() }, { asset: coinOf(EVM_NETWORK).address }, { network: 'eip155:8453' }] as Partial<Terms>[]) {
      await expect(check(change), JSON.stringify(Object.keys(change))).rejects.toMatchObject(mismatch);
    }
    await expect(check({}, Number(proof.track.nonce) + 1)).rejects.toMatchObject(mismatch);
    await expect(check({}, Number(proof.track.nonce), 1n)).rejects.toMatchObject(mismatch);
  });
});
