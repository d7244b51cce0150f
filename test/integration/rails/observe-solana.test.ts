import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createKeyPairFromPrivateKeyBytes,
  createSolanaRpc,
  getAddressFromPublicKey,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  partiallySignTransaction,
  type Base64EncodedWireTransaction,
} from '@solana/kit';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { random } from '../../unit/rails/fixtures.ts';
import { startRpcProxy, type RpcProxy } from './rpc-proxy.ts';
import { chainsOf, facilitate, feePayerOf, signal, solanaWallet, type Signed, type Wallet } from './shop.ts';

/** Slots in which a blockhash lives and those that make them final. */
const EXPIRY_SLOTS = 160;

let sandbox: Sandbox;
let chains: Chains;
let wallet: Wallet;
let payee: string;
let feePayer: CryptoKeyPair;

beforeAll(async () => {
  // The stock facilitator writes every fault to the console.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  // Slots pass with transactions and when a test says so, so that finality does not move by itself.
  sandbox = await startSandbox({ faults: true, slotMs: 3_600_000, confirmationTimeoutMs: 2_000 });
  chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [sandbox.solana.rpcUrl] } });
  payee = sandbox.seller.payTo.solana;
  feePayer = await createKeyPairFromPrivateKeyBytes(random(32));
  await sandbox.fund({ network: SOLANA_NETWORK, address: await getAddressFromPublicKey(feePayer.publicKey), gas: true });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  wallet = await solanaWallet(chains, await feePayerOf(sandbox));
  await sandbox.fund({ network: SOLANA_NETWORK, address: wallet.account.address, usdc: 1_000_000n });
  sandbox.time.advanceSolana(5);
});
afterEach(() => sandbox.faults?.clear());

const observe = ({ terms, proof }: Signed, by: Chains = chains) => by.observeExactSvm(terms, proof.track, signal);
const sign = (): Promise<Signed> => wallet.sign({ payee, amount: 10_000n });
const balance = () => sandbox.balance(SOLANA_NETWORK, wallet.account.address);

describe('a Solana payment on the chain', () => {
  test('a settlement that is not seen, or is called final too early', async () => {
    const signed = await sign();
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    const { transaction } = await facilitate(sandbox, 'settle', signed);
    expect(transaction).not.toBe(signed.proof.track.signature);
    expect(await observe(signed)).toEqual({ state: 'settled', transaction, final: false });
    sandbox.time.advanceSolana(5);
    expect(await observe(signed)).toEqual({ state: 'settled', transaction, final: true });
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await observe(signed)).toEqual({ state: 'settled', transaction, final: true });
  });

  test('an unsent transaction called dead before its blockhash expired for good', async () => {
    const signed = await sign();
    const finalTo = async (height: bigint) => {
      const { blockHeight } = await createSolanaRpc(sandbox.solana.rpcUrl).getEpochInfo({ commitment: 'finalized' }).send();
      sandbox.time.advanceSolana(Number(height - blockHeight));
    };
    await finalTo(BigInt(signed.proof.track.lastValidBlockHeight!));
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    sandbox.time.advanceSolana(1);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: false });
    expect(await balance()).toBe(1_000_000n);
  });

  test('a transaction that failed on the chain called settled, or dead before that is final', async () => {
    wallet = await solanaWallet(chains, await getAddressFromPublicKey(feePayer.publicKey));
    await sandbox.fund({ network: SOLANA_NETWORK, address: wallet.account.address, usdc: 100n });
    const signed = await sign();
    await submit(signed);
    expect(await observe(signed)).toMatchObject({ state: 'open', why: expect.stringContaining('failed') as string });
    sandbox.time.advanceSolana(5);
    expect(await observe(signed)).toMatchObject({ state: 'dead', why: expect.stringContaining('failed') as string });
    expect(await balance()).toBe(100n);
  });

  test('another payment between the same parties taken for this one', async () => {
    const [first, second] = [await sign(), await sign()];
    await facilitate(sandbox, 'settle', first);
    expect(await observe(second)).toMatchObject({ state: 'open' });
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await observe(second)).toMatchObject({ state: 'dead' });
    expect(await observe(first)).toMatchObject({ state: 'settled', final: true });
  });

  test('a facilitator that settles and answers 500: the money counted as not moved', async () => {
    const signed = await sign();
    sandbox.faults!.facilitator.set('settle', 'settle-then-500');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ status: 500 });
    expect(await observe(signed)).toMatchObject({ state: 'settled' });
    expect(await balance()).toBe(990_000n);
  });

  test('an RPC that lands the transaction and answers 503: the money counted as not moved', async () => {
    const signed = await sign();
    sandbox.faults!.solana.set('sendTransaction', 'then-http-503');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: false });
    expect(await observe(signed)).toMatchObject({ state: 'settled' });
    expect(await balance()).toBe(990_000n);
  });

  test('a facilitator that lies: the money counted as moved', async () => {
    const signed = await sign();
    sandbox.faults!.facilitator.set('settle', 'lie');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: true });
    expect(await observe(signed)).toMatchObject({ state: 'open' });
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
    expect(await balance()).toBe(1_000_000n);
  });

  test('a blockhash that expired between verify and send: a row that stays open', async () => {
    const signed = await sign();
    sandbox.faults!.solana.set('sendTransaction', 'expire-first');
    expect(await facilitate(sandbox, 'settle', signed)).toMatchObject({ success: false });
    sandbox.faults!.clear();
    sandbox.time.advanceSolana(5);
    expect(await observe(signed)).toMatchObject({ state: 'dead' });
  });

  test('a track that cannot be read called dead', async () => {
    const { terms, proof } = await sign();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    for (const track of [{}, { ...proof.track, lastValidBlockHeight: '' }, { ...proof.track, signature: '' }, { ...proof.track, kind: 'eip3009' }]) {
      expect(await chains.observeExactSvm(terms, track, signal)).toMatchObject({ state: 'unreachable' });
    }
  });
});

describe('RPC servers that fail', () => {
  let near: RpcProxy;
  let far: RpcProxy;
  let both: Chains;
  let real: Chains;

  beforeAll(async () => {
    near = await startRpcProxy(sandbox.solana.rpcUrl);
    far = await startRpcProxy(sandbox.solana.rpcUrl);
    const networks = { [SOLANA_NETWORK]: { rpcUrls: [near.url('localhost'), far.url('127.0.0.1')] } };
    both = chainsOf(networks, { timeoutMs: 300 });
    real = chainsOf(networks, { timeoutMs: 300, real: true });
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
      near.mode = mode;
      expect(await both.latestBlockhash(SOLANA_NETWORK, signal)).toMatchObject({ blockhash: signed.proof.track.blockhash });
      sandbox.time.advanceSolana(EXPIRY_SLOTS);
      expect(await observe(signed, both)).toMatchObject({ state: 'dead' });
      far.mode = mode;
      expect(await observe(signed, both)).toMatchObject({ state: 'unreachable', why: expect.stringContaining('localhost') as string });
      await expect(both.latestBlockhash(SOLANA_NETWORK, signal)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    });
  }

  test('I5: real money called dead by one server alone', async () => {
    const signed = await sign();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    expect(await observe(signed, real)).toMatchObject({ state: 'dead' });
    far.mode = '503';
    expect(await observe(signed, real)).toMatchObject({ state: 'open', why: expect.stringContaining('2 independent') as string });
  });

  test('I5: a server that hides a settlement believed', async () => {
    const signed = await sign();
    const { transaction } = await facilitate(sandbox, 'settle', signed);
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    near.answers.set('getSignaturesForAddress', []);
    expect(await observe(signed, real)).toEqual({ state: 'settled', transaction, final: false });
  });

  test('a history that was cut off before the signing taken for all of it', async () => {
    const signed = await sign();
    sandbox.time.advanceSolana(EXPIRY_SLOTS);
    const pruned = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [near.url()] } });
    near.answers.set('getSignaturesForAddress', []);
    near.answers.set('getFirstAvailableBlock', Number(signed.proof.track.slot) + 1);
    expect(await observe(signed, pruned)).toMatchObject({ state: 'open', why: expect.stringContaining('history') as string });
    near.answers.set('getFirstAvailableBlock', Number(signed.proof.track.slot));
    expect(await observe(signed, pruned)).toMatchObject({ state: 'dead' });
    pruned.close();
  });

  test('a blockhash whose end was given too early: live money called dead', async () => {
    const { terms, proof } = await sign();
    expect(await chains.observeExactSvm(terms, { ...proof.track, lastValidBlockHeight: '1' }, signal)).toMatchObject({ state: 'open', why: expect.stringContaining('valid') as string });
  });
});

/** Sends a proof as a facilitator would that looks at nothing. */
async function submit({ proof }: Signed): Promise<void> {
  const { transaction } = JSON.parse(proof.payloadText) as { transaction: Base64EncodedWireTransaction };
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const wire = getBase64EncodedWireTransaction(await partiallySignTransaction([feePayer], decoded));
  await createSolanaRpc(sandbox.solana.rpcUrl).sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
}
