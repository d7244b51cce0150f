import type { UpstreamView } from '../../../shared/contract/upstreams.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { StoredUpstream } from '../../adapters/store/upstreams.ts';
import type { ServerLogs } from '../../server-logs/server-logs.ts';
import type { Upstreams } from '../../upstreams.ts';
import type { Handlers } from '../router.ts';

export interface UpstreamStateDeps {
  readonly upstreams: Pick<Upstreams, 'list' | 'find' | 'setEnabled'>;
  readonly logs: Pick<ServerLogs, 'health' | 'lines'>;
  readonly view: (stored: StoredUpstream) => UpstreamView;
  /** Ends what runs to a server that is another one now. */
  readonly changed: (name: string) => Promise<void>;
}

type Routes = 'upstreams.health' | 'upstreams.logs' | 'upstreams.setEnabled';

/** How the servers are, what they said last, and the owner's switch for each. */
export const upstreamStateHandlers = ({ upstreams, logs, view, changed }: UpstreamStateDeps): Pick<Handlers, Routes> => ({
  'upstreams.health': () => ({ servers: upstreams.list().map(({ name }) => logs.health(name)) }),
  'upstreams.logs': ({ name, after }) => {
    if (!upstreams.find(name)) throw new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}".`, { context: { upstream: name } });
    return { lines: [...logs.lines(name, after)] };
  },
  'upstreams.setEnabled': async ({ name, enabled }) => {
    const before = upstreams.find(name);
    const stored = await upstreams.setEnabled(name, enabled);
    if (before?.enabled !== enabled) await changed(name);
    return view(stored);
  },
});
