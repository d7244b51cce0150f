import { randomBytes } from 'node:crypto';
import { privateKeyToAddress } from 'viem/accounts';
import { bytesToHex } from 'viem/utils';
import { createKeyPairFromPrivateKeyBytes, getAddressFromPublicKey } from '@solana/kit';
import type { Offer } from '../../../src/core/challenges/dialect.ts';
import { parseJson, type JsonObject } from '../../../src/core/json/json.ts';
import type { Terms } from '../../../src/core/payments/terms.ts';
import type { Account, Keys, Rail } from '../../../src/core/ports.ts';
import type { Asset } from '../../../src/core/registry/assets.ts';
import { baseUnits } from '../../../src/shared/money/money.ts';

export const random = (length: number): Uint8Array => new Uint8Array(randomBytes(length));

/** A rail that is only signed with must not look at a chain. */
export const observeNever: Rail['observe'] = () => Promise.reject(new Error('observed without being asked'));

export interface KeyRing extends Keys {
  /** Every key buffer that was ever lent, as the borrower left it. */
  readonly lent: Uint8Array[];
}

/** One account whose private key is `privateKey`. */
export function keyRing(account: Account, privateKey: Uint8Array): KeyRing {
  const lent: Uint8Array[] = [];
  return {
    lent,
    locked: false,
    accounts: () => [account],
    use: async (accountId, work) => {
      if (accountId !== account.id) throw new Error(`no account ${accountId}`);
      const copy = Uint8Array.from(privateKey);
      lent.push(copy);
      return await work(copy);
    },
  };
}

export const evmAccount = (privateKey: Uint8Array): Account => ({
  id: 'evm-1',
  label: 'test',
  namespace: 'eip155',
  address: privateKeyToAddress(bytesToHex(privateKey)),
  source: 'seed',
});

export async function solanaAccount(privateKey: Uint8Array): Promise<Account> {
  const { publicKey } = await createKeyPairFromPrivateKeyBytes(privateKey, true);
  return { id: 'solana-1', label: 'test', namespace: 'solana', address: await getAddressFromPublicKey(publicKey), source: 'seed' };
}

export function offerOf(asset: Asset, rest: { readonly payee: string; readonly amount: bigint; readonly maxTimeoutSeconds?: number; readonly extra?: object; readonly paymentFlow?: string }): Offer {
  return {
    scheme: 'exact',
    network: asset.network,
    asset: asset.address,
    amount: String(rest.amount),
    payee: rest.payee,
    maxTimeoutSeconds: rest.maxTimeoutSeconds ?? 300,
    x402Version: 2,
    paymentFlow: rest.paymentFlow ?? 'authorization',
    extra: parseJson(JSON.stringify(rest.extra ?? {})) as JsonObject,
    source: null,
  };
}

export const termsOf = (offer: Offer, asset: Asset, account: Account, payee = offer.payee): Terms => ({
  client: 'client',
  upstream: 'shop',
  tool: 'buy',
  argumentsHash: '00',
  dialect: 'x402-mcp',
  scheme: offer.scheme,
  network: offer.network,
  asset: asset.address,
  amount: baseUnits(BigInt(offer.amount)),
  payee,
  payer: account.address,
  flow: 'authorize',
});
