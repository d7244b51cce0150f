import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { address, createSolanaRpc } from '@solana/kit';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Fee, Proof, Rail } from '../../../src/core/ports.ts';
import { coinOf } from '../../../src/core/registry/coins.ts';
import type { Asset } from '../../../src/core/registry/assets.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { verifyTransferSvm } from '../../../src/main/rails/transfer-svm-decode.ts';
import { createTransferSvm } from '../../../src/main/rails/transfer-svm.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';
import { keyRing, offerOf, random, solanaAccount, termsOf } from '../../unit/rails/fixtures.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';
import { chainsOf, signal, SOLANA_ASSET } from './shop.ts';

const EXPIRY_SLOTS = 160;

let sandbox: Sandbox;
let chains: Chains;
let proxy: RpcProxy;
let account: Account;
let rail: Rail;
let sent: string[];

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, slotMs: 3_600_000 });
  proxy = await startRpcProxy(sandbox.solana.rpcUrl);
  chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [proxy.url()] } });
});
afterAll(async () => {
  chains?.close();
  await proxy?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  const privateKey = random(32);
  account = await solanaAccount(privateKey);
  rail = createRail(account, privateKey);
  await sandbox.fund({ network: SOLANA_NETWORK, address: account.address, usdc: 1_000_000n, gas: true });
  sandbox.time.advanceSolana(5);
});
afterEach(() => {
  proxy.mode = 'pass';
  proxy.answers.clear();
  sandbox.faults?.clear();
});

function createRail(payer: Account, privateKey: Uint8Array): Rail {
  sent = [];
  return createTransferSvm({
    keys: keyRing(payer, privateKey),
    random,
    latestBlockhash: chains.latestBlockhash,
    accounts: () => chains.solanaAccounts,
    observe: chains.observeTransferSvm,
    send: (network, wire, stop) => {
      sent.push(wire);
      return chains.sendSolana(network, wire, stop);
    },
  });
}

async function sign({ payee = sandbox.seller.payTo.solana, amount = 10_000n, asset = SOLANA_ASSET, fees }: { payee?: string; amount?: bigint; asset?: Asset; fees?: readonly Fee[] } = {}) {
  const offer = { ...offerOf(asset, { payee, amount }), scheme: 'transfer' };
  const terms: Terms = { ...termsOf(offer, asset, account), flow: 'prepay' };
  return { terms, offer, proof: await rail.sign({ terms, offer, asset, account, now: Date.now(), signal, ...(fees && { fees }) }) };
}
type Signed = { terms: Terms; proof: Proof };
const submit = ({ terms, proof }: Signed, stop = AbortSignal.timeout(20_000)) => rail.submit!(terms, proof.track, stop);
const observe = ({ terms, proof }: Signed) => rail.observe(terms, proof.track, signal);
const usdc = (owner: string) => sandbox.balance(SOLANA_NETWORK, owner);
const lamports = async (owner: string) => (await createSolanaRpc(sandbox.solana.rpcUrl).getBalance(address(owner)).send()).value;
const stranger = async () => (await solanaAccount(random(32))).address;

describe('a transfer of one’s own on Solana', () => {
  test('an amount, payee or proof other than what was asked', async () => {
    const payee = sandbox.seller.payTo.solana;
    const before = [await usdc(account.address), await usdc(payee), await lamports(account.address)] as const;
    const signed = await sign();
    expect(sent).toEqual([]);
    expect(await usdc(payee)).toBe(before[1]);
    const payload = JSON.parse(signed.proof.payloadText) as Record<string, string>;
    expect(Object.keys(payload)).toEqual(['signature', 'timestamp', 'amount', 'from']);
    expect(payload).toMatchObject({ signature: signed.proof.track.signature, amount: '10000', from: account.address });
    expect(new Date(payload.timestamp!).toISOString()).toBe(payload.timestamp);

    const fees = await rail.fees!(signed.terms, signal);
    expect(await submit(signed)).toEqual({ state: 'settled', transaction: payload.signature, final: false });
    expect([await usdc(account.address), await usdc(payee)]).toEqual([before[0] - 10_000n, before[1] + 10_000n]);
    expect(before[2] - (await lamports(account.address))).toBe(fees[0]!.units);
    sandbox.time.advanceSolana(5);
    expect(await observe(signed)).toMatchObject({ state: 'settled', final: true });
  });

  test('I1: a second transfer where a crash lay between journal and submit, or between submit and answer', async () => {
    const signed = await sign();
    // Nothing but the journaled track is left: another process submits, twice.
    await submit(signed);
    rail = createRail(account, random(32));
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(sent).toEqual([]);
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('I1: a transaction that landed while its answer was lost is sent as another one, or called unpaid', async () => {
    const signed = await sign();
    sandbox.faults!.solana.set('sendTransaction', 'then-http-503');
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(new Set(sent).size).toBe(1);
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('I5: an outcome that is not known called settled or dead; and it stays unpaid although it is submitted again', async () => {
    const signed = await sign();
    proxy.mode = '503';
    expect(await submit(signed, AbortSignal.timeout(300))).toMatchObject({ state: 'unreachable' });
    proxy.mode = 'pass';
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(await usdc(account.address)).toBe(990_000n);
  });

  test('I5: an expired transaction that stays open, is sent again, or counts as paid', async () => {
    const signed = await sign();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await submit(signed)).toMatchObject({ state: 'dead' });
    expect(sent).toEqual([]);
    expect(await usdc(account.address)).toBe(1_000_000n);
  });

  test('I5: a transaction whose blockhash expires on its way waits for ever', async () => {
    const signed = await sign();
    sandbox.faults!.solana.set('sendTransaction', 'expire-first');
    const submitting = submit(signed);
    await expect.poll(() => sent.length).toBeGreaterThan(0);
    sandbox.faults!.clear();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await submitting).toMatchObject({ state: 'dead' });
    expect(await usdc(account.address)).toBe(1_000_000n);
  });

  test('a history that was cut off before the signing taken for all of it', async () => {
    const signed = await sign();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    proxy.answers.set('getFirstAvailableBlock', Number(signed.proof.track.slot) + 1);
    expect(await observe(signed)).toMatchObject({ state: 'open', why: expect.stringContaining('history') as string });
  });

  test('two equal payments under one blockhash that are one transaction', async () => {
    const [first, second] = [await sign(), await sign()];
    expect(first.proof.track.blockhash).toBe(second.proof.track.blockhash);
    await submit(first);
    await submit(second);
    expect(await usdc(account.address)).toBe(980_000n);
  });

  test('a payee without a token account that is not paid, or whose rent is not shown', async () => {
    const payee = await stranger();
    const signed = await sign({ payee });
    const [fee] = await rail.fees!(signed.terms, signal);
    const before = await lamports(account.address);
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(await usdc(payee)).toBe(10_000n);
    expect(fee).toMatchObject({ asset: { symbol: 'SOL' }, units: before - (await lamports(account.address)) });
    expect(fee!.units).toBeGreaterThan(2_000_000n);
  });

  test('I3: rent or a fee beyond what was held for it is paid', async () => {
    const asset = coinOf(SOLANA_NETWORK);
    await sign({ fees: [{ asset, units: baseUnits(5_001n) }] });
    await expect(sign({ fees: [{ asset, units: baseUnits(5_000n) }] })).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    await expect(sign({ payee: await stranger(), fees: [{ asset, units: baseUnits(5_001n) }] })).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
    await expect(sign({ fees: [] })).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
  });

  test('an account without SOL for fee and rent that signs', async () => {
    const privateKey = random(32);
    account = await solanaAccount(privateKey);
    rail = createRail(account, privateKey);
    await sandbox.fund({ network: SOLANA_NETWORK, address: account.address, usdc: 1_000_000n });
    await expect(sign()).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  test('a payee that is a token account, where the money would be lost', async () => {
    const { value } = await createSolanaRpc(sandbox.solana.rpcUrl).getTokenAccountsByOwner(address(sandbox.seller.payTo.solana), { mint: address(SOLANA_ASSET.address) }, { encoding: 'base64' }).send();
    await expect(sign({ payee: value[0]!.pubkey })).rejects.toMatchObject({ code: 'PAYEE_INVALID' });
  });

  test('SOL that does not arrive exactly, or costs more than its fee', async () => {
    const payee = await stranger();
    const asset = coinOf(SOLANA_NETWORK);
    const before = await lamports(account.address);
    const signed = await sign({ payee, amount: 100_000_000n, asset });
    const [fee] = await rail.fees!(signed.terms, signal);
    expect(await submit(signed)).toMatchObject({ state: 'settled' });
    expect(await lamports(payee)).toBe(100_000_000n);
    expect(await lamports(account.address)).toBe(before - 100_000_000n - fee!.units);
    await expect(sign({ payee, amount: before, asset })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  test('I2: one changed byte or term that passes the check', async () => {
    const { terms, proof } = await sign();
    const wire = Buffer.from(proof.track.wire!, 'base64');
    // The message ends with the number of its address tables.
    const memo = wire.subarray(wire.length - 33, wire.length - 1);
    const instance = { memo, blockhash: proof.track.blockhash!, units: 60_000, create: false };
    await verifyTransferSvm(proof.track.wire!, terms, instance);
    const mismatch = { code: 'PROOF_MISMATCH' };
    for (let at = 0; at < wire.length; at += 1) {
      const changed = Buffer.from(wire);
      changed[at] = changed[at]! ^ 1;
      await expect(verifyTransferSvm(changed.toString('base64'), terms, instance), `byte ${at}`).rejects.toMatchObject(mismatch);
    }
    const other = await stranger();
    for (const change of [{ payee: other }, { payer: other }, { amount: baseUnits(10_001n) }, { asset: other }] as Partial<Terms>[]) {
      await expect(verifyTransferSvm(proof.track.wire!, { ...terms, ...change }, instance), JSON.stringify(Object.keys(change))).rejects.toMatchObject(mismatch);
    }
    await expect(verifyTransferSvm(proof.track.wire!, terms, { ...instance, create: true })).rejects.toMatchObject(mismatch);
    await expect(verifyTransferSvm(proof.track.wire!, terms, { ...instance, units: 1 })).rejects.toMatchObject(mismatch);
  });
});
