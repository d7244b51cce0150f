import type { AppStatus } from '../../../shared/contract/app.ts';
import type { Handlers } from '../router.ts';

export interface AppDeps {
  readonly status: () => Promise<AppStatus>;
  readonly setNetwork: (network: string, rpcUrls: readonly string[]) => void;
}

export const appHandlers = ({ status, setNetwork }: AppDeps): Pick<Handlers, 'app.status' | 'networks.set'> => ({
  'app.status': () => status(),
  'networks.set': ({ network, rpcUrls }) => {
    setNetwork(network, rpcUrls);
    return {};
  },
});
