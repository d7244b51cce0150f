import type { SeenIn } from '../../../core/policy/provenance.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { ClientChannel } from '../channel.ts';
import type { ClientSession } from '../client-session.ts';
import type { Exchange } from '../exchange.ts';
import { stringAt, textAt } from '../json-text.ts';
import type { Log } from '../log.ts';
import { idKey } from '../request-id.ts';
import { errorResponse, RPC_PARSE_ERROR } from '../rpc-error.ts';
import { scanPayload, type MessageScan, type PayloadScan } from '../scan.ts';
import type { AcceptOptions, Session } from '../session.ts';
import { splice } from '../splice.ts';
import { batchChannel } from './batch-channel.ts';
import { createCatalogue, type Catalogue, type LastLists } from './catalogue.ts';
import { createClientRequests, type ClientRequest } from './client-requests.ts';
import { anonymousParams, VERSIONS } from './greeting.ts';
import { childOf, LIST_KINDS, LISTS, type ListKind } from './lists.ts';
import { Member, messagesOf, RefusedByServer, type FromServer } from './member.ts';
import { AGGREGATE } from './names.ts';
import type { OwnTools, OwnToolsView } from './own-tools.ts';
import { createRoutes, type Routes } from './routes.ts';
import { createServe, responseOf, type Shown } from './serve-request.ts';
import { createServerRequests } from './server-requests.ts';

const UNSUPPORTED_VERSION = -32022;

export interface AggregateOptions {
  /** Of this client's connection: for payments too, whichever server they go to. */
  readonly id: string;
  readonly client: string;
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
  readonly upstream = AGGREGATE;
  readonly #options: AggregateOptions;
  readonly #members = new Map<string, Member>();
  readonly #requests = createClientRequests();
  readonly #asked = createServerRequests<Member>();
  readonly #catalogue: Catalogue;
  readonly #routes: Routes;
  readonly #tools: OwnToolsView;
  readonly #serve: ReturnType<typeof createServe>;
  readonly #pressing = new Set<string>();
  #greeting: string;
  #level: string | undefined;
  #mainIsSlow = false;
  #closing: Promise<void> | undefined;

  constructor(options: AggregateOptions) {
    this.id = options.id;
    this.client = options.client;
    this.#options = options;
    this.#greeting = anonymousParams(options.version);
    this.#catalogue = createCatalogue({
      members: () => options.names().map((name) => this.#member(name)),
      lastLists: options.lastLists,
      waitMs: options.listWaitMs,
      onLate: (kind) => this.#tellChanged(kind),
      onFailure: ({ upstream, reason }, kind) => options.log.warn('a server is left out of a list', { upstream, client: options.client, list: LISTS[kind].method, reason }),
    });
    this.#routes = createRoutes({ catalogue: this.#catalogue, names: options.names });
    this.#tools = options.tools.open(options.client, () => this.#tellChanged('tools'));
    this.#serve = createServe({
      client: options.client,
      session: options.id,
      version: options.version,
      tools: this.#tools,
      seenIn: options.seenIn(options.client),
      catalogue: this.#catalogue,
      routes: this.#routes,
      live: () => this.#live(),
      setGreeting: (paramsText) => {
        this.#greeting = paramsText;
      },
      setLevel: (paramsText) => {
        this.#level = paramsText;
      },
      answer: (request, text, given) => this.#answer(request, text, given),
      forward: (request, text, upstream, shown) => this.#forward(request, text, upstream, shown),
    });
  }

  accept(text: string, { scan, channel = this.#options.main }: AcceptOptions = {}): Exchange {
    let payload: PayloadScan;
    try {
      payload = scan ?? scanPayload(text);
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
    const concerned = slow && channel !== this.#options.main ? this.#requests.on(channel).flatMap(({ inner }) => inner?.member ?? []) : this.#members.values();
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
    return this.#requests.all().length > 0 || [...this.#members.values()].some(({ session }) => session?.unfinished === true);
  }

  /** The owner added, changed, enabled, disabled or removed a server. */
  upstreamChanged(upstream: string): void {
    this.#catalogue.forget(upstream);
    const member = this.#members.get(upstream);
    if (this.#options.names().includes(upstream)) member?.regreet();
    else if (member !== undefined) {
      this.#members.delete(upstream);
      this.#asked.forget(member);
      void member.close({ reason: `The server "${upstream}" was removed.` });
    }
    for (const kind of LIST_KINDS) if (kind !== 'templates') this.#tellChanged(kind);
  }

  close(options: { readonly reason?: string } = {}): Promise<void> {
    if (options.reason === undefined) for (const { abort } of this.#requests.all()) abort.abort();
    const ended = Promise.all([...this.#members.values()].map((member) => member.close(options)));
    this.#closing ??= this.#end(ended, options.reason ?? 'The session was closed.');
    return this.#closing;
  }

  async #end(ended: Promise<unknown>, reason: string): Promise<void> {
    await ended;
    this.#tools.close();
    for (const request of this.#requests.all()) this.#answer(request, errorResponse(request.idText, new BursarError('UPSTREAM_EXITED', reason)));
    this.#options.onClosed?.();
  }

  #member(upstream: string): Member {
    const known = this.#members.get(upstream);
    if (known !== undefined) return known;
    const { open, main, onUpstreamPressure } = this.#options;
    const member: Member = new Member({
      upstream,
      main,
      open: (own, onPressure) => {
        const session = open(upstream, own, onPressure);
        if (this.#mainIsSlow) session.setSlow(main, true);
        return session;
      },
      greeting: () => this.#greeting,
      level: () => this.#level,
      onMessage: (from, channel, done) => this.#fromServer(member, from, channel, done),
      onPressure: (full) => {
        if (full) this.#pressing.add(upstream);
        else this.#pressing.delete(upstream);
        onUpstreamPressure?.(this.#pressing.size > 0);
      },
    });
    this.#members.set(upstream, member);
    return member;
  }

  #live(): Member[] {
    return [...this.#members.values()].filter((member) => member.live);
  }

  // What the client sends.

  #take({ text, message }: FromServer, exchange: Exchange): void {
    const { kind, fields } = message;
    const method = stringAt(text, fields.method) ?? '';
    if (kind === 'notification') return this.#takeNotification(text, message, method);
    if (kind === 'response') {
      const answer = this.#asked.answer(text, message);
      return answer?.member.tell(answer.text);
    }
    if (kind !== 'request' || fields.id === undefined) return;
    const request: ClientRequest = { key: idKey(text, fields.id), idText: textAt(text, fields.id), exchange, abort: new AbortController() };
    this.#requests.add(request);
    const modern = stringAt(text, fields['params._meta.io.modelcontextprotocol/protocolVersion']);
    if (modern !== undefined && !VERSIONS.includes(modern)) {
      const error = { code: UNSUPPORTED_VERSION, message: 'All servers together are offered in older versions of the protocol. Begin with initialize.', data: { supported: VERSIONS, requested: modern } };
      return this.#answer(request, responseOf(request, 'error', JSON.stringify(error)), { status: 400 });
    }
    this.#serve(request, method, text, message).catch((error: unknown) => {
      const answer = error instanceof RefusedByServer ? responseOf(request, 'error', error.errorText) : errorResponse(request.idText, error);
      this.#answer(request, answer);
    });
  }

  #takeNotification(text: string, message: MessageScan, method: string): void {
    if (method === 'notifications/initialized') return;
    if (method === 'notifications/cancelled') return this.#takeCancellation(text, message);
    if (method === 'notifications/progress') {
      const progress = this.#asked.progress(text, message);
      return progress?.member.tell(progress.text);
    }
    for (const member of this.#live()) member.tell(text);
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

  async #forward(request: ClientRequest, text: string, upstream: string, shown: Shown = (answer) => answer): Promise<void> {
    if (request.abort.signal.aborted) return void this.#requests.close(request);
    const member = this.#member(upstream);
    if (!member.live) await member.ready();
    if (request.abort.signal.aborted) return void this.#requests.close(request);
    const exchange = member.forward(text, this.#channelTo(request, member, shown));
    if (exchange !== undefined) request.inner = { member, exchange };
  }

  // What servers send.

  /** Takes what belongs to a request at its server, and hands it to the client. */
  #channelTo(request: ClientRequest, member: Member, shown: Shown): ClientChannel {
    const { channel } = request.exchange;
    return {
      get open() {
        return channel.open;
      },
      get streams() {
        return channel.streams;
      },
      write: (text, { done } = {}) => {
        const messages = messagesOf(text);
        for (const [index, from] of messages.entries()) {
          const report = index === messages.length - 1 ? done : undefined;
          const { id } = from.message.fields;
          const isAnswer = from.message.kind === 'response' && id !== undefined && idKey(from.text, id) === request.key;
          // The server's HTTP status is not Bursar's: a 401 or 404 of one server says nothing of this address.
          if (isAnswer) this.#answer(request, shown(from.text, from.message), report === undefined ? {} : { done: report });
          else this.#fromServer(member, from, channel, report);
        }
      },
      end: () => {
        if (this.#requests.close(request)) channel.end();
      },
      pause: () => channel.pause?.(),
    };
  }

  #fromServer(member: Member, { text, message }: FromServer, channel: ClientChannel, done?: (written: boolean) => void): void {
    const shown = this.#shownMessage(member, text, message);
    if (shown === undefined) return done?.(false);
    channel.write(shown, done === undefined ? {} : { done });
  }

  /** A message of a server as the client gets it; undefined where it is of no use to the client. */
  #shownMessage(member: Member, text: string, message: MessageScan): string | undefined {
    const { kind, fields } = message;
    const method = stringAt(text, fields.method);
    if (kind === 'request') return signed(member.upstream, method, this.#asked.add(member, text, message));
    // Late answers could meet a request of the same id at another server.
    if (kind !== 'notification') return undefined;
    for (const list of LIST_KINDS) if (method === `notifications/${LISTS[list].capability}/list_changed`) this.#catalogue.changed(member.upstream, list);
    if (method === 'notifications/cancelled') return this.#asked.cancelled(member, text, message);
    const uri = fields['params.uri'];
    const own = method === 'notifications/resources/updated' ? stringAt(text, uri) : undefined;
    return own === undefined || uri === undefined ? text : splice(text, [{ ...uri, text: JSON.stringify(this.#routes.shownUri(member.upstream, own)) }]);
  }

  #tellChanged(kind: ListKind): void {
    this.#options.main.write(`{"jsonrpc":"2.0","method":"notifications/${LISTS[kind].capability}/list_changed"}`);
  }

  #answer(request: ClientRequest, text: string, options: { readonly status?: number; readonly done?: (written: boolean) => void } = {}): void {
    const { exchange, abort } = request;
    if (!this.#requests.close(request)) return options.done?.(false);
    // A request that was cancelled before it went anywhere is not answered (MCP, Cancellation).
    if (abort.signal.aborted && request.inner === undefined) return exchange.channel.end();
    exchange.channel.write(text, { last: true, ...options });
  }
}

/** A server asks the person in its own name: the client would show Bursar's, to which people tell more. */
function signed(upstream: string, method: string | undefined, text: string): string {
  const at = method === 'elicitation/create' ? childOf(text, scanPayload(text).messages[0]?.fields.params, 'message') : undefined;
  const words = stringAt(text, at);
  return at === undefined || words === undefined ? text : splice(text, [{ ...at, text: JSON.stringify(`The server "${upstream}" asks: ${words}`) }]);
}
