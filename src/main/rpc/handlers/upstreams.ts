import type { StoredUpstream } from '../../adapters/store/upstreams.ts';
import { upstreamAddress, type Upstreams } from '../../upstreams.ts';
import type { UpstreamView } from '../../../shared/contract/upstreams.ts';
import type { Handlers } from '../router.ts';

export interface UpstreamDeps {
  readonly upstreams: Upstreams;
  /** `http://127.0.0.1:PORT/mcp` */
  readonly mcpUrl: () => string;
  /** Ends what runs to a server that is another one now. */
  readonly changed: (name: string) => Promise<void>;
}

type Routes = 'upstreams.list' | 'upstreams.add' | 'upstreams.remove';

export function upstreamHandlers({ upstreams, mcpUrl, changed }: UpstreamDeps): Pick<Handlers, Routes> {
  const view = (stored: StoredUpstream): UpstreamView => ({
    name: stored.name,
    kind: stored.transport.kind,
    address: upstreamAddress(stored.transport),
    enabled: stored.enabled,
    mcpUrl: `${mcpUrl()}/${stored.name}`,
  });
  return {
    'upstreams.list': () => ({ upstreams: upstreams.list().map(view) }),
    'upstreams.add': async ({ name, transport }) => {
      const added = await upstreams.add(name, transport);
      await changed(name);
      return view(added);
    },
    'upstreams.remove': async ({ name }) => {
      await upstreams.remove(name);
      await changed(name);
      return {};
    },
  };
}
