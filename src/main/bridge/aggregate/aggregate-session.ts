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
import { anonymousParams, greet, VERSIONS } from './greeting.ts';
import { childOf, LIST_KINDS, LISTS, type ListKind } from './lists.ts';
import { Member, messagesOf, RefusedByServer, type FromServer } from './member.ts';
import { AGGREGATE } from './names.ts';
import type { OwnTools } from './own-tools.ts';
import { createRoutes, type Route, type Routes } from './routes.ts';
import { createServerRequests } from './server-requests.ts';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;
const UNSUPPORTED_VERSION = -32022;

export interface AggregateOptions {
  /** Of this client's connection: for payments too, whichever server they go to. */
  readonly id: string;
  readonly client: string;
  /** The enabled servers. */
  readonly names: () => readonly string[];
  readonly tools: OwnTools;
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

/** What stands in the place of an answer of a server, as it is written to the client. */
type Shown = (text: string, message: MessageScan) => string;

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
    const ended = Promise.all([...this.#members.values()].map((member) => member.close(options)));
    this.#closing ??= this.#end(ended, options.reason ?? 'The session was closed.');
    return this.#closing;
  }

  async #end(ended: Promise<unknown>, reason: string): Promise<void> {
    await ended;
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
    for (const member of this.#members.values()) if (member.live) member.tell(text);
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

  async #serve(request: ClientRequest, method: string, text: string, message: MessageScan): Promise<void> {
    const { fields } = message;
    switch (method) {
      case 'initialize': {
        const { resultText, paramsText } = greet(text, message, this.#options.version);
        this.#greeting = paramsText;
        return this.#answer(request, responseOf(request, 'result', resultText));
      }
      case 'ping':
        return this.#answer(request, responseOf(request, 'result', '{}'));
      case 'tools/list':
        return this.#serveList(request, 'tools');
      case 'prompts/list':
        return this.#serveList(request, 'prompts');
      case 'resources/list':
        return this.#serveList(request, 'resources');
      case 'resources/templates/list':
        return this.#serveList(request, 'templates');
      case 'tools/call':
        return this.#call(request, text, message);
      case 'prompts/get': {
        const name = stringAt(text, fields['params.name']) ?? '';
        return this.#pass(request, text, await this.#routes.named('prompts', name), fields['params.name'], () => invalid(request, `There is no prompt "${name}".`));
      }
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe': {
        const uri = stringAt(text, fields['params.uri']) ?? '';
        const missing = () => responseOf(request, 'error', JSON.stringify({ code: RESOURCE_NOT_FOUND, message: 'No server has this resource.', data: { uri } }));
        return this.#pass(request, text, await this.#routes.addressed(uri), fields['params.uri'], missing);
      }
      case 'completion/complete': {
        const ref = childOf(text, fields.params, 'ref');
        const at = childOf(text, ref, 'name') ?? childOf(text, ref, 'uri');
        const asked = stringAt(text, at) ?? '';
        const isPrompt = stringAt(text, childOf(text, ref, 'type')) === 'ref/prompt';
        return this.#pass(request, text, await (isPrompt ? this.#routes.named('prompts', asked) : this.#routes.addressed(asked)), at, () => invalid(request, 'No server has what this reference names.'));
      }
      case 'logging/setLevel': {
        const level = fields.params === undefined ? '{}' : textAt(text, fields.params);
        this.#level = level;
        for (const member of this.#members.values()) if (member.live && member.has('logging')) member.request(method, level).catch(() => undefined);
        return this.#answer(request, responseOf(request, 'result', '{}'));
      }
      default:
        return this.#answer(request, responseOf(request, 'error', JSON.stringify({ code: METHOD_NOT_FOUND, message: 'Method not found' })));
    }
  }

  async #serveList(request: ClientRequest, kind: ListKind): Promise<void> {
    const gathered = await this.#catalogue.gather(kind);
    const own = kind === 'tools' ? this.#options.tools.listed : [];
    const entries = [...own, ...this.#routes.merge(kind, gathered).map((item) => item.text)].join(',');
    const note = gathered.missing.length === 0 ? '' : `,"_meta":${JSON.stringify({ 'bursar/unavailable': gathered.missing })}`;
    this.#answer(request, responseOf(request, 'result', `{"${LISTS[kind].member}":[${entries}]${note}}`));
  }

  async #call(request: ClientRequest, text: string, { fields }: MessageScan): Promise<void> {
    const tool = stringAt(text, fields['params.name']) ?? '';
    const args = fields['params.arguments'];
    const own = this.#options.tools.call(tool, { client: this.client, argumentsText: args === undefined ? '{}' : textAt(text, args) });
    if (own?.kind === 'result') return this.#answer(request, responseOf(request, 'result', own.resultText));
    if (own?.kind === 'again') {
      const token = fields['params._meta.progressToken'];
      const meta = token === undefined ? '' : `,"_meta":{"progressToken":${textAt(text, token)}}`;
      const again = `{"jsonrpc":"2.0","id":${request.idText},"method":"tools/call","params":{"name":${JSON.stringify(own.tool)},"arguments":${own.argumentsText}${meta}}}`;
      return this.#forward(request, again, own.upstream, (answer, message) => (message.fields.result === undefined ? answer : splice(answer, [{ ...message.fields.result, text: own.wrap(textAt(answer, message.fields.result)) }])));
    }
    const route = await this.#routes.named('tools', tool);
    const shown: Shown = (answer) => {
      if (route !== undefined) this.#routes.mentioned(route.upstream, answer);
      return answer;
    };
    return this.#pass(request, text, route, fields['params.name'], () => invalid(request, `There is no tool "${tool}".`), shown);
  }

  /** Sends the request on with what its server calls the thing at `at`. */
  async #pass(request: ClientRequest, text: string, route: Route | undefined, at: { readonly start: number; readonly end: number } | undefined, missing: () => string, shown?: Shown): Promise<void> {
    if (route === undefined || at === undefined) return this.#answer(request, missing());
    return this.#forward(request, splice(text, [{ ...at, text: JSON.stringify(route.own) }]), route.upstream, shown);
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
    const method = stringAt(text, message.fields.method) ?? '';
    if (message.kind === 'request' && method === 'ping') {
      const { id } = message.fields;
      done?.(true);
      return member.tell(`{"jsonrpc":"2.0","id":${id === undefined ? 'null' : textAt(text, id)},"result":{}}`);
    }
    const shown = this.#shownMessage(member, text, message, method);
    if (shown === undefined) return done?.(false);
    channel.write(shown, done === undefined ? {} : { done });
  }

  /** A message of a server as the client gets it; undefined where it is of no use to the client. */
  #shownMessage(member: Member, text: string, message: MessageScan, method: string): string | undefined {
    const { kind, fields } = message;
    if (kind === 'request') return this.#asked.add(member, text, message);
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

const responseOf = ({ idText }: ClientRequest, member: 'result' | 'error', text: string): string => `{"jsonrpc":"2.0","id":${idText},"${member}":${text}}`;

const invalid = (request: ClientRequest, message: string): string => responseOf(request, 'error', JSON.stringify({ code: INVALID_PARAMS, message }));
