import { coinAt } from './coins.ts';
import { CURRENCIES } from './currencies.ts';
import { EVM_TOKENS } from './evm-tokens.ts';
import type { NetworkId } from './networks.ts';
import { SOLANA_TOKENS } from './solana-tokens.ts';

/**
 * A token that Bursar pays with. Symbol, decimals and EIP-712 domain come from here and never from a challenge
 * (wire-formats section 3): a server could otherwise name any token "USDC".
 */
export interface Asset {
  readonly network: NetworkId;
  /** EIP-55 contract address or base58 mint. */
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Counts 1:1 in this currency for budgets; any other token needs a price. */
  readonly pegged?: 'USD';
  /** EVM: EIP-712 domain of its EIP-3009 functions. */
  readonly eip712?: { readonly name: string; readonly version: string };
  /** Solana: the program that owns the mint; SPL Token without it. */
  readonly tokenProgram?: string;
}

export const ASSETS: readonly Asset[] = [...EVM_TOKENS, ...SOLANA_TOKENS, ...CURRENCIES];

/** The registered token at an address. Solana mints are compared exactly, EVM addresses and currency codes without case. */
export const findAsset = (network: NetworkId, address: string): Asset | undefined =>
  ASSETS.find((asset) => asset.network === network && sameTokenAddress(network, asset.address, address));

const sameTokenAddress = (network: NetworkId, a: string, b: string): boolean => a === b || (!network.startsWith('solana:') && a.toLowerCase() === b.toLowerCase());

/** Where tokens are looked up: the registry, and beside it what the owner trusts. */
export interface Assets {
  readonly list: readonly Asset[];
  /** The token at an address. EVM addresses are compared without case, Solana mints exactly. */
  find(network: NetworkId, address: string): Asset | undefined;
  /** The token of a CAIP-19 id; also a network's own coin, which limits count fees in. */
  byId(id: string): Asset | undefined;
}

/** The registry with these tokens beside it. An entry of the registry is never replaced. */
export function createAssets(trusted: readonly Asset[]): Assets {
  const find = (network: NetworkId, address: string) => findAsset(network, address) ?? trusted.find((asset) => asset.network === network && sameTokenAddress(network, asset.address, address));
  return {
    list: trusted.length === 0 ? ASSETS : [...ASSETS, ...trusted],
    find,
    byId(id) {
      const [, network, address] = /^([^/]+)\/(?:erc20|token):(.+)$/.exec(id) ?? [];
      if (network === undefined || address === undefined) return undefined;
      return find(network as NetworkId, address) ?? coinAt(network, address);
    },
  };
}

/** The registry alone. */
export const REGISTERED: Assets = createAssets([]);
