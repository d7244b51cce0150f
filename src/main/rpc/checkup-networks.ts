import { z } from 'zod';
import { findNetwork, type NetworkId } from '../../core/registry/networks.ts';
import type { Check, Environment } from '../../shared/contract/app.ts';
import { toErrorInfo } from '../../shared/errors/errors.ts';
import type { NetworkOptions } from '../adapters/chain/chains.ts';
import { createEndpoint, type Endpoint } from '../adapters/chain/endpoint.ts';
import { identified } from '../adapters/chain/identity.ts';

export interface NetworkCheckDeps {
  readonly environment: Environment;
  readonly networks: () => Readonly<Partial<Record<NetworkId, NetworkOptions>>>;
  readonly now: () => number;
  readonly command: (words: string) => string;
}

const WITHIN_MS = 5_000;

/**
 * How far this machine's clock may be from the latest block's. Blocks come a little late, never early; a proof that is dated too far off is
 * refused by the seller or outlives what the owner saw.
 */
const SKEW_OK_MS = { behind: 15_000, ahead: 60_000 } as const;
const SKEW_FAIL_MS = 300_000;

/** Whether each RPC server answers, serves the network that it should, and agrees with this machine about the time. */
export async function checkNetworks({ environment, networks, now, command }: NetworkCheckDeps): Promise<Check[]> {
  const enabled = Object.entries(networks()) as [NetworkId, NetworkOptions][];
  if (enabled.length === 0) return environment === 'sandbox' ? [] : [{ name: 'networks', state: 'fail', text: 'No network is enabled.', todo: `Enable one: ${command('network set CAIP2 --rpc URL')}` }];
  const checks = await Promise.all(enabled.map(([network, options]) => checkNetwork(network, options, { environment, now, command })));
  return checks.flat();
}

async function checkNetwork(network: NetworkId, { rpcUrls }: NetworkOptions, { environment, now, command }: Omit<NetworkCheckDeps, 'networks'>): Promise<Check[]> {
  const title = findNetwork(network)?.name ?? network;
  const asked = await Promise.all(rpcUrls.map((url) => ask(url, network, now)));
  const answered = asked.filter((each) => 'skewMs' in each);
  const silent = asked.flatMap((each) => ('why' in each ? [each.why] : []));
  const name = `network ${network}`;
  const todo = `Give other addresses: ${command(`network set ${network} --rpc URL`)}`;
  if (answered.length === 0) return [{ name, state: 'fail', text: `${title}: ${silent.join(' ')}`, todo }];
  const witnesses = new Set(answered.map(({ hostname }) => hostname)).size;
  const reach: Check =
    silent.length > 0
      ? { name, state: 'warn', text: `${title}: ${answered.length} of ${rpcUrls.length} RPC servers answer. ${silent.join(' ')}`, todo }
      : environment === 'mainnet' && witnesses < 2
        ? { name, state: 'warn', text: `${title}: one RPC server answers; two independent ones have to agree before money is free again.`, todo: `Give two: ${command(`network set ${network} --rpc URL URL`)}` }
        : { name, state: 'ok', text: `${title}: ${answered.length === 1 ? 'its RPC server answers' : `${answered.length} RPC servers answer`}.`, todo: '' };
  // The sandbox's chains make blocks when something happens, so their time stands still.
  return environment === 'sandbox' ? [reach] : [reach, clockCheck(network, title, answered.map(({ skewMs }) => skewMs))];
}

/** Of several servers the one nearest to this clock: the others are behind, and that is theirs. */
function clockCheck(network: NetworkId, title: string, skews: readonly number[]): Check {
  const nearest = skews.reduce((best, skew) => (Math.abs(skew) < Math.abs(best) ? skew : best));
  const name = `clock ${network}`;
  const seconds = Math.round(Math.abs(nearest) / 1000);
  const text = `This clock is ${seconds} s ${nearest < 0 ? 'behind' : 'ahead of'} the latest block of ${title}.`;
  if (nearest >= -SKEW_OK_MS.behind && nearest <= SKEW_OK_MS.ahead) return { name, state: 'ok', text, todo: '' };
  const todo = nearest < 0 ? "Set this machine's clock (NTP): payments would be dated wrongly." : "Set this machine's clock (NTP), or take another RPC server if the chain itself is behind.";
  return { name, state: Math.abs(nearest) > SKEW_FAIL_MS ? 'fail' : 'warn', text, todo };
}

async function ask(url: string, network: NetworkId, now: () => number): Promise<{ readonly hostname: string; readonly skewMs: number } | { readonly why: string }> {
  const plain = createEndpoint(url, WITHIN_MS);
  try {
    const blockMs = await latestBlockMs(identified(plain, network), network);
    return { hostname: plain.hostname, skewMs: now() - blockMs };
  } catch (error) {
    return { why: toErrorInfo(error).message };
  } finally {
    plain.close();
  }
}

async function latestBlockMs(endpoint: Endpoint, network: NetworkId): Promise<number> {
  const never = new AbortController().signal;
  if (network.startsWith('eip155:')) {
    const { timestamp } = await endpoint.ask('eth_getBlockByNumber', ['latest', false], z.object({ timestamp: z.string().regex(/^0x[0-9a-f]{1,12}$/) }), never);
    return Number(timestamp) * 1000;
  }
  const slot = await endpoint.ask('getSlot', [{ commitment: 'confirmed' }], z.number(), never);
  return (await endpoint.ask('getBlockTime', [slot], z.number(), never)) * 1000;
}
