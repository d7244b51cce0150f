import { requireNetwork, type NetworkId } from '../../core/registry/networks.ts';
import type { AppStatus } from '../../shared/contract/app.ts';
import type { Balances } from '../adapters/balances.ts';
import type { Home } from '../adapters/home/home.ts';
import type { Wallet } from '../adapters/keys/keys.ts';
import type { LedgerIntegrity } from '../adapters/store/integrity.ts';
import { bursarCommand } from '../bursar-command.ts';
import type { LowBalance } from '../wallet/low-balance.ts';

export interface AppStatusDeps extends Pick<AppStatus, 'version' | 'environment' | 'host'> {
  readonly home: Home;
  readonly wallet: Wallet;
  readonly integrity: Pick<LedgerIntegrity, 'findings' | 'cause' | 'canPutBack'>;
  readonly balances: Balances;
  readonly lowBalance: LowBalance;
  readonly mcpUrl: () => string;
  /** Why HTTP clients cannot reach the address now; empty where they can. */
  readonly httpProblem: () => string;
  /** Names of the servers that wait for their owner to sign in. */
  readonly waitingForSignIn: () => readonly string[];
}

/** How the application stands, with all that its owner should know of, the worst first. */
export async function appStatus({ version, environment, host, home, wallet, integrity, balances, lowBalance, mcpUrl, httpProblem, waitingForSignIn }: AppStatusDeps): Promise<AppStatus> {
  const nothingKept = environment === 'mainnet' && wallet.passphraseSet && home.config().backedUpAt === undefined && wallet.seeds().every(({ revealedAt }) => revealedAt === undefined);
  return {
    version,
    environment,
    host,
    home: home.folder,
    commandLine: bursarCommand('', home),
    mcpUrl: mcpUrl(),
    keys: { backend: wallet.backend, locked: wallet.locked, passphraseBeside: wallet.passphraseBeside, sealed: wallet.sealed },
    networks: await networkStates(balances),
    warnings: [
      ...integrity.findings().map((finding) => `${finding} Nothing is paid until you ${integrity.cause === 'settings' && integrity.canPutBack ? 'put it back or ' : ''}accept it on the Activity page.`),
      ...[httpProblem()].filter(Boolean),
      ...waitingForSignIn().map((name) => `The server "${name}" waits for you to sign in, on the Servers page.`),
      ...(nothingKept ? [NOTHING_KEPT] : []),
      ...lowBalance.warnings(),
      // With play money that is as it should be, and the overview says so by itself.
      ...(wallet.passphraseBeside && environment !== 'sandbox' ? [PASSPHRASE_BESIDE] : []),
    ],
  };
}

const NOTHING_KEPT = 'No copy of this wallet exists: its words were never shown, and no backup was made. If this machine is lost, so is the money.';

const PASSPHRASE_BESIDE = 'These throwaway keys lie in a vault file whose passphrase lies beside it, not in a keychain. Keep play money on them and nothing else.';

/** A network counts as reachable while its balances can be read. */
async function networkStates(balances: Balances): Promise<AppStatus['networks']> {
  const stale = new Map<NetworkId, boolean>();
  for (const { asset, stale: silent } of await balances.read()) stale.set(asset.network, silent);
  return [...stale].map(([network, silent]) => ({ network, name: requireNetwork(network).name, reachable: !silent }));
}
