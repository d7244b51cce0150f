import type { Clock } from '../core/ports.ts';
import type { NetworkId } from '../core/registry/networks.ts';
import { bursarCommand } from './bursar-command.ts';
import type { Addresses } from './engine.ts';
import { appStatus, type AppStatusDeps } from './rpc/app-status.ts';
import type { Caller } from './rpc/caller.ts';
import { checkUp, type CheckupDeps } from './rpc/checkup.ts';
import { appHandlers, type AppDeps } from './rpc/handlers/app.ts';
import type { UpstreamAuths } from './upstream-auth/upstream-auth.ts';
import type { Upstreams } from './upstreams.ts';

export interface AppWiring extends Pick<AppStatusDeps, 'home' | 'host' | 'version' | 'wallet' | 'balances' | 'lowBalance'>, Pick<CheckupDeps, 'integrity' | 'networks'> {
  readonly clock: Clock;
  readonly auths: Pick<UpstreamAuths, 'waiting'>;
  readonly upstreams: Pick<Upstreams, 'list'>;
  readonly facilitators: (network: NetworkId) => readonly string[];
  readonly setNetwork: AppDeps['setNetwork'];
  /** Where Bursar is reached now. */
  readonly addresses: () => Addresses;
  /** Names of the clients that have a token. */
  readonly clientNames: () => readonly string[];
  /** The registrations of clients on this machine. */
  readonly registered: (caller: Caller) => ReturnType<CheckupDeps['clients']>;
  readonly testServer: CheckupDeps['test'];
  readonly changeSettings: (change: () => void) => Promise<void>;
  readonly settingsChanged: () => void;
}

/** How Bursar stands as a whole, and what it asks on each chain. */
export function wireApp(parts: AppWiring): ReturnType<typeof appHandlers> {
  const { home, wallet, integrity, networks, auths, addresses, facilitators } = parts;
  const { environment } = home;
  return appHandlers({
    checkup: (options, caller) =>
      checkUp(options, {
        environment,
        wallet,
        integrity,
        networks,
        clients: () => parts.registered(caller),
        tokens: parts.clientNames,
        upstreams: () => parts.upstreams.list(),
        needsSignIn: (name) => auths.waiting().includes(name),
        test: parts.testServer,
        now: () => parts.clock.now(),
        command: (words) => bursarCommand(words, home),
      }),
    facilitators: {
      own: () => home.config().facilitators ?? {},
      inForce: () => (Object.keys(networks()) as NetworkId[]).map((network) => ({ network, urls: facilitators(network) })),
      async set(network, urls) {
        await parts.changeSettings(() => void home.setFacilitators(network, urls));
        parts.settingsChanged();
      },
    },
    status: () => appStatus({ ...parts, environment, mcpUrl: () => addresses().mcpUrl, httpProblem: () => addresses().httpProblem(), waitingForSignIn: () => auths.waiting() }),
    dashboardUrl: () => addresses().dashboardUrl(),
    setNetwork: parts.setNetwork,
  });
}
