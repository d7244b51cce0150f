import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';
import type { ClientChannel } from './channel.ts';
import { createHttpAgents } from './http-exchange.ts';
import { DEFAULT_LIMITS, type BridgeLimits } from './limits.ts';
import type { Log } from './log.ts';
import { createOrphanGuard } from './orphan-guard.ts';
import type { PaymentHook } from './payment-hook.ts';
import { Session } from './session.ts';
import { openHttpUpstream } from './upstream-http.ts';
import { keepUpstream } from './upstream-keeper.ts';
import { openStdioUpstream } from './upstream-stdio.ts';
import type { Upstream, UpstreamEvents, UpstreamSpec, UpstreamTransport } from './upstream.ts';

export interface BridgeOptions {
  /** The enabled server of that name. Asked at each start of a link, so that a change takes effect at the next one. */
  readonly upstreams: (name: string) => UpstreamSpec | undefined;
  readonly hook: PaymentHook;
  readonly log: Log;
  readonly limits?: Partial<BridgeLimits>;
}

/** A client that wants a session. */
export interface ConnectRequest {
  /** Its registered name; budgets go by it. */
  readonly client: string;
  readonly upstream: string;
  readonly main: ClientChannel;
  readonly onUpstreamPressure?: (full: boolean) => void;
}

export interface SessionInfo {
  readonly id: string;
  readonly client: string;
  readonly upstream: string;
  readonly openRequests: number;
}

export interface Bridge {
  readonly limits: BridgeLimits;
  readonly log: Log;
  readonly knows: (upstream: string) => boolean;
  /** How the server of that name is reached. */
  readonly transportOf: (upstream: string) => UpstreamTransport['kind'] | undefined;
  /**
   * Opens a session; its server is started by the first message. An unknown server answers every request with
   * UPSTREAM_UNKNOWN.
   *
   * @throws {BursarError} FORBIDDEN when there are too many sessions, or the bridge is closed.
   */
  connect(request: ConnectRequest): Session;
  sessions(): readonly SessionInfo[];
  /** Ends every link to a server that the owner has changed or removed; open requests get an error, sessions stay. */
  reset(upstream: string): Promise<void>;
  /** Answers every open request with an error and ends every server, within `limits.stopMs`. */
  close(): Promise<void>;
}

/** The MCP data path: client sessions on one side, each with its own server session on the other. */
export function createBridge({ upstreams, hook, log, limits: given }: BridgeOptions): Bridge {
  const limits: BridgeLimits = { ...DEFAULT_LIMITS, ...given };
  const sessions = new Map<string, Session>();
  const agents = createHttpAgents();
  const guard = createOrphanGuard();
  let closed = false;

  const open = (name: string, events: UpstreamEvents): Upstream => {
    const spec = upstreams(name);
    if (spec === undefined) throw new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}".`, { context: { upstream: name } });
    const { transport } = spec;
    return transport.kind === 'stdio'
      ? openStdioUpstream({ spec, transport, events, limits, guard, log })
      : openHttpUpstream({ spec, transport, events, limits, agents, log });
  };

  return {
    limits,
    log,
    knows: (upstream) => upstreams(upstream) !== undefined,
    transportOf: (upstream) => upstreams(upstream)?.transport.kind,
    connect({ client, upstream, main, onUpstreamPressure }) {
      if (closed) throw new BursarError('FORBIDDEN', 'Bursar is closing.', { hint: 'Start Bursar again.' });
      if (sessions.size >= limits.maxSessions) throw new BursarError('FORBIDDEN', `There are ${sessions.size} sessions open already.`, { hint: 'Close some clients.' });
      const id = randomUUID();
      const session = new Session({
        id,
        client,
        upstream,
        main,
        hook,
        log,
        drainMs: limits.drainMs,
        open: (events) => keepUpstream({ name: upstream, events, open: (linkEvents) => open(upstream, linkEvents) }),
        onClosed: () => {
          sessions.delete(id);
          log.info('session closed', { session: id, client, upstream });
        },
        ...(onUpstreamPressure === undefined ? {} : { onUpstreamPressure }),
      });
      sessions.set(id, session);
      log.info('session opened', { session: id, client, upstream });
      return session;
    },
    sessions: () => [...sessions.values()].map(({ id, client, upstream, openRequests }) => ({ id, client, upstream, openRequests })),
    async reset(upstream) {
      await Promise.all([...sessions.values()].filter((session) => session.upstream === upstream).map((session) => session.reset()));
    },
    async close() {
      closed = true;
      const bound = new AbortController();
      const ended = Promise.all([...sessions.values()].map((session) => session.close({ reason: 'Bursar is closing.' })));
      const late = delay(limits.stopMs, undefined, { signal: bound.signal }).then(() => log.warn('sessions did not end in time', { sessions: sessions.size }), () => undefined);
      await Promise.race([ended, late]);
      bound.abort();
      agents.http.destroy();
      agents.https.destroy();
      guard.close();
    },
  };
}
