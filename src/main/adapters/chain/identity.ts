import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { NetworkId } from '../../../core/registry/networks.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * An endpoint that shows, before its first answer, that it serves `network`: on a chain where a payment never was it would be taken
 * for dead. A server that did not answer is asked again.
 */
export function identified(endpoint: Endpoint, network: NetworkId): Endpoint {
  // Shared by all who wait for it, so no asker's abort ends it; it has its own time limit.
  const never = new AbortController().signal;
  let shown: Promise<void> | undefined;
  const show = (): Promise<void> => {
    const attempt = requireNetwork(endpoint, network, never);
    attempt.catch(() => {
      shown = undefined;
    });
    return attempt;
  };
  return {
    ...endpoint,
    async ask(method, params, shape, signal) {
      await (shown ??= show());
      return endpoint.ask(method, params, shape, signal);
    },
    async askAll(questions, signal) {
      await (shown ??= show());
      return endpoint.askAll(questions, signal);
    },
  };
}

/** The CAIP-2 id of the chain that an endpoint says it serves. Throws `CHAIN_UNREACHABLE`. */
export async function servedNetwork(endpoint: Endpoint, namespace: 'eip155' | 'solana', signal: AbortSignal): Promise<string> {
  if (namespace === 'eip155') return `eip155:${BigInt(await endpoint.ask('eth_chainId', [], z.string().regex(/^0x[0-9a-fA-F]{1,16}$/), signal))}`;
  // CAIP-2 names a Solana network by the first 32 characters of its genesis hash.
  return `solana:${(await endpoint.ask('getGenesisHash', [], z.string(), signal)).slice(0, 32)}`;
}

async function requireNetwork(endpoint: Endpoint, network: NetworkId, signal: AbortSignal): Promise<void> {
  const served = await servedNetwork(endpoint, network.startsWith('eip155:') ? 'eip155' : 'solana', signal);
  if (served !== network) throw new BursarError('CHAIN_UNREACHABLE', `The RPC server ${endpoint.host} serves another network than ${network}.`, { context: { rpc: endpoint.host, network } });
}
