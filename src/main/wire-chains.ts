import { findNetwork, isChain, NETWORKS, type NetworkId } from '../core/registry/networks.ts';
import type { Assets } from '../core/registry/assets.ts';
import type { Chain, Clock, Log } from '../core/ports.ts';
import { BursarError, toErrorInfo } from '../shared/errors/errors.ts';
import { createBalances, type Balances } from './adapters/balances.ts';
import { createChains, type Chains, type NetworkOptions } from './adapters/chain/chains.ts';
import { DEFAULT_FACILITATORS } from './adapters/facilitators/facilitators.ts';
import type { Home } from './adapters/home/home.ts';
import type { Wallet } from './adapters/keys/keys.ts';
import type { Sandbox } from './adapters/sandbox.ts';
import { createLowBalance, type LowBalance } from './wallet/low-balance.ts';

export interface ChainPorts {
  readonly home: Home;
  readonly wallet: Pick<Wallet, 'accounts'>;
  /** Brings its own networks, and play money for every account. */
  readonly sandbox: Sandbox | undefined;
  /** The tokens that may be paid now; and those that any payment of the past was made in. */
  readonly assets: Assets;
  readonly shownAssets: Assets;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes guarded settings, so that they do not count as changed from outside. */
  readonly changeSettings: (change: () => void) => Promise<void>;
  readonly changed: (what: 'app' | 'accounts' | 'settings') => void;
}

/** The enabled networks, what lies there, and who settles there. */
export interface WiredChains {
  readonly chain: Chain;
  /** Asked each time: the owner may set other RPC servers while it runs. */
  chains(): Chains;
  networks(): Readonly<Record<NetworkId, NetworkOptions>>;
  /** RPC servers of the owner's for a network. Throws `INPUT_INVALID` in the sandbox, and what changing guarded settings does. */
  setNetwork(network: string, rpcUrls: readonly string[]): Promise<void>;
  /**
   * Disables a network. `requireFree` throws where it may not be, in the very moment of the change. Throws `NOT_FOUND` where it is not enabled,
   * `INPUT_INVALID` in the sandbox, and what changing guarded settings does.
   */
  dropNetwork(network: string, requireFree: () => void): Promise<void>;
  /** The networks were set anew. */
  reopen(): void;
  readonly balances: Balances;
  readonly lowBalance: LowBalance;
  /** Facilitators for what Bursar settles itself, the preferred one first. */
  facilitators(network: NetworkId): readonly string[];
  /** Play money for every account that has none, in the sandbox; elsewhere nothing. */
  fund(): Promise<void>;
  close(): void;
}

export function wireChains({ home, wallet, sandbox, assets, shownAssets, clock, log, changeSettings, changed }: ChainPorts): WiredChains {
  const networks = (): Readonly<Record<NetworkId, NetworkOptions>> => (sandbox ? sandboxNetworks(sandbox) : home.config().networks);
  const delegatedFrom = (address: string) => wallet.accounts().find((account) => account.address === address)?.delegatedFrom;
  const open = () => createChains({ networks: networks(), real: (id) => findNetwork(id)?.real ?? true, delegatedFrom, log });
  let chains = open();
  const lowBalance = createLowBalance({
    assets: { byId: (id) => shownAssets.byId(id) },
    thresholds: () => home.config().lowBalance ?? {},
    save: (thresholds) => void home.update({ lowBalance: { ...thresholds } }),
    changed: () => changed('app'),
  });
  const balances = createBalances({ chains: () => chains, assets, accounts: () => wallet.accounts(), clock, late: () => changed('accounts'), seen: (readings) => lowBalance.look(readings) });
  // What is no chain is enabled by the account that pays on it.
  const offChain = () => NETWORKS.filter(({ id, namespace }) => !isChain(id) && wallet.accounts().some((account) => account.namespace === namespace)).map(({ id }) => id);
  const requireOwnChoice = (): void => {
    if (sandbox) throw new BursarError('INPUT_INVALID', 'The sandbox brings its own networks.', { hint: 'Use --network testnet or mainnet to choose networks and RPC addresses.' });
  };
  const reopen = (): void => {
    chains.close();
    chains = open();
    balances.expire();
    for (const what of ['app', 'accounts', 'settings'] as const) changed(what);
  };
  return {
    chain: { networks: () => [...chains.networks(), ...offChain()], balance: (...request) => chains.balance(...request) },
    chains: () => chains,
    networks,
    async setNetwork(network, rpcUrls) {
      requireOwnChoice();
      await changeSettings(() => {
        home.setNetwork(network, rpcUrls);
        reopen();
      });
    },
    async dropNetwork(network, requireFree) {
      requireOwnChoice();
      await changeSettings(() => {
        requireFree();
        home.dropNetwork(network);
        reopen();
      });
    },
    reopen,
    balances,
    lowBalance,
    facilitators(network) {
      const own = home.config().facilitators;
      return own?.[network] ?? own?.['*'] ?? (sandbox ? [sandbox.facilitatorUrl] : DEFAULT_FACILITATORS);
    },
    async fund() {
      // The accounts are there all the same; the next start tries again.
      if (sandbox) await fundNewAccounts(sandbox, balances).catch((error: unknown) => log.warn('no play money for a new account', { reason: toErrorInfo(error).message }));
    },
    close: () => chains.close(),
  };
}

const sandboxNetworks = ({ evm, solana }: Sandbox) => ({ [evm.network]: { rpcUrls: [evm.rpcUrl] }, [solana.network]: { rpcUrls: [solana.rpcUrl] } });

async function fundNewAccounts(sandbox: Sandbox, balances: Balances): Promise<void> {
  const empty = (await balances.read()).filter(({ account, asset, units }) => account.source !== 'watch' && !units && asset.symbol === 'USDC');
  await Promise.all(empty.map(({ account, asset }) => sandbox.fund(asset.network, account.address)));
  balances.expire();
}
