import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getApproveInstruction, getRevokeInstruction } from '@solana-program/token';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account } from '../../../src/core/ports.ts';
import { findAsset, type Asset } from '../../../src/core/registry/assets.ts';
import { TOKEN_2022 } from '../../../src/core/registry/solana-tokens.ts';
import { tokenAccountOf } from '../../../src/main/adapters/chain/token-account.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createExactSvm } from '../../../src/main/rails/exact-svm.ts';
import { createTransferSvm } from '../../../src/main/rails/transfer-svm.ts';
import { SOLANA_NETWORK } from '../../../src/sandbox/networks.ts';
import { sandboxKey, startSolanaChain, type SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import { readTokenAccount } from '../../../src/sandbox/solana/token-accounts.ts';
import { keyRing, offerOf, random, solanaAccount, termsOf } from '../../unit/rails/fixtures.ts';
import { chainsOf, signal, SOLANA_ASSET, type Signed } from './shop.ts';

const PYUSD = findAsset(SOLANA_NETWORK, 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM')!;

let chain: SolanaChain;
let chains: Chains;
let scheme: ExactSvmScheme;
let feePayer: string;
/** Whom an account pays for; set by the tests of delegation. */
let owners: Map<string, string>;

beforeAll(async () => {
  chain = await startSolanaChain({ slotMs: 3_600_000 });
  owners = new Map();
  chains = chainsOf({ [SOLANA_NETWORK]: { rpcUrls: [chain.rpcUrl] } }, { delegatedFrom: (payer) => owners.get(payer) });
  const signer = await createKeyPairSignerFromPrivateKeyBytes(sandboxKey('solana facilitator'));
  feePayer = signer.address;
  await chain.fund(feePayer, { gas: true });
  scheme = new ExactSvmScheme(toFacilitatorSvmSigner(signer, { defaultRpcUrl: chain.rpcUrl }));
});
afterAll(async () => {
  chains?.close();
  await chain?.close();
});

const requirementsOf = ({ offer }: Signed) => ({
  scheme: offer.scheme,
  network: offer.network,
  asset: offer.asset,
  amount: offer.amount,
  payTo: offer.payee,
  maxTimeoutSeconds: offer.maxTimeoutSeconds,
  extra: Object.fromEntries(offer.extra),
});
type Verified = Parameters<ExactSvmScheme['verify']>;
const payloadOf = (signed: Signed): Verified[0] =>
  ({ x402Version: 2, resource: { url: 'mcp://tool/buy', description: '', mimeType: '' }, accepted: requirementsOf(signed), payload: JSON.parse(signed.proof.payloadText) as Record<string, unknown> });
const verify = (signed: Signed) => scheme.verify(payloadOf(signed), requirementsOf(signed));
const settle = (signed: Signed) => scheme.settle(payloadOf(signed), requirementsOf(signed));

async function sign(asset: Asset, account: Account, request: { privateKey: Uint8Array; payee: string; amount?: bigint }): Promise<Signed> {
  const rail = createExactSvm({ keys: keyRing(account, request.privateKey), random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeExactSvm });
  const offer = offerOf(asset, { payee: request.payee, amount: request.amount ?? 10_000n, extra: { feePayer } });
  const terms = termsOf(offer, asset, account);
  return { offer, terms, proof: await rail.sign({ terms, offer, asset, account, now: Date.now(), signal }) };
}
const amountOf = async (owner: string, asset: Asset): Promise<bigint> => {
  const account = chain.bank.account(await tokenAccountOf(owner, asset));
  return (account && readTokenAccount(account)?.amount) ?? 0n;
};

describe('Token-2022', () => {
  /** A mint as PYUSD's: a transfer fee that its issuer could set (basis points), beside the plain members. */
  function placeMint(basisPoints: { now: number; next: number }): void {
    const data = Buffer.alloc(165 + 1 + 4 + 108);
    data.writeUInt8(6, 44);
    data.writeUInt8(1, 45);
    data.writeUInt8(1, 165);
    data.writeUInt16LE(1, 166);
    data.writeUInt16LE(108, 168);
    data.writeUInt16LE(basisPoints.now, 170 + 88);
    data.writeUInt16LE(basisPoints.next, 170 + 106);
    data.writeBigUInt64LE(1_000_000_000n, 170 + 80);
    data.writeBigUInt64LE(1_000_000_000n, 170 + 98);
    place(address(PYUSD.address), data);
  }
  /** A token account of that mint, as the associated token program makes it. */
  async function placeTokens(owner: string, amount: bigint): Promise<void> {
    const data = Buffer.alloc(165 + 1 + 4 + 4 + 8);
    data.set(bytesOf(PYUSD.address), 0);
    data.set(bytesOf(owner), 32);
    data.writeBigUInt64LE(amount, 64);
    data.writeUInt8(1, 108);
    data.writeUInt8(2, 165);
    data.writeUInt16LE(7, 166);
    data.writeUInt16LE(2, 170);
    data.writeUInt16LE(8, 172);
    place(await tokenAccountOf(owner, PYUSD), data);
  }
  function place(at: Address, data: Buffer): void {
    const space = BigInt(data.length);
    chain.bank.svm.setAccount({ address: at, programAddress: address(TOKEN_2022), data: new Uint8Array(data), executable: false, space, lamports: lamports(chain.bank.svm.minimumBalanceForRentExemption(space)) });
  }

  let privateKey: Uint8Array;
  let account: Account;
  let payee: string;
  beforeEach(async () => {
    placeMint({ now: 0, next: 0 });
    privateKey = random(32);
    account = await solanaAccount(privateKey);
    payee = (await solanaAccount(random(32))).address;
    await placeTokens(account.address, 1_000_000n);
  });

  test('a proof that the stock facilitator does not accept or settle for its exact amount', async () => {
    await placeTokens(payee, 0n);
    const signed = await sign(PYUSD, account, { privateKey, payee });
    expect(await verify(signed)).toMatchObject({ isValid: true, payer: account.address });
    expect(await settle(signed)).toMatchObject({ success: true });
    expect([await amountOf(account.address, PYUSD), await amountOf(payee, PYUSD)]).toEqual([990_000n, 10_000n]);
    expect(await chains.balance(PYUSD, account.address, { fresh: true })).toBe(990_000n);
    expect(await chains.observeExactSvm(signed.terms, signed.proof.track, signal)).toMatchObject({ state: 'settled' });
  });

  test('a transfer fee, now or next, of which the payee would miss a part', async () => {
    for (const basisPoints of [{ now: 10, next: 10 }, { now: 0, next: 10 }]) {
      placeMint(basisPoints);
      await expect(sign(PYUSD, account, { privateKey, payee })).rejects.toMatchObject({ code: 'FLOW_UNSUPPORTED', message: expect.stringContaining('fee') as string });
    }
  });

  test('a transfer of one’s own that makes the payee’s account for more rent than was shown', async () => {
    await chain.fund(account.address, { gas: true });
    const rail = createTransferSvm({ keys: keyRing(account, privateKey), random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeTransferSvm, send: chains.sendSolana });
    const offer = { ...offerOf(PYUSD, { payee, amount: 10_000n }), scheme: 'transfer' };
    const terms: Terms = { ...termsOf(offer, PYUSD, account), flow: 'prepay' };
    const before = chain.bank.account(address(account.address))!.lamports;
    const [fee] = await rail.fees!(terms, signal);
    const proof = await rail.sign({ terms, offer, asset: PYUSD, account, now: Date.now(), signal });
    expect(await rail.submit!(terms, proof.track, AbortSignal.timeout(10_000))).toMatchObject({ state: 'settled' });
    expect(await amountOf(payee, PYUSD)).toBe(10_000n);
    expect(before - chain.bank.account(address(account.address))!.lamports).toBeLessThanOrEqual(fee!.units);
  });
});

describe('an account that pays as a delegate', () => {
  let owner: KeyPairSigner;
  let agent: Account;
  let privateKey: Uint8Array;
  let payee: string;
  beforeEach(async () => {
    owner = await createKeyPairSignerFromPrivateKeyBytes(random(32));
    privateKey = random(32);
    agent = { ...(await solanaAccount(privateKey)), delegatedFrom: owner.address };
    owners.set(agent.address, owner.address);
    payee = (await solanaAccount(random(32))).address;
    await chain.fund(owner.address, { usdc: 1_000_000n, gas: true });
    await chain.fund(payee, { usdc: 0n });
  });

  async function send(instruction: Instruction): Promise<void> {
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(owner, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(chain.bank.latestBlockhash('confirmed'), message),
        (message) => appendTransactionMessageInstructions([instruction], message),
      ),
    );
    expect(chain.bank.submit(transaction)).toMatchObject({ kind: 'landed', transaction: { err: null } });
  }
  const approve = async (amount: bigint) => send(getApproveInstruction({ source: await tokenAccountOf(owner.address, SOLANA_ASSET), delegate: address(agent.address), owner, amount }));

  test('a proof that the stock facilitator does not accept, or that takes the money from anywhere else', async () => {
    await approve(25_000n);
    const signed = await sign(SOLANA_ASSET, agent, { privateKey, payee });
    expect(signed.proof.track.source).toBe(await tokenAccountOf(owner.address, SOLANA_ASSET));
    expect(await verify(signed)).toMatchObject({ isValid: true, payer: agent.address });
    expect(await chains.observeExactSvm(signed.terms, signed.proof.track, signal)).toMatchObject({ state: 'open' });
    expect(await settle(signed)).toMatchObject({ success: true });
    expect([await amountOf(owner.address, SOLANA_ASSET), await amountOf(payee, SOLANA_ASSET)]).toEqual([990_000n, 10_000n]);
    expect(await chains.observeExactSvm(signed.terms, signed.proof.track, signal)).toMatchObject({ state: 'settled' });
    expect(await chains.balance(SOLANA_ASSET, agent.address, { fresh: true })).toBe(15_000n);
  });

  test('a transfer of one’s own that takes the tokens from anywhere but the owner’s account, or goes beyond the approval', async () => {
    await chain.fund(agent.address, { gas: true });
    await approve(10_000n);
    const rail = createTransferSvm({ keys: keyRing(agent, privateKey), random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeTransferSvm, send: chains.sendSolana });
    const offer = { ...offerOf(SOLANA_ASSET, { payee, amount: 10_000n }), scheme: 'transfer' };
    const terms: Terms = { ...termsOf(offer, SOLANA_ASSET, agent), flow: 'prepay' };
    const request = { terms, offer, asset: SOLANA_ASSET, account: agent, now: Date.now(), signal };
    const proof = await rail.sign(request);
    expect(await rail.submit!(terms, proof.track, AbortSignal.timeout(10_000))).toMatchObject({ state: 'settled' });
    expect([await amountOf(owner.address, SOLANA_ASSET), await amountOf(payee, SOLANA_ASSET)]).toEqual([990_000n, 10_000n]);
    await expect(rail.sign(request)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
  });

  test('more than the owner approves, or than the owner has, that is signed or shown', async () => {
    const refused = { code: 'INSUFFICIENT_BALANCE' };
    await expect(sign(SOLANA_ASSET, agent, { privateKey, payee })).rejects.toMatchObject(refused);
    expect(await chains.balance(SOLANA_ASSET, agent.address, { fresh: true })).toBe(0n);
    await approve(9_999n);
    await expect(sign(SOLANA_ASSET, agent, { privateKey, payee })).rejects.toMatchObject(refused);
    await approve(5_000_000n);
    await expect(sign(SOLANA_ASSET, agent, { privateKey, payee, amount: 1_000_001n })).rejects.toMatchObject(refused);
    expect(await chains.balance(SOLANA_ASSET, agent.address, { fresh: true })).toBe(1_000_000n);
    await send(getRevokeInstruction({ source: await tokenAccountOf(owner.address, SOLANA_ASSET), owner }));
    await expect(sign(SOLANA_ASSET, agent, { privateKey, payee })).rejects.toMatchObject(refused);
  });
});

const bytesOf = (base58: string): Uint8Array => new Uint8Array(getAddressEncoder().encode(address(base58)));
