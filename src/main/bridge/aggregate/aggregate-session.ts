import type { SeenIn } from '../../../core/policy/provenance.ts';
import type { Scope } from '../../../shared/access/scopes.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { ClientChannel } from '../channel.ts';
import type { ClientSession } from '../client-session.ts';
import type { Exchange } from '../exchange.ts';
import { stringAt, textAt } from '../json-text.ts';
import type { Log } from '../log.ts';
import { idKey } from '../request-id.ts';
import { errorResponse, RPC_PARSE_ERROR } from '../rpc-error.ts';
import { scanClientPayload, type MessageScan, type PayloadScan } from '../scan.ts';
import type { AcceptOptions, Session } from '../session.ts';
import { batchChannel } from './batch-channel.ts';
import { createCatalogue, type Catalogue, type LastLists } from './catalogue.ts';
import { createClientRequests, type ClientRequest } from './client-requests.ts';
import { anonymousParams, VERSIONS } from './greeting.ts';
import { createForward } from './forward.ts';
import { createFromServers, type FromServers } from './from-servers.ts';
import { LIST_KINDS, LISTS, type ListKind } from './lists.ts';
import { RefusedByServer, type Member } from './member.ts';
import { createMembers, type Members } from './members.ts';
import { messagesOf, type FromServer } from './messages.ts';
import { clientMeta, completed, MODERN, wantsLog } from './modern.ts';
import { AGGREGATE } from './names.ts';
import type { OwnTools, OwnToolsView } from './own-tools.ts';
import { createProgressTokens } from './progress-tokens.ts';
import { createRoutes, type Routes } from './routes.ts';
import { createServe, responseOf } from './serve-request.ts';
import { createServerRequests } from './server-requests.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { withOwnTasks } from './task-names.ts';

const UNSUPPORTED_VERSION = -32022;

export interface AggregateOptions {
  /** Of this client's connection: for payments too, whichever server they go to. */
  readonly id: string;
  readonly client: string;
  /** What the client's token is limited to, where it is. */
  readonly scopes?: readonly Scope[];
  /** The enabled servers. */
  readonly names: () => readonly string[];
  readonly tools: OwnTools;
  /** Where an address was first seen in what servers told a client's agent. */
  readonly seenIn: (client: string) => SeenIn;
  readonly version: string;
  readonly lastLists: LastLists;
  /** How long a list waits for a server of which nothing is known (ms). */
  readonly listWaitMs: number;
  /** Opens a session with a server. */
  readonly open: (upstream: string, main: ClientChannel, onPressure: (full: boolean) => void) => Session;
  readonly main: ClientChannel;
  readonly log: Log;
  readonly onUpstreamPressure?: (full: boolean) => void;
  readonly onClosed?: () => void;
}

/**
 * One client and all servers at once. To the client Bursar is a server of its own; to each server it is a client, over a session like
 * those of the transparent route, so that payments, retries and losses are handled there. A request keeps its id on the whole way.
 */
export class AggregateSession implements ClientSession {
  readonly id: string;
  readonly client: string;
  readonly scopes?: readonly Scope[];
  readonly upstream = AGGREGATE;
  readonly #options: AggregateOptions;
  readonly #members: Members;
  readonly #requests = createClientRequests();
  readonly #asked = createServerRequests<Member>();
  readonly #progress = createProgressTokens();
  readonly #catalogue: Catalogue;
  readonly #routes: Routes;
  readonly #tools: OwnToolsView;
  readonly #subscriptions: Subscriptions;
  readonly #fromServers: FromServers;
  readonly #serve: ReturnType<typeof createServe>;
  #greeting: string;
  /** What the newest request of a client of 2026-07-28 says of it, as raw JSON; undefined for a client that began with `initialize`. */
  #clientMeta: string | undefined;
  #level: string | undefined;
  #mainIsSlow = false;
  #closing: Promise<void> | undefined;

  constructor(options: AggregateOptions) {
    this.id = options.id;
    this.client = options.client;
    if (options.scopes) this.scopes = options.scopes;
    this.#options = options;
    this.#greeting = anonymousParams(options.version);
    this.#members = createMembers({
      names: options.names,
      main: options.main,
      open: (upstream, own, onPressure) => {
        const session = options.open(upstream, own, onPressure);
        if (this.#mainIsSlow) session.setSlow(options.main, true);
        return session;
      },
      greeting: () => (this.#clientMeta === undefined ? this.#greeting : anonymousParams(options.version)),
      clientMeta: () => this.#clientMeta,
      level: () => this.#level,
      onMessage: (member, from, channel, done) => this.#fromServer(member, from, channel, done),
      onPressure: (full) => options.onUpstreamPressure?.(full),
    });
    this.#catalogue = createCatalogue({
      members: () => options.names().map((name) => this.#members.of(name)),
      lastLists: options.lastLists,
      waitMs: options.listWaitMs,
      onLate: (kind) => this.#tellChanged(kind),
      onFailure: ({ upstream, reason }, kind) => options.log.warn('a server is left out of a list', { upstream, client: options.client, list: LISTS[kind].method, reason }),
    });
    this.#routes = createRoutes({ catalogue: this.#catalogue, names: options.names });
    this.#tools = options.tools.open(options.client, () => this.#tellChanged('tools'), options.scopes);
    this.#subscriptions = createSubscriptions({
      owner: async (uri) => {
        const route = await this.#routes.addressed(uri);
        const member = route && (await this.#members.ready(route.upstream));
        return route && member && { member, own: route.own };
      },
      member: (upstream) => this.#members.ready(upstream),
      onMessage: (member, text, message) => this.#fromServer(member, { text, message }, options.main),
    });
    this.#fromServers = createFromServers({ catalogue: this.#catalogue, routes: this.#routes, asked: this.#asked, progress: this.#progress, subscriptions: this.#subscriptions });
    this.#serve = createServe({
      client: options.client,
      session: options.id,
      version: options.version,
      tools: this.#tools,
      ...(options.scopes && { scopes: options.scopes }),
      seenIn: options.seenIn(options.client),
      catalogue: this.#catalogue,
      routes: this.#routes,
      names: options.names,
      subscriptions: this.#subscriptions,
      live: () => this.#members.live(),
      setGreeting: (paramsText) => {
        this.#greeting = paramsText;
      },
      setLevel: (paramsText) => {
        this.#level = paramsText;
      },
      answer: (request, text, given) => this.#answer(request, text, given),
      forward: createForward({
        members: this.#members,
        requests: this.#requests,
        progress: this.#progress,
        answer: (request, text, given) => this.#answer(request, text, given),
        onMessage: (member, from, channel, done, within) => this.#fromServer(member, from, channel, done, within),
      }),
    });
  }

  accept(text: string, { scan, channel = this.#options.main }: AcceptOptions = {}): Exchange {
    let payload: PayloadScan;
    try {
      payload = scan ?? scanClientPayload(text);
    } catch (error) {
      channel.write(errorResponse('null', error, RPC_PARSE_ERROR), { last: true });
      return { channel, unanswered: new Set() };
    }
    const requests = payload.messages.filter(({ kind }) => kind === 'request').length;
    const exchange: Exchange = { channel: payload.batch && requests > 0 ? batchChannel(channel, requests) : channel, unanswered: new Set() };
    for (const each of payload.batch ? messagesOf(text) : payload.messages.map((message) => ({ text, message }))) this.#take(each, exchange);
    return exchange;
  }

  abandon(exchange: Exchange): void {
    for (const request of this.#requests.of(exchange)) {
      request.abort.abort();
      if (request.inner !== undefined) request.inner.member.session?.abandon(request.inner.exchange);
    }
    this.setSlow(exchange.channel, false);
  }

  cancel(exchange: Exchange): void {
    for (const request of this.#requests.of(exchange)) {
      request.abort.abort();
      if (request.inner !== undefined) request.inner.member.session?.cancel(request.inner.exchange);
      this.#requests.close(request);
    }
  }

  setSlow(channel: ClientChannel, slow: boolean): void {
    if (channel === this.#options.main) this.#mainIsSlow = slow;
    const concerned = slow && channel !== this.#options.main ? this.#requests.on(channel).flatMap(({ inner }) => inner?.member ?? []) : this.#members.all();
    for (const { session } of concerned) session?.setSlow(channel, slow);
  }

  whenAnswered(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#requests.onceEmpty(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  get openRequests(): number {
    return this.#requests.all().filter(({ abort }) => !abort.signal.aborted).length;
  }

  get unfinished(): boolean {
    return this.#requests.all().length > 0 || this.#members.all().some(({ session }) => session?.unfinished === true);
  }

  /** The owner added, changed, enabled, disabled or removed a server. */
  upstreamChanged(upstream: string): void {
    this.#catalogue.forget(upstream);
    const member = this.#members.get(upstream);
    if (this.#options.names().includes(upstream)) member?.regreet();
    else if (member !== undefined) {
      this.#asked.forget(member);
      this.#members.drop(member, `The server "${upstream}" was removed.`);
    }
    for (const kind of LIST_KINDS) if (kind !== 'templates') this.#tellChanged(kind);
  }

  close(options: { readonly reason?: string } = {}): Promise<void> {
    if (options.reason === undefined) for (const { abort } of this.#requests.all()) abort.abort();
    const ended = Promise.all(this.#members.all().map((member) => member.close(options)));
    this.#closing ??= this.#end(ended, options.reason ?? 'The session was closed.');
    return this.#closing;
  }

  expel(error: BursarError): void {
    for (const { session } of this.#members.all()) session?.expel(error);
    // What no server has: Bursar's own tools, and requests that wait for a server to start.
    for (const request of this.#requests.all()) {
      if (request.inner === undefined) this.#answer(request, errorResponse(request.idText, error));
      request.abort.abort();
    }
    void this.close();
  }

  async #end(ended: Promise<unknown>, reason: string): Promise<void> {
    await ended;
    this.#tools.close();
    for (const request of this.#requests.all()) this.#answer(request, errorResponse(request.idText, new BursarError('UPSTREAM_EXITED', reason)));
    this.#options.onClosed?.();
  }

  // What the client sends.

  #take({ text, message }: FromServer, exchange: Exchange): void {
    const { kind, fields } = message;
    const method = stringAt(text, fields.method) ?? '';
    if (kind === 'notification') return this.#takeNotification(text, message, method);
    if (kind === 'response') {
      const answer = this.#asked.answer(text, message);
      return answer?.member.tell(withOwnTasks(answer.text));
    }
    if (kind !== 'request' || fields.id === undefined) return;
    const version = stringAt(text, fields['params._meta.io.modelcontextprotocol/protocolVersion']);
    const modern = version === MODERN;
    const token = fields['params._meta.progressToken'];
    const request: ClientRequest = { key: idKey(text, fields.id), idText: textAt(text, fields.id), ...(token !== undefined && { progressKey: idKey(text, token) }), method, modern, wantsLog: modern && wantsLog(text, message), exchange, abort: new AbortController() };
    this.#requests.add(request);
    if (version !== undefined && !modern && !VERSIONS.includes(version)) {
      const supported = [MODERN, ...VERSIONS.toReversed()];
      const error = { code: UNSUPPORTED_VERSION, message: `Unsupported protocol version: ${version.slice(0, 50)}`, data: { supported, requested: version } };
      return this.#answer(request, responseOf(request, 'error', JSON.stringify(error)), { status: 400 });
    }
    if (modern) this.#clientMeta = clientMeta(text, message);
    else if (method === 'initialize') this.#beOlder();
    this.#serve(request, method, text, message).catch((error: unknown) => {
      const answer = error instanceof RefusedByServer ? responseOf(request, 'error', error.errorText) : errorResponse(request.idText, error);
      this.#answer(request, answer);
    });
  }

  /** A client that asked for 2026-07-28 first decided otherwise. A server that was spoken to in that version may not change it within a session. */
  #beOlder(): void {
    this.#clientMeta = undefined;
    for (const member of this.#members.live()) if (member.era === 'modern') this.#members.drop(member, 'The client began another session.');
  }

  #takeNotification(text: string, message: MessageScan, method: string): void {
    if (method === 'notifications/initialized') return;
    if (method === 'notifications/cancelled') return this.#takeCancellation(text, message);
    if (method === 'notifications/progress') {
      const progress = this.#asked.progress(text, message);
      return progress?.member.tell(progress.text);
    }
    for (const member of this.#members.live()) member.tell(text);
  }

  #takeCancellation(text: string, { fields }: MessageScan): void {
    const id = fields['params.requestId'];
    const request = id && this.#requests.byKey(idKey(text, id));
    if (request === undefined) return;
    request.abort.abort();
    if (request.inner !== undefined) return request.inner.member.tell(text);
    this.#requests.close(request);
    request.exchange.channel.end();
  }

  // What servers send.

  #fromServer(member: Member, { text, message }: FromServer, channel: ClientChannel, done?: (written: boolean) => void, within?: ClientRequest): void {
    const shown = this.#clientMeta === undefined ? this.#fromServers.toOlder(member, text, message) : this.#fromServers.toModern(member, text, message, within);
    if (shown === undefined) return done?.(false);
    channel.write(shown, done === undefined ? {} : { done });
  }

  #tellChanged(kind: ListKind): void {
    if (this.#clientMeta === undefined) this.#options.main.write(`{"jsonrpc":"2.0","method":"notifications/${LISTS[kind].capability}/list_changed"}`);
    else this.#subscriptions.listChanged(kind);
  }

  #answer(request: ClientRequest, text: string, options: { readonly status?: number; readonly done?: (written: boolean) => void } = {}): void {
    const { exchange, abort } = request;
    if (!this.#requests.close(request)) return options.done?.(false);
    // A request that was cancelled before it went anywhere is not answered (MCP, Cancellation).
    if (abort.signal.aborted && request.inner === undefined) return exchange.channel.end();
    exchange.channel.write(request.modern ? completed(text, request.method) : text, { last: true, ...options });
  }
}
