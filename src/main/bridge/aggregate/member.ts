import { BursarError } from '../../../shared/errors/errors.ts';
import type { ClientChannel } from '../channel.ts';
import type { Exchange } from '../exchange.ts';
import { childOf, textAt } from '../json-text.ts';
import { freshId } from '../request-id.ts';
import type { MessageScan } from '../scan.ts';
import type { Session } from '../session.ts';
import { LISTS, readPage, type Listed, type ListKind } from './lists.ts';
import { subscribe } from './member-subscription.ts';
import { messagesOf, type FromServer } from './messages.ts';
import { MODERN, withMeta } from './modern.ts';

/** How long a server may take to say that it knows 2026-07-28. An older one may say nothing at all. */
const DISCOVERY_MS = 5_000;
/** A server that has taken nothing in for so long must not hold back the client's other servers. */
const STUCK_MS = 5_000;
/** No list has more pages: a server that goes on turns in circles. */
const MOST_PAGES = 1_000;
/** No list is longer, in UTF-16 units over all of its pages. */
const MOST_LENGTH = 16 * 1024 * 1024;

export interface MemberOptions {
  readonly upstream: string;
  /** Opens the session with the server. Nothing is started before its first message. */
  readonly open: (main: ClientChannel, onPressure: (full: boolean) => void) => Session;
  /** Raw JSON of the `initialize` params for the server. */
  readonly greeting: () => string;
  /** Raw JSON of what requests say of the client, while it speaks 2026-07-28. */
  readonly clientMeta: () => string | undefined;
  /** Raw JSON of the `logging/setLevel` params, once the client gave any. */
  readonly level: () => string | undefined;
  /** Where the server's own messages go that belong to no request of the client. */
  readonly main: ClientChannel;
  /** Hears of every message of the server that is no answer to Bursar itself. */
  readonly onMessage: (from: FromServer, channel: ClientChannel, done?: (written: boolean) => void) => void;
  /** The client has to hold back (true), or not any more. */
  readonly onPressure: (full: boolean) => void;
}

/** A JSON-RPC error of a server, answering a request of Bursar's. */
export class RefusedByServer extends Error {
  /** Raw JSON of the error object. */
  readonly errorText: string;

  constructor(errorText: string) {
    super(messageOf(errorText).slice(0, 300));
    this.errorText = errorText;
  }
}

/** Bursar's lists are made of what servers list. */
const LIST_CHANGES = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Which protocol a server is spoken to in: one that begins with `initialize`, or 2026-07-28. */
export type Era = 'older' | 'modern';

/** What a subscription is about. */
export interface Following {
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

/** One server in an aggregate session. Bursar is its client, over a session like those of the transparent route. */
export class Member {
  readonly upstream: string;
  readonly #options: MemberOptions;
  #session: Session | undefined;
  #ready: Promise<void> | undefined;
  #capabilities: Readonly<Record<string, unknown>> = {};
  #era: Era = 'older';
  #live = false;
  #closed = false;
  #stuck = false;
  #stuckTimer: NodeJS.Timeout | undefined;

  constructor(options: MemberOptions) {
    this.upstream = options.upstream;
    this.#options = options;
  }

  /** Its handshake is done. */
  get live(): boolean {
    return this.#live;
  }

  get era(): Era {
    return this.#era;
  }

  get session(): Session | undefined {
    return this.#session;
  }

  has(capability: string): boolean {
    return this.#capabilities[capability] !== undefined;
  }

  /** Does it tell when a list changes? */
  tellsChanges(kind: ListKind): boolean {
    const capability = this.#capabilities[LISTS[kind].capability];
    return typeof capability === 'object' && capability !== null && 'listChanged' in capability && capability.listChanged === true;
  }

  /** Greets the server, where that was not done yet. Rejects with why it cannot be used; the next call tries again. */
  ready(): Promise<void> {
    this.#ready ??= this.#greet().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** Its settings were changed by the owner: it is greeted anew. */
  regreet(): void {
    this.#ready = undefined;
    this.#live = false;
  }

  /** Sends a message of the client's. Its answer and what else belongs to it go to the channel. */
  forward(text: string, channel: ClientChannel): Exchange | undefined {
    if (this.#stuck) throw new BursarError('UPSTREAM_UNREACHABLE', `The server "${this.upstream}" takes in no messages at the moment.`, { context: { upstream: this.upstream }, hint: 'Try again later.' });
    return this.#session?.accept(text, { channel });
  }

  /** Sends a notification of the client's, or its answer to the server's request. */
  tell(text: string): void {
    if (!this.#stuck) this.#session?.accept(text);
  }

  /** A whole list, page by page; empty where the server has none of the kind. Rejects like {@link Member.request}. */
  async list(kind: ListKind): Promise<readonly Listed[]> {
    await this.ready();
    const { method, capability } = LISTS[kind];
    if (!this.has(capability)) return [];
    const items: Listed[] = [];
    let cursor: string | undefined;
    let length = 0;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { text, message } = await this.request(method, cursor === undefined ? '{}' : `{"cursor":${cursor}}`);
      length += text.length;
      if (length > MOST_LENGTH) throw new BursarError('MESSAGE_TOO_LARGE', `The server "${this.upstream}" lists more than is kept (${method}).`, { context: { upstream: this.upstream, limit: String(MOST_LENGTH) } });
      const { result } = message.fields;
      if (result === undefined) return items;
      const read = readPage(kind, this.upstream, text, result);
      items.push(...read.items);
      if (read.nextCursor === undefined || read.nextCursor === cursor) break;
      cursor = read.nextCursor;
    }
    return items;
  }

  /**
   * Hears of what the server only tells who asks: changes of its resources and tasks. What it says goes to `onMessage`. Gives the way to end it. A server of the
   * older protocol knows subscriptions of resources alone, and tells of them by itself.
   */
  follow(what: Following, onMessage: (text: string, message: MessageScan) => void): () => void {
    if (this.#era === 'modern') return this.#subscribe(what, onMessage);
    const uris = what.resourceSubscriptions ?? [];
    const ask = (method: string): void => uris.forEach((uri) => void this.request(method, JSON.stringify({ uri })).catch(() => undefined));
    ask('resources/subscribe');
    return () => ask('resources/unsubscribe');
  }

  /** A request of Bursar's own, which is called off where it is not answered in time. Rejects with {@link RefusedByServer}. */
  request(method: string, params: string, withinMs?: number): Promise<FromServer> {
    const paramsText = this.#era === 'modern' ? withMeta(params, this.#options.clientMeta()) : params;
    const idText = JSON.stringify(freshId());
    const { promise, resolve, reject } = Promise.withResolvers<FromServer>();
    const channel: ClientChannel = {
      open: true,
      streams: true,
      write: (text, { done } = {}) => {
        for (const { message, text: one } of messagesOf(text)) {
          if (message.kind !== 'response' || message.fields.id === undefined || textAt(one, message.fields.id) !== idText) this.#options.onMessage({ text: one, message }, this.#options.main);
          else if (message.fields.error === undefined) resolve({ text: one, message });
          else reject(new RefusedByServer(textAt(one, message.fields.error)));
        }
        done?.(true);
      },
      end: () => reject(new BursarError('UPSTREAM_EXITED', `The server "${this.upstream}" gave no answer.`, { context: { upstream: this.upstream } })),
    };
    const session = this.#opened();
    const exchange = session.accept(`{"jsonrpc":"2.0","id":${idText},"method":"${method}","params":${paramsText}}`, { channel });
    if (withinMs === undefined) return promise;
    const timer = setTimeout(() => {
      reject(new BursarError('UPSTREAM_UNREACHABLE', `The server "${this.upstream}" gave no answer in time.`, { context: { upstream: this.upstream } }));
      session.cancel(exchange);
    }, withinMs);
    return promise.finally(() => clearTimeout(timer));
  }

  async close(options: { readonly reason?: string } = {}): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#stuckTimer);
    await this.#session?.close(options);
  }

  #opened(): Session {
    const { open, main, onMessage } = this.#options;
    const own: ClientChannel = {
      streams: true,
      get open() {
        return main.open;
      },
      write: (text, { done } = {}) => {
        const messages = messagesOf(text);
        for (const [index, from] of messages.entries()) onMessage(from, main, index === messages.length - 1 ? done : undefined);
      },
      end: () => undefined,
    };
    this.#session ??= open(own, (full) => this.#onPressure(full));
    return this.#session;
  }

  async #greet(): Promise<void> {
    const meta = this.#options.clientMeta();
    if (meta !== undefined && (await this.#discover(meta))) {
      this.#live = true;
      this.#subscribe(LIST_CHANGES, (text, message) => this.#options.onMessage({ text, message }, this.#options.main));
      return;
    }
    this.#era = 'older';
    const { text, message } = await this.request('initialize', this.#options.greeting());
    this.#takeCapabilities(text, message);
    this.#live = true;
    this.tell('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    const level = this.#options.level();
    if (level !== undefined && this.has('logging')) void this.request('logging/setLevel', level).catch(() => undefined);
  }

  /** Does the server speak 2026-07-28? One that refuses the question, or never answers it, is greeted as an older one is. */
  async #discover(meta: string): Promise<boolean> {
    this.#era = 'older';
    const found = await this.request('server/discover', `{"_meta":${meta}}`, DISCOVERY_MS).catch(() => undefined);
    const versions = found && childOf(found.text, found.message.fields.result, 'supportedVersions');
    const named: unknown = found === undefined || versions === undefined ? [] : JSON.parse(textAt(found.text, versions));
    if (found === undefined || !Array.isArray(named) || !named.includes(MODERN)) return false;
    this.#era = 'modern';
    this.#takeCapabilities(found.text, found.message);
    return true;
  }

  #takeCapabilities(text: string, { fields }: MessageScan): void {
    const capabilities = childOf(text, fields.result, 'capabilities');
    this.#capabilities = capabilities === undefined ? {} : ((JSON.parse(textAt(text, capabilities)) as Record<string, unknown> | null) ?? {});
  }

  #subscribe(wanted: object, onMessage: (text: string, message: MessageScan) => void): () => void {
    const isOver = (): boolean => this.#closed || this.#era !== 'modern';
    return subscribe({ session: () => (isOver() ? undefined : this.#opened()), clientMeta: this.#options.clientMeta, wanted, onMessage });
  }

  /** The client holds back for a slow server, as on its own route, but not for ever. */
  #onPressure(full: boolean): void {
    clearTimeout(this.#stuckTimer);
    if (full) {
      this.#options.onPressure(true);
      this.#stuckTimer = setTimeout(() => {
        this.#stuck = true;
        this.#options.onPressure(false);
      }, STUCK_MS);
      return;
    }
    if (!this.#stuck) this.#options.onPressure(false);
    this.#stuck = false;
  }
}

const messageOf = (errorText: string): string => {
  const error = JSON.parse(errorText) as { readonly message?: unknown } | null;
  return typeof error?.message === 'string' ? error.message : 'The server refused it.';
};
