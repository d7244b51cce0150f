import type { AppStatus, Check } from '../../../shared/contract/app.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../router.ts';

export interface AppDeps {
  readonly status: () => Promise<AppStatus>;
  readonly dashboardUrl: () => string;
  readonly setNetwork: (network: string, rpcUrls: readonly string[]) => Promise<void>;
  readonly checkup: (options: { readonly servers: boolean }, caller: Caller) => Promise<Check[]>;
  readonly facilitators: {
    /** What the owner set, by network or `*`. */
    readonly own: () => Readonly<Record<string, readonly string[]>>;
    /** Each enabled chain with what is asked there. */
    readonly inForce: () => readonly { readonly network: string; readonly urls: readonly string[] }[];
    readonly set: (network: string, urls: readonly string[]) => Promise<void>;
  };
}

type Routes = 'app.status' | 'app.dashboard' | 'app.checkup' | 'networks.set' | 'facilitators.list' | 'facilitators.set' | 'facilitators.reset';

export const appHandlers = ({ status, dashboardUrl, setNetwork, checkup, facilitators }: AppDeps): Pick<Handlers, Routes> => ({
  'app.status': () => status(),
  'app.dashboard': () => ({ url: dashboardUrl() }),
  'networks.set': async ({ network, rpcUrls }) => {
    await setNetwork(network, rpcUrls);
    return {};
  },
  'app.checkup': async (options, caller) => ({ checks: await checkup(options, caller) }),
  'facilitators.list': () => {
    const own = facilitators.own();
    const chains = facilitators.inForce().map(({ network, urls }) => ({ network, urls: [...urls], own: network in own || '*' in own }));
    const others = Object.entries(own).filter(([network]) => !chains.some((chain) => chain.network === network));
    return { facilitators: [...chains, ...others.map(([network, urls]) => ({ network, urls: [...urls], own: true }))] };
  },
  'facilitators.set': async ({ network, urls }) => {
    await facilitators.set(network, urls);
    return {};
  },
  'facilitators.reset': async ({ network }) => {
    const own = Object.keys(facilitators.own());
    if (network !== undefined && !own.includes(network)) throw new BursarError('NOT_FOUND', `No facilitator is set for ${network}.`, { hint: 'The built-in ones are asked there.' });
    for (const name of network === undefined ? own : [network]) await facilitators.set(name, []);
    return {};
  },
});
