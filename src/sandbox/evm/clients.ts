import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  type Chain,
  type HttpTransport,
  type PublicClient,
  type TestClient,
  type WalletClient,
} from 'viem';
import { EVM_CHAIN_ID } from '../networks.ts';
import { inOrder, type InOrder } from './in-order.ts';

/** viem's three views of the sandbox's chain. anvil signs for its own accounts, so `wallet` holds no key. */
export interface EvmClients {
  readonly reader: PublicClient<HttpTransport, Chain>;
  readonly wallet: WalletClient<HttpTransport, Chain>;
  /** Every sending by {@link wallet} goes through here. */
  readonly sending: InOrder;
  /** anvil's own methods: mining, time, snapshots. */
  readonly control: TestClient<'anvil', HttpTransport, Chain>;
}

/** Clients for the sandbox's chain behind `rpcUrl`. */
export function createEvmClients(rpcUrl: string): EvmClients {
  const options = {
    chain: defineChain({
      id: EVM_CHAIN_ID,
      name: 'Bursar sandbox',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    transport: http(rpcUrl, { retryCount: 0 }),
    pollingInterval: 20,
    cacheTime: 0,
  };
  return {
    sending: inOrder(),
    reader: createPublicClient(options) as PublicClient<HttpTransport, Chain>,
    wallet: createWalletClient(options) as WalletClient<HttpTransport, Chain>,
    control: createTestClient({ ...options, mode: 'anvil' }) as TestClient<'anvil', HttpTransport, Chain>,
  };
}
