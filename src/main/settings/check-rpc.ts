import { findNetwork, type NetworkId } from '../../core/registry/networks.ts';
import type { RpcCheck } from '../../shared/contract/settings.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import { createEndpoint } from '../adapters/chain/endpoint.ts';
import { servedNetwork } from '../adapters/chain/identity.ts';

const WITHIN_MS = 5_000;

/** Whether each address answers and serves the network that it is to be used for. Never throws for what an address does. */
export const checkRpc = (network: NetworkId, urls: readonly string[]): Promise<RpcCheck[]> => Promise.all(urls.map((url) => checkOne(network, url)));

async function checkOne(network: NetworkId, url: string): Promise<RpcCheck> {
  const endpoint = createEndpoint(url, WITHIN_MS);
  try {
    const served = await servedNetwork(endpoint, network.startsWith('eip155:') ? 'eip155' : 'solana', new AbortController().signal);
    if (served === network) return { url, state: 'ok', text: `${endpoint.host} answers.` };
    return { url, state: 'wrong-network', text: `${endpoint.host} serves ${titleOf(served)}, not ${titleOf(network)}.` };
  } catch (error) {
    return { url, state: 'unreachable', text: toErrorInfo(error).message };
  } finally {
    endpoint.close();
  }
}

const titleOf = (id: string): string => {
  const name = findNetwork(id)?.name;
  return name === undefined ? `another network (${id})` : `${name} (${id})`;
};
