import { BursarError } from '../../shared/errors/errors.ts';

/** CAIP-2 chain id, `eip155:84532` or `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`; or in the same form what is no chain: `dev:mpx`, `stripe:card`. */
export type NetworkId = `eip155:${string}` | `solana:${string}` | `dev:${string}` | `stripe:${string}`;
export type Namespace = 'eip155' | 'solana';

export interface Network {
  readonly id: NetworkId;
  readonly namespace: Namespace;
  readonly name: string;
  /** True where its money is worth something. */
  readonly real: boolean;
  /** The name of x402 v1 (`base-sepolia`), where it has one. */
  readonly v1Name?: string;
  /** Page of a transaction at a public explorer, with `{tx}` in it. */
  readonly explorer?: string;
}

/** The networks that Bursar knows. Which of them are enabled, and over which RPCs, is configuration. */
export const NETWORKS: readonly Network[] = [
  { id: 'eip155:8453', namespace: 'eip155', name: 'Base', real: true, v1Name: 'base', explorer: 'https://basescan.org/tx/{tx}' },
  { id: 'eip155:84532', namespace: 'eip155', name: 'Base Sepolia', real: false, v1Name: 'base-sepolia', explorer: 'https://sepolia.basescan.org/tx/{tx}' },
  { id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', namespace: 'solana', name: 'Solana', real: true, v1Name: 'solana', explorer: 'https://explorer.solana.com/tx/{tx}' },
  {
    id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    namespace: 'solana',
    name: 'Solana Devnet',
    real: false,
    v1Name: 'solana-devnet',
    explorer: 'https://explorer.solana.com/tx/{tx}?cluster=devnet',
  },
];

/** The network of a CAIP-2 id, if Bursar knows it. */
export const findNetwork = (id: string): Network | undefined => NETWORKS.find((network) => network.id === id);

/** Like {@link findNetwork}; throws `NETWORK_UNSUPPORTED`. */
export function requireNetwork(id: string): Network {
  const network = findNetwork(id);
  if (!network) throw new BursarError('NETWORK_UNSUPPORTED', `The network "${id.slice(0, 80)}" is not known.`, { context: { network: id.slice(0, 80) } });
  return network;
}

/** EVM chain id of an `eip155` network. */
export const evmChainId = (id: NetworkId): number => Number(id.slice('eip155:'.length));
