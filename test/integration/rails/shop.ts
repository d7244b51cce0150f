import { findAsset, type Asset } from '../../../src/core/registry/assets.ts';
import type { Offer } from '../../../src/core/challenges/dialect.ts';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Log, Proof, Rail } from '../../../src/core/ports.ts';
import type { NetworkId } from '../../../src/core/registry/networks.ts';
import { createChains, type Chains, type NetworkOptions } from '../../../src/main/adapters/chain/chains.ts';
import { createExactEvm } from '../../../src/main/rails/exact-evm.ts';
import { createExactSvm } from '../../../src/main/rails/exact-svm.ts';
import { EVM_NETWORK, EVM_USDC, SOLANA_NETWORK, SOLANA_USDC } from '../../../src/sandbox/networks.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { evmAccount, keyRing, offerOf, random, solanaAccount, termsOf } from '../../unit/rails/fixtures.ts';

export const EVM_ASSET = findAsset(EVM_NETWORK, EVM_USDC)!;
export const SOLANA_ASSET = findAsset(SOLANA_NETWORK, SOLANA_USDC)!;
export const signal = new AbortController().signal;
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface Signed {
  readonly offer: Offer;
  readonly terms: Terms;
  readonly proof: Proof;
}

/** A wallet of one account, with its rail, on a chain of the sandbox. */
export interface Wallet {
  readonly rail: Rail;
  readonly account: Account;
  readonly asset: Asset;
  readonly privateKey: Uint8Array;
  sign(wanted: { readonly payee: string; readonly amount: bigint; readonly maxTimeoutSeconds?: number; readonly memo?: string; readonly now?: number }): Promise<Signed>;
}

export const chainsOf = (networks: Partial<Record<NetworkId, NetworkOptions>>, options: { real?: boolean; timeoutMs?: number; delegatedFrom?: (address: string) => string | undefined } = {}): Chains =>
  createChains({ networks, real: () => options.real ?? false, log: silent, ...(options.timeoutMs && { timeoutMs: options.timeoutMs }), ...(options.delegatedFrom && { delegatedFrom: options.delegatedFrom }) });

export function evmWallet(chains: Chains): Wallet {
  const privateKey = random(32);
  const account = evmAccount(privateKey);
  const rail = createExactEvm({ keys: keyRing(account, privateKey), random, observe: chains.observeEip3009 });
  return walletOf({ rail, account, asset: EVM_ASSET, privateKey, extra: { ...EVM_ASSET.eip712 } });
}

/** `feePayer`: the facilitator's, as its `/supported` names it. */
export async function solanaWallet(chains: Chains, feePayer: string): Promise<Wallet> {
  const privateKey = random(32);
  const account = await solanaAccount(privateKey);
  const rail = createExactSvm({ keys: keyRing(account, privateKey), random, latestBlockhash: chains.latestBlockhash, accounts: () => chains.solanaAccounts, observe: chains.observeExactSvm });
  return walletOf({ rail, account, asset: SOLANA_ASSET, privateKey, extra: { feePayer } });
}

function walletOf({ extra, ...wallet }: Omit<Wallet, 'sign'> & { readonly extra: object }): Wallet {
  return {
    ...wallet,
    async sign({ memo, now = Date.now(), ...wanted }) {
      const { rail, asset, account } = wallet;
      const offer = offerOf(asset, { ...wanted, extra: { ...extra, ...(memo && { memo }) } });
      const terms = termsOf(offer, asset, account, rail.check(offer, asset).payee);
      return { offer, terms, proof: await rail.sign({ terms, offer, asset, account, now, signal }) };
    },
  };
}

/** The stock facilitator's answer to a proof. */
export async function facilitate(sandbox: Sandbox, step: 'verify' | 'settle', { offer, proof }: Signed): Promise<Record<string, unknown>> {
  const requirements = {
    scheme: offer.scheme,
    network: offer.network,
    asset: offer.asset,
    amount: offer.amount,
    payTo: offer.payee,
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
    extra: Object.fromEntries(offer.extra),
  };
  const body = { x402Version: 2, paymentRequirements: requirements, paymentPayload: { x402Version: 2, accepted: requirements, payload: JSON.parse(proof.payloadText) as object } };
  const response = await fetch(`${sandbox.facilitatorUrl}/${step}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as object) };
}

/** The Solana fee payer that the facilitator offers. */
export async function feePayerOf(sandbox: Sandbox): Promise<string> {
  const { kinds } = (await (await fetch(`${sandbox.facilitatorUrl}/supported`)).json()) as { kinds: { network: string; extra?: { feePayer?: string } }[] };
  return kinds.find(({ network, extra }) => network === SOLANA_NETWORK && extra?.feePayer)!.extra!.feePayer!;
}
