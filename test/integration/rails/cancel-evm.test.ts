import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keccak256, type Hex } from 'viem';
import { verifyCancellation, createCancelEip3009 } from '../../../src/main/rails/cancel-eip3009.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createEvmClients, type EvmClients } from '../../../src/sandbox/evm/clients.ts';
import { EVM_NETWORK, EVM_USDC } from '../../../src/sandbox/networks.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { keyRing } from '../../unit/rails/fixtures.ts';
import { chainsOf, evmWallet, facilitate, signal, type Signed, type Wallet } from './shop.ts';

let sandbox: Sandbox;
let clients: EvmClients;
let chains: Chains;
let wallet: Wallet;
/** What would leave, kept back until a test lets it go. */
let raw: Hex | undefined;

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true, evmIntervalSeconds: 3_600 });
  clients = createEvmClients(sandbox.evm.rpcUrl);
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl] } });
});
afterAll(async () => {
  chains?.close();
  await sandbox?.close();
});
beforeEach(async () => {
  raw = undefined;
  wallet = evmWallet(chains);
});

const fund = (gas: boolean) => sandbox.fund({ network: EVM_NETWORK, address: wallet.account.address, usdc: 1_000_000n, gas });
const signed = async (): Promise<Signed> => {
  const { timestamp } = await clients.reader.getBlock();
  return wallet.sign({ payee: sandbox.seller.payTo.evm, amount: 10_000n, maxTimeoutSeconds: 300, now: Math.max(Date.now(), Number(timestamp) * 1000) });
};
const cancelOf = () => {
  const { evmTransactions } = chains;
  const send: typeof evmTransactions.send = (network, text, sending) => {
    raw = text;
    return evmTransactions.send(network, text, sending);
  };
  return createCancelEip3009({ keys: keyRing(wallet.account, wallet.privateKey), transactions: () => ({ ...evmTransactions, send }) });
};
const cancellation = async ({ terms, proof }: Signed, maxFee?: bigint) => {
  const cancel = cancelOf();
  const cost = await cancel.cost(terms, signal);
  return { cost, signed: await cancel.sign({ terms, track: proof.track, account: wallet.account, maxFee: maxFee ?? cost.maxFee, signal }) };
};
const observe = ({ terms, proof }: Signed) => chains.observeEip3009(terms, proof.track, signal);
const usdc = () => sandbox.balance(EVM_NETWORK, wallet.account.address);

describe('cancelling an authorization', () => {
  test('I5: it leaves the authorization spendable, moves money, costs more than was shown, or counts before it is final', async () => {
    await fund(true);
    const payment = await signed();
    const { cost, signed: ready } = await cancellation(payment);
    expect(await observe(payment)).toMatchObject({ state: 'open', why: 'The server has not collected the money yet.' });
    await ready.send(signal);
    expect(raw && keccak256(raw)).toBe(ready.transaction);
    const receipt = await clients.reader.waitForTransactionReceipt({ hash: ready.transaction as Hex });
    expect(receipt.status).toBe('success');
    expect(receipt.gasUsed * receipt.effectiveGasPrice).toBeLessThanOrEqual(cost.maxFee);
    expect(await observe(payment)).toMatchObject({ state: 'open' });
    await sandbox.time.advanceEvm(0);
    expect(await observe(payment)).toEqual({ state: 'dead', why: 'The authorization was cancelled.' });
    expect(await facilitate(sandbox, 'settle', payment)).toMatchObject({ success: false });
    expect(await usdc()).toBe(1_000_000n);
  });

  test('an account without gas signs or sends something', async () => {
    await fund(false);
    await expect(cancellation(await signed())).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('0.00 ETH') });
  });

  test('a fee above what the owner saw is paid', async () => {
    await fund(true);
    await expect(cancellation(await signed(), 1_000n)).rejects.toMatchObject({ code: 'APPROVAL_STALE' });
  });

  test('an authorization that was collected in the meantime costs a fee for nothing', async () => {
    await fund(true);
    const payment = await signed();
    await facilitate(sandbox, 'settle', payment);
    await expect(cancellation(payment)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE', message: expect.stringContaining('authorization is used or canceled') });
    expect(raw).toBeUndefined();
  });

  test('I2: a transaction that does anything else passes the check', async () => {
    await fund(true);
    const payment = await signed();
    const { cost, signed: ready } = await cancellation(payment);
    await ready.send(signal);
    const nonce = payment.proof.track.nonce as Hex;
    const check = (change: object, nonceWanted = nonce, maxGasFee: bigint = cost.maxFee) => verifyCancellation(raw!, { ...payment.terms, ...change }, { nonce: nonceWanted, maxGasFee });
    await check({});
    const mismatch = { code: 'PROOF_MISMATCH' };
    await expect(check({ payer: payment.terms.payee })).rejects.toMatchObject(mismatch);
    await expect(check({ asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7f' })).rejects.toMatchObject(mismatch);
    await expect(check({ network: 'eip155:8453' })).rejects.toMatchObject(mismatch);
    await expect(check({}, `0x${'1'.repeat(64)}`)).rejects.toMatchObject(mismatch);
    await expect(check({}, nonce, cost.maxFee / 2n)).rejects.toMatchObject(mismatch);
    expect(payment.terms.asset).toBe(EVM_USDC);
  });
});

test('a network without a finalized block never shows a final settlement, or shows one too early', async () => {
  const deep = chainsOf({ [EVM_NETWORK]: { rpcUrls: [sandbox.evm.rpcUrl], confirmations: 3 } });
  try {
    await fund(true);
    const payment = await signed();
    await facilitate(sandbox, 'settle', payment);
    const look = () => deep.observeEip3009(payment.terms, payment.proof.track, signal);
    await clients.control.mine({ blocks: 2 });
    expect(await look()).toMatchObject({ state: 'settled', final: false });
    await clients.control.mine({ blocks: 1 });
    expect(await look()).toMatchObject({ state: 'settled', final: true });
  } finally {
    deep.close();
  }
});
