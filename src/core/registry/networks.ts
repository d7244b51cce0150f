import { BursarError } from '../../shared/errors/errors.ts';

/** CAIP-2 chain id: `eip155:84532`, `solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1`; in the same form `dev:mpx` and `stripe:card`, which are no chains. */
export type NetworkId = `${Namespace}:${string}`;
export type Namespace = KeyNamespace | 'dev' | 'stripe';
/** Namespaces of chains, whose accounts are key pairs. */
export type KeyNamespace = 'eip155' | 'solana';

/** True for what is a chain and not a card or a play-money secret. */
export const isChain = (id: string): boolean => id.startsWith('eip155:') || id.startsWith('solana:');

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
  /** What its fees are paid in; absent where there are none. */
  readonly coin?: { readonly symbol: string; readonly decimals: number };
}

const ETHER = { symbol: 'ETH', decimals: 18 } as const;
const POL = { symbol: 'POL', decimals: 18 } as const;
const AVAX = { symbol: 'AVAX', decimals: 18 } as const;
const CELO = { symbol: 'CELO', decimals: 18 } as const;
const SOL = { symbol: 'SOL', decimals: 9 } as const;

const evm = (chainId: number, name: string, rest: Pick<Network, 'real' | 'v1Name' | 'coin'> & { readonly explorer: string }): Network => ({
  id: `eip155:${chainId}`,
  namespace: 'eip155',
  name,
  ...rest,
  explorer: `${rest.explorer}/tx/{tx}`,
});

/** The networks that Bursar knows. Which of them are enabled, and over which RPCs, is configuration. */
export const NETWORKS: readonly Network[] = [
  evm(8453, 'Base', { real: true, v1Name: 'base', coin: ETHER, explorer: 'https://basescan.org' }),
  evm(84532, 'Base Sepolia', { real: false, v1Name: 'base-sepolia', coin: ETHER, explorer: 'https://sepolia.basescan.org' }),
  {
    id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    namespace: 'solana',
    name: 'Solana',
    real: true,
    v1Name: 'solana',
    coin: SOL,
    explorer: 'https://explorer.solana.com/tx/{tx}',
  },
  {
    id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    namespace: 'solana',
    name: 'Solana Devnet',
    real: false,
    v1Name: 'solana-devnet',
    coin: SOL,
    explorer: 'https://explorer.solana.com/tx/{tx}?cluster=devnet',
  },
  evm(1, 'Ethereum', { real: true, v1Name: 'ethereum', coin: ETHER, explorer: 'https://etherscan.io' }),
  evm(137, 'Polygon', { real: true, v1Name: 'polygon', coin: POL, explorer: 'https://polygonscan.com' }),
  evm(42161, 'Arbitrum One', { real: true, coin: ETHER, explorer: 'https://arbiscan.io' }),
  evm(10, 'OP Mainnet', { real: true, coin: ETHER, explorer: 'https://optimistic.etherscan.io' }),
  evm(43114, 'Avalanche', { real: true, v1Name: 'avalanche', coin: AVAX, explorer: 'https://snowtrace.io' }),
  evm(42220, 'Celo', { real: true, v1Name: 'celo', coin: CELO, explorer: 'https://celoscan.io' }),
  evm(11155111, 'Ethereum Sepolia', { real: false, v1Name: 'sepolia', coin: ETHER, explorer: 'https://sepolia.etherscan.io' }),
  evm(80002, 'Polygon Amoy', { real: false, v1Name: 'polygon-amoy', coin: POL, explorer: 'https://amoy.polygonscan.com' }),
  evm(421614, 'Arbitrum Sepolia', { real: false, coin: ETHER, explorer: 'https://sepolia.arbiscan.io' }),
  evm(11155420, 'OP Sepolia', { real: false, coin: ETHER, explorer: 'https://optimism-sepolia.blockscout.com' }),
  evm(43113, 'Avalanche Fuji', { real: false, v1Name: 'avalanche-fuji', coin: AVAX, explorer: 'https://testnet.snowtrace.io' }),
  evm(11142220, 'Celo Sepolia', { real: false, coin: CELO, explorer: 'https://celo-sepolia.blockscout.com' }),
  { id: 'dev:mpx', namespace: 'dev', name: 'Shared development secret', real: false },
  { id: 'stripe:card', namespace: 'stripe', name: 'Card (Stripe)', real: true },
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

const EXPLORERS: ReadonlySet<string> = new Set(NETWORKS.flatMap(({ explorer }) => (explorer === undefined ? [] : [explorer.slice(0, explorer.indexOf('/', 'https://'.length))])));

/** True for a page of one of the registry's explorers. */
export const isExplorerUrl = (url: string): boolean => EXPLORERS.has(url.slice(0, url.indexOf('/', 'https://'.length)));
