import type { AppStatus } from '../../../shared/contract/app.ts';
import type { Handlers } from '../router.ts';

export interface AppDeps {
  readonly status: () => Promise<AppStatus>;
  readonly dashboardUrl: () => string;
  readonly setNetwork: (network: string, rpcUrls: readonly string[]) => void;
}

export const appHandlers = ({ status, dashboardUrl, setNetwork }: AppDeps): Pick<Handlers, 'app.status' | 'app.dashboard' | 'networks.set'> => ({
  'app.status': () => status(),
  'app.dashboard': () => ({ url: dashboardUrl() }),
  'networks.set': ({ network, rpcUrls }) => {
    setNetwork(network, rpcUrls);
    return {};
  },
});
