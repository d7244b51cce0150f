import type { ToolFacts } from '../core/challenges/tool-facts.ts';
import type { UpstreamTest } from '../shared/contract/upstreams.ts';
import { BursarError } from '../shared/errors/errors.ts';
import type { Home } from './adapters/home/home.ts';
import type { Bridge } from './bridge/bridge.ts';
import { upstreamStateHandlers } from './rpc/handlers/upstream-state.ts';
import { createUpstreamView, upstreamHandlers } from './rpc/handlers/upstreams.ts';
import { probeUpstream } from './rpc/probe-upstream.ts';
import type { ServerLogs } from './server-logs/server-logs.ts';
import type { UpstreamAuths } from './upstream-auth/upstream-auth.ts';
import type { Upstreams } from './upstreams.ts';

export interface ServerWiring {
  readonly upstreams: Upstreams;
  readonly facts: ToolFacts;
  readonly logs: ServerLogs;
  readonly auths: Pick<UpstreamAuths, 'view'>;
  readonly home: Pick<Home, 'config' | 'update'>;
  readonly bridge: Bridge;
  readonly version: string;
  readonly mcpUrl: () => string;
  /** Ends what runs to a server that is another one now. */
  readonly changed: (name: string) => Promise<void>;
}

/** What the owner sees of the servers behind the bridge, and does with them. */
export function wireServers({ upstreams, facts, logs, auths, home, bridge, version, mcpUrl, changed }: ServerWiring) {
  const settledByBursar = () => home.config().clientSettlement ?? [];
  const view = createUpstreamView({ authorization: (name) => auths.view(name), mcpUrl, settledByBursar });
  const test = async (name: string, options: { readonly withinMs: number }): Promise<UpstreamTest> => {
    const found = upstreams.find(name);
    if (found && !found.enabled) throw new BursarError('INPUT_INVALID', `The server "${name}" is switched off.`, { hint: 'Switch it on first.', context: { upstream: name } });
    if (found && !upstreams.spec(name)) throw new BursarError('WALLET_LOCKED', `The secrets of the server "${name}" are locked.`);
    return probeUpstream(name, options, { bridge, facts, version });
  };
  return {
    view,
    test,
    handlers: {
      ...upstreamHandlers({ upstreams, facts, view, test, settledByBursar, setSettledByBursar: (names) => void home.update({ clientSettlement: [...names] }), changed }),
      ...upstreamStateHandlers({ upstreams, logs, view, changed }),
    },
  };
}
