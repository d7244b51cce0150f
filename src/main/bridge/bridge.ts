import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeenIn } from '../../core/policy/provenance.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { AggregateSession } from './aggregate/aggregate-session.ts';
import { createLastLists } from './aggregate/catalogue.ts';
import { AGGREGATE } from './aggregate/names.ts';
import type { OwnTools } from './aggregate/own-tools.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import { createHttpAgents } from './http-exchange.ts';
import { DEFAULT_LIMITS, type BridgeLimits } from './limits.ts';
import type { Log } from './log.ts';
import { createOrphanGuard } from './orphan-guard.ts';
import type { PaymentHook } from './payment-hook.ts';
import { Session } from './session.ts';
import { createSessionPlaces, type SessionHolder } from './session-places.ts';
import { createTaskBook } from './task-calls.ts';
import { watchedLink, type ServerWatch } from './server-watch.ts';
import { openHttpUpstream } from './upstream-http.ts';
import { keepUpstream } from './upstream-keeper.ts';
import { openStdioUpstream } from './upstream-stdio.ts';
import type { Upstream, UpstreamEvents, UpstreamSpec, UpstreamTransport } from './upstream.ts';

export interface BridgeOptions {
  /** The enabled server of that name. Asked at each start of a link, so that a change takes effect at the next one. */
  readonly upstreams: (name: string) => UpstreamSpec | undefined;
  readonly hook: PaymentHook;
  readonly log: Log;
  /** Hears how the servers are. */
  readonly watch?: ServerWatch;
  readonly limits?: Partial<BridgeLimits>;
  /** All servers at once, with Bursar's own tools; without it there is no such route. */
  readonly aggregate?: AggregateRoute;
}

export interface AggregateRoute {
  /** The enabled servers. */
  readonly names: () => readonly string[];
  readonly tools: OwnTools;
  /** Where an address was first seen in what servers told a client's agent. */
  readonly seenIn: (client: string) => SeenIn;
  /** Of this program. */
  readonly version: string;
}

/** A client that wants a session. */
export interface ConnectRequest {
  /** Its registered name; budgets go by it. */
  readonly client: string;
  /** What its token is limited to, where it is. */
  readonly scopes?: readonly Scope[];
  /** Empty for all servers at once. */
  readonly upstream: string;
  readonly main: ClientChannel;
  /** Ends what the client's connection carries: the owner took its access away. */
  readonly hangUp?: (reason: BursarError) => void;
  /** How the session is ended where another needs its place; without it, it keeps it for as long as its connection lasts. */
  readonly spare?: Pick<SessionHolder, 'idleSince' | 'giveWay'>;
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
   * @throws {BursarError} FORBIDDEN when there are too many sessions, of all clients or of this one, and none is idle; or when the bridge is closed.
   */
  connect(request: ConnectRequest): ClientSession;
  sessions(): readonly SessionInfo[];
  /** The owner has added, changed or removed a server: every link to it ends, open requests get an error, sessions stay. */
  reset(upstream: string): Promise<void>;
  /**
   * Ends the sessions of such clients: what they wait for is answered with the error, and then they are hung up on. Payments that are signed come
   * to their end without them, and their answers are kept.
   */
  endClients(isConcerned: (client: string) => boolean, error: BursarError): void;
  /** Answers every open request with an error and ends every server, within `limits.stopMs`. */
  close(): Promise<void>;
}

const NEVER_SPARE = { idleSince: () => undefined, giveWay: () => undefined };

/** The MCP data path: client sessions on one side, each with its own server session on the other. */
export function createBridge({ upstreams, hook, log, watch, limits: given, aggregate }: BridgeOptions): Bridge {
  const limits: BridgeLimits = { ...DEFAULT_LIMITS, ...given };
  const places = createSessionPlaces(limits);
  const clients = new Set<ClientSession>();
  const hangUps = new Map<ClientSession, (reason: BursarError) => void>();
  /** Sessions with one server, those of aggregate sessions included. */
  const sessions = new Set<Session>();
  const aggregates = new Set<AggregateSession>();
  const lastLists = createLastLists();
  const agents = createHttpAgents();
  const tasks = createTaskBook();
  const guard = createOrphanGuard();
  let closed = false;

  const open = (name: string, events: UpstreamEvents): Upstream => {
    const spec = upstreams(name);
    if (spec === undefined) throw new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}".`, { context: { upstream: name } });
    const { transport } = spec;
    const link = watch?.opened(spec);
    const openLink = (heard: UpstreamEvents): Upstream =>
      transport.kind === 'stdio'
        ? openStdioUpstream({ spec, transport, events: heard, limits, guard, log, onStderr: link?.stderr })
        : openHttpUpstream({ spec, transport, events: heard, limits, agents, log });
    return link ? watchedLink(link, events, openLink) : openLink(events);
  };

  const openSession = ({ onClosed, ...request }: ConnectRequest & { readonly id: string; readonly onClosed: () => void }): Session => {
    const { upstream } = request;
    const session = new Session({
      ...request,
      hook,
      tasks: tasks.of(request.client, upstream),
      log,
      drainMs: limits.drainMs,
      paidTaskMs: limits.paidTaskMs,
      open: (events) => keepUpstream({ name: upstream, events, open: (linkEvents) => open(upstream, linkEvents), restarts: () => upstreams(upstream)?.transport.kind === 'stdio', onRestart: (inMs) => watch?.restarts(upstream, inMs) }),
      onClosed: () => {
        sessions.delete(session);
        onClosed();
      },
    });
    sessions.add(session);
    return session;
  };

  const openAggregate = (route: AggregateRoute, { onClosed, ...request }: Omit<ConnectRequest, 'upstream'> & { readonly id: string; readonly onClosed: () => void }): AggregateSession => {
    const { id, client, scopes } = request;
    const session = new AggregateSession({
      ...route,
      ...request,
      log,
      lastLists,
      listWaitMs: limits.listWaitMs,
      open: (upstream, main, onUpstreamPressure) => openSession({ id, client, ...(scopes && { scopes }), upstream, main, onUpstreamPressure, onClosed: () => undefined }),
      onClosed: () => {
        aggregates.delete(session);
        onClosed();
      },
    });
    aggregates.add(session);
    return session;
  };

  return {
    limits,
    log,
    knows: (upstream) => (upstream === AGGREGATE ? aggregate !== undefined : upstreams(upstream) !== undefined),
    transportOf: (upstream) => upstreams(upstream)?.transport.kind,
    connect({ client, scopes, upstream, main, onUpstreamPressure, hangUp, spare = NEVER_SPARE }) {
      if (closed) throw new BursarError('FORBIDDEN', 'Bursar is closing.', { hint: 'Start Bursar again.' });
      const leave = places.take({ client, ...spare });
      const id = randomUUID();
      const request = { id, client, main, ...(scopes && { scopes }), ...(onUpstreamPressure && { onUpstreamPressure }) };
      const onClosed = (): void => {
        leave();
        clients.delete(session);
        hangUps.delete(session);
        log.info('session closed', { session: id, client, upstream });
      };
      const session: ClientSession = upstream === AGGREGATE && aggregate !== undefined ? openAggregate(aggregate, { ...request, onClosed }) : openSession({ ...request, upstream, onClosed });
      clients.add(session);
      if (hangUp) hangUps.set(session, hangUp);
      log.info('session opened', { session: id, client, upstream });
      return session;
    },
    sessions: () => [...clients].map(({ id, client, upstream, openRequests }) => ({ id, client, upstream, openRequests })),
    async reset(upstream) {
      lastLists.forget(upstream);
      tasks.forget(upstream);
      await Promise.all([...sessions].filter((session) => session.upstream === upstream).map((session) => session.reset()));
      for (const session of aggregates) session.upstreamChanged(upstream);
    },
    endClients(isConcerned, error) {
      for (const session of clients) {
        if (!isConcerned(session.client)) continue;
        session.expel(error);
        hangUps.get(session)?.(error);
      }
    },
    async close() {
      closed = true;
      const bound = new AbortController();
      const ended = Promise.all([...clients].map((session) => session.close({ reason: 'Bursar is closing.' })));
      const late = delay(limits.stopMs, undefined, { signal: bound.signal }).then(() => log.warn('sessions did not end in time', { sessions: clients.size }), () => undefined);
      await Promise.race([ended, late]);
      bound.abort();
      agents.http.destroy();
      agents.https.destroy();
      guard.close();
    },
  };
}
