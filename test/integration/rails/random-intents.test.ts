import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import type { x402Facilitator } from '@x402/core/facilitator';
import type { Offer } from '../../../src/core/challenges/dialect.ts';
import type { Chains } from '../../../src/main/adapters/chain/chains.ts';
import { createFacilitator } from '../../../src/sandbox/facilitator/facilitator.ts';
import { startEvmChain, type EvmChain } from '../../../src/sandbox/evm/chain.ts';
import { EVM_NETWORK, EVM_NETWORK_V1, SOLANA_NETWORK, SOLANA_NETWORK_V1 } from '../../../src/sandbox/networks.ts';
import { sandboxKey, startSolanaChain, type SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import { random, solanaAccount, offerOf, termsOf } from '../../unit/rails/fixtures.ts';
import { chainsOf, evmWallet, signal, solanaWallet, type Wallet } from './shop.ts';

/** Random intents on each of the two chains. */
const INTENTS = 500;
const FUNDS = 1_000_000_000_000n;

let evm: EvmChain;
let solana: SolanaChain;
let chains: Chains;
let facilitator: x402Facilitator;
let wallets: { evm: Wallet; solana: Wallet };
let payees: string[];

beforeAll(async () => {
  [evm, solana] = await Promise.all([startEvmChain({ idleBlockSeconds: 2 }), startSolanaChain({ slotMs: 400 })]);
  facilitator = await createFacilitator({ evm, solana: { rpcUrl: solana.rpcUrl, privateKey: sandboxKey('solana facilitator') }, confirmationTimeoutMs: 1_000 });
  chains = chainsOf({ [EVM_NETWORK]: { rpcUrls: [evm.rpcUrl] }, [SOLANA_NETWORK]: { rpcUrls: [solana.rpcUrl] } });
  const feePayer = (await solanaAccount(sandboxKey('solana facilitator'))).address;
  wallets = { evm: evmWallet(chains), solana: await solanaWallet(chains, feePayer) };
  await evm.fund(privateAddress(wallets.evm), { usdc: FUNDS });
  await solana.fund(wallets.solana.account.address, { usdc: FUNDS });
  await solana.fund(feePayer, { gas: true });
  payees = await Promise.all(Array.from({ length: 4 }, async () => (await solanaAccount(random(32))).address));
  for (const payee of payees) await solana.fund(payee, { usdc: 0n });
});
afterAll(async () => {
  chains?.close();
  await Promise.all([evm?.close(), solana?.close()]);
});

const privateAddress = ({ account }: Wallet): `0x${string}` => account.address as `0x${string}`;
type Verified = Parameters<x402Facilitator['verify']>;

/** Asks the stock facilitator about a proof, in the offer's version of the protocol. */
async function verify(offer: Offer, payloadText: string) {
  const payload = JSON.parse(payloadText) as object;
  const { scheme, asset, amount, payee: payTo, maxTimeoutSeconds } = offer;
  const common = { scheme, asset, payTo, maxTimeoutSeconds, extra: Object.fromEntries(offer.extra) };
  if (offer.x402Version === 2) {
    const requirements = { ...common, network: offer.network, amount };
    return facilitator.verify({ x402Version: 2, accepted: requirements, payload } as unknown as Verified[0], requirements);
  }
  const network = offer.network === EVM_NETWORK ? EVM_NETWORK_V1 : SOLANA_NETWORK_V1;
  const requirements = { ...common, network, maxAmountRequired: amount, resource: 'https://shop.example/buy', description: '', mimeType: 'application/json' };
  return facilitator.verify({ x402Version: 1, scheme, network, payload } as unknown as Verified[0], requirements as unknown as Verified[1]);
}

async function accepted({ rail, asset, account }: Wallet, change: Partial<Offer> & { payee: string }, extra: object): Promise<void> {
  const offer: Offer = { ...offerOf(asset, { payee: change.payee, amount: BigInt(change.amount ?? '1'), extra }), ...change };
  const { payee, memo } = rail.check(offer, asset);
  const terms = { ...termsOf(offer, asset, account, payee), ...(memo !== undefined && { memo }) };
  const { payloadText } = await rail.sign({ terms, offer, asset, account, now: Date.now(), signal });
  expect(await verify(offer, payloadText), payloadText).toMatchObject({ isValid: true, payer: account.address });
}

const version = fc.constantFrom(1 as const, 2 as const);
const amount = fc.bigInt({ min: 1n, max: FUNDS }).map(String);

test(`one of ${INTENTS} random EVM intents whose proof the stock facilitator refuses`, { timeout: 180_000 }, async () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => bytes[0]! < 0xff && bytes.some((byte) => byte !== 0));
  const intents = fc.record({
    amount,
    x402Version: version,
    payee: key.map((bytes) => privateKeyToAddress(bytesToHex(bytes))),
    lowerCase: fc.boolean(),
    maxTimeoutSeconds: fc.integer({ min: 10, max: 100_000 }),
    nonce: fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytesToHex(bytes)), { nil: undefined }),
    endsIn: fc.option(fc.integer({ min: 60, max: 100_000 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(intents, async ({ payee, lowerCase, nonce, endsIn, ...rest }) => {
      const change = { ...rest, payee: lowerCase ? payee.toLowerCase() : payee, ...(nonce && { nonce }), ...(endsIn && { expiresAt: Date.now() + endsIn * 1000 }) };
      await accepted(wallets.evm, change, { ...wallets.evm.asset.eip712 });
    }),
    { numRuns: INTENTS },
  );
});

test(`one of ${INTENTS} random Solana intents whose proof the stock facilitator refuses`, { timeout: 180_000 }, async () => {
  const feePayer = (await solanaAccount(sandboxKey('solana facilitator'))).address;
  const memo = fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => new TextEncoder().encode(text).length <= 256), { nil: undefined });
  const intents = fc.record({ amount, x402Version: version, payee: fc.nat(3), maxTimeoutSeconds: fc.integer({ min: 10, max: 100_000 }), memo });
  await fc.assert(
    fc.asyncProperty(intents, ({ payee, memo: text, ...rest }) => accepted(wallets.solana, { ...rest, payee: payees[payee]! }, { feePayer, ...(text !== undefined && { memo: text }) })),
    { numRuns: INTENTS },
  );
});
