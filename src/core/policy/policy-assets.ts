import type { Policy, TrustedAsset } from '../../shared/policy/policy.ts';
import type { Policies } from '../ports.ts';
import { checksummed } from '../registry/eip55.ts';
import { ORDER } from '../challenges/order.ts';
import type { Terms } from '../payments/terms.ts';
import { coinAt, isCoin } from '../registry/coins.ts';
import { createAssets, REGISTERED, type Asset, type Assets } from '../registry/assets.ts';
import type { NetworkId } from '../registry/networks.ts';

const lookups = new WeakMap<readonly TrustedAsset[], Assets>();

/** The tokens that may be paid under a policy: those of the registry and those that the owner trusts in it. */
export function assetsOf({ paying }: Pick<Policy, 'paying'>): Assets {
  const trusted = paying?.trusted;
  if (!trusted || trusted.length === 0) return REGISTERED;
  const known = lookups.get(trusted) ?? createAssets(trusted.map(assetOf));
  lookups.set(trusted, known);
  return known;
}

/** The tokens of whatever policy is in force when they are asked for. */
export function assetsInForce(policies: Policies): Assets {
  const now = () => assetsOf(policies.current().policy);
  return {
    get list() {
      return now().list;
    },
    find: (...wanted) => now().find(...wanted),
    byId: (id) => now().byId(id),
  };
}

/** What terms move: a token, or for an order of Bursar's own also the network's coin, which no server can ask for. */
export const assetOfTerms = (assets: Pick<Assets, 'find'>, { dialect, network, asset }: Pick<Terms, 'dialect' | 'network' | 'asset'>): Asset | undefined =>
  assets.find(network, asset) ?? (dialect === ORDER && isCoin({ asset }) ? coinAt(network, asset) : undefined);

/** Every token that was ever trusted, the newest word first: rows of the past are shown with it. */
export const assetsOfAll = (newestFirst: readonly Policy[]): Assets => createAssets(newestFirst.flatMap(({ paying }) => (paying?.trusted ?? []).map(assetOf)));

function assetOf({ asset, symbol, decimals, pegged, eip712 }: TrustedAsset): Asset {
  const [network = '', address = ''] = asset.split(/\/(?:erc20|token):/);
  const written = network.startsWith('eip155:') ? checksummed(address) : address;
  return { network: network as NetworkId, address: written, symbol, name: symbol, decimals, ...(pegged && { pegged }), ...(eip712 && { eip712 }) };
}
