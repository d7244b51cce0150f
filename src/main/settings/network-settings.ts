import { faucetsOf } from '../../core/registry/faucets.ts';
import { isChain, NETWORKS, type NetworkId } from '../../core/registry/networks.ts';
import type { Environment } from '../../shared/contract/app.ts';
import type { NetworkSetting } from '../../shared/contract/settings.ts';
import type { NetworkOptions } from '../adapters/chain/chains.ts';
import { DEFAULT_NETWORKS } from '../adapters/home/config.ts';

type InForce = Readonly<Partial<Record<NetworkId, NetworkOptions>>>;

/** Every chain that a folder of this kind of money can have, those that are enabled first; a sandbox has the ones that it runs. */
export function networkSettings(environment: Environment, inForce: InForce): NetworkSetting[] {
  const settings = NETWORKS.filter(({ id, real }) => isChain(id) && real === (environment === 'mainnet') && (environment !== 'sandbox' || inForce[id] !== undefined)).map(({ id, name }): NetworkSetting => {
    const builtIn = [...(DEFAULT_NETWORKS[environment][id]?.rpcUrls ?? [])];
    const own = inForce[id];
    return { network: id, name, enabled: own !== undefined, rpcUrls: [...(own?.rpcUrls ?? builtIn)], builtIn, faucets: environment === 'testnet' ? [...faucetsOf(id)] : [] };
  });
  return [...settings.filter(({ enabled }) => enabled), ...settings.filter(({ enabled }) => !enabled)];
}
