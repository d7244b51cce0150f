import type { ToolFacts } from '../core/challenges/tool-facts.ts';
import type { Approvals } from '../core/payments/approvals.ts';
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
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  readonly facts: ToolFacts;
  readonly schemas: { forget(upstream: string): void };
  readonly logs: ServerLogs;
  readonly auths: Pick<UpstreamAuths, 'view'>;
  readonly home: Pick<Home, 'config' | 'update'>;
  readonly changeSettings: (change: () => void) => Promise<void>;
  readonly bridge: Bridge;
  readonly version: string;
  readonly mcpUrl: () => string;
  /** Tells the pages that a server is another one now. */
  readonly published: () => void;
}

/** What the owner sees of the servers behind the bridge, and does with them. */
export function wireServers({ upstreams, approvals, facts, schemas, logs, auths, home, changeSettings, bridge, version, mcpUrl, published }: ServerWiring) {
  const settledByBursar = () => home.config().clientSettlement ?? [];
  const view = createUpstreamView({ authorization: (name) => auths.view(name), mcpUrl, settledByBursar });
  const test = async (name: string, options: { readonly withinMs: number }): Promise<UpstreamTest> => {
    const found = upstreams.find(name);
    if (found && !found.enabled) throw new BursarError('INPUT_INVALID', `The server "${name}" is switched off.`, { hint: 'Switch it on first.', context: { upstream: name } });
    if (found && !upstreams.spec(name)) throw new BursarError('WALLET_LOCKED', `The secrets of the server "${name}" are locked.`);
    return probeUpstream(name, options, { bridge, facts, version });
  };
  /** Ends what runs to a server that is another one now. */
  const changed = async (name: string): Promise<void> => {
    // What waits was shown with the address that the name had.
    approvals.cancelAll(({ payment }) => payment.upstream === name);
    facts.forget(name);
    schemas.forget(name);
    await bridge.reset(name);
    logs.forget(name);
    published();
  };
  return {
    view,
    test,
    changed,
    handlers: {
      ...upstreamHandlers({ upstreams, facts, view, test, settledByBursar, setSettledByBursar: (names) => changeSettings(() => void home.update({ clientSettlement: [...names] })), changed }),
      ...upstreamStateHandlers({ upstreams, logs, view, changed }),
    },
  };
}
