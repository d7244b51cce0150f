import { BursarError } from '../../shared/errors/errors.ts';
import type { Asset } from './assets.ts';
import { findNetwork, requireNetwork, type NetworkId } from './networks.ts';

/** Addresses under which a network's own coin is named where a token's would stand. No token has them. */
export const EVM_COIN = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
const SOLANA_COIN = '11111111111111111111111111111111';

/**
 * A network's own coin, in which its fees are paid. It is not among the registered tokens: no server can ask for it. Throws
 * `NETWORK_UNSUPPORTED` where a network has none.
 */
export function coinOf(network: NetworkId): Asset {
  const { coin, namespace, name } = requireNetwork(network);
  if (!coin) throw new BursarError('NETWORK_UNSUPPORTED', `${name} is no chain and has no coin.`);
  return { network, address: namespace === 'solana' ? SOLANA_COIN : EVM_COIN, symbol: coin.symbol, name: coin.symbol, decimals: coin.decimals };
}

/** The coin that is named by this address on this network. */
export function coinAt(network: string, address: string): Asset | undefined {
  const known = findNetwork(network);
  if (!known?.coin) return undefined;
  const coin = coinOf(known.id);
  return coin.address.toLowerCase() === address.toLowerCase() ? coin : undefined;
}

/** True where terms move the network's own coin. */
export const isCoin = ({ asset }: { readonly asset: string }): boolean => asset === EVM_COIN || asset === SOLANA_COIN;
