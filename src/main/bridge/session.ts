import type { HttpFacts } from '../../core/challenges/answer.ts';
import type { Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { NOWHERE, type ClientChannel } from './channel.ts';
import { RequestTable, type Exchange, type OpenRequest } from './exchange.ts';
import { stringAt, textAt } from './json-text.ts';
import { idAtAnEnd } from './lines.ts';
import type { Log } from './log.ts';
import { PaymentDesk } from './payment-desk.ts';
import type { PaymentHook } from './payment-hook.ts';
import { idKey } from './request-id.ts';
import { cancelText, Retries } from './retries.ts';
import { channelFor } from './routing.ts';
import { errorResponse, RPC_PARSE_ERROR } from './rpc-error.ts';
import { scanPayload, type MessageScan, type PayloadScan } from './scan.ts';
import { splice, type Edit } from './splice.ts';
import type { KeptUpstream } from './upstream-keeper.ts';
import type { AnswerHead, Outgoing, SessionEvents } from './upstream.ts';

/** How much of a message that is not JSON is searched for its id, at either end. */
const ID_SEARCH = 1024;

export interface SessionOptions {
  readonly id: string;
  readonly client: string;
  /** What the client's token is limited to, where it is. */
  readonly scopes?: readonly Scope[];
  readonly upstream: string;
  /** Opens the session's own link to the server. */
  readonly open: (events: SessionEvents) => KeptUpstream;
  /** Carries what belongs to no exchange of its own. */
  readonly main: ClientChannel;
  readonly hook: PaymentHook;
  readonly log: Log;
  readonly drainMs: number;
  /** The server takes messages in slower (true), or again as fast as they come. */
  readonly onUpstreamPressure?: (full: boolean) => void;
  readonly onClosed?: () => void;
}

/** How one payload of the client is taken in. */
export interface AcceptOptions {
  /** The payload's parts, where the caller has scanned it. */
  readonly scan?: PayloadScan;
  /** Where its answers go; the session's main channel by default. */
  readonly channel?: ClientChannel;
  /** HTTP headers that go with it. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One client session and its own server session. Messages pass as the text they came in; only payments look closer. */
export class Session {
  readonly id: string;
  readonly client: string;
  readonly scopes?: readonly Scope[];
  readonly upstream: string;
  readonly #options: SessionOptions;
  readonly #link: KeptUpstream;
  readonly #requests = new RequestTable();
  readonly #retries: Retries;
  readonly #desk: PaymentDesk;
  readonly #slowChannels = new Set<ClientChannel>();
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.client = options.client;
    if (options.scopes) this.scopes = options.scopes;
    this.upstream = options.upstream;
    this.#options = options;
    this.#link = options.open({
      onMessage: (text, exchange, head) => this.#fromUpstream(text, exchange, head),
      onAnswerLost: (idText, error) => this.#answerLost(idText, error),
      onExchangeEnd: (exchange, error, refusal) => this.#endExchange(exchange, error, refusal),
      onDown: (error) => {
        options.log.warn('a server is gone', { upstream: options.upstream, client: options.client, reason: error.message });
        this.#failAll(error);
      },
      onPressure: (full) => options.onUpstreamPressure?.(full),
      onStreamPaused: ({ channel }) => channel.pause?.(),
    });
    this.#retries = new Retries(this.#link);
    const { id, client, scopes, upstream, hook, log } = options;
    this.#desk = new PaymentDesk({ sessionId: id, client, ...(scopes && { scopes }), upstream, hook, log, retries: this.#retries });
  }

  /** Takes in one payload of the client. Malformed JSON is answered with an error and goes nowhere. */
  accept(given: string, { scan, channel = this.#options.main, headers }: AcceptOptions = {}): Exchange {
    const exchange: Exchange = { channel, unanswered: new Set(), ...(headers === undefined ? {} : { headers }) };
    let text = given;
    let payload: PayloadScan;
    try {
      ({ text, payload } = this.#desk.withoutProofs(given, scan ?? scanPayload(given)));
    } catch (error) {
      channel.write(errorResponse('null', error, RPC_PARSE_ERROR), { last: true });
      return exchange;
    }
    let handshake: Outgoing['handshake'];
    let cancels: Exchange | undefined;
    for (const message of payload.messages) {
      const method = stringAt(text, message.fields.method);
      if (message.kind === 'request') this.#track(text, message, method, exchange);
      if (method === 'notifications/cancelled') cancels = this.#cancel(text, message);
      if (method === 'initialize') handshake = 'initialize';
      if (method === 'notifications/initialized') handshake = 'initialized';
    }
    this.#link.send({ text, scan: payload, exchange, awaited: () => isAwaited(exchange), ...(cancels === undefined ? {} : { cancels }), ...(handshake === undefined ? {} : { handshake }) });
    return exchange;
  }

  /** The client does not wait for this exchange any more: its connection is gone. */
  abandon(exchange: Exchange): void {
    this.setSlow(exchange.channel, false);
    for (const request of exchange.unanswered) request.abort.abort();
  }

  /** The client hung up on an exchange, which calls its requests off (MCP 2026-07-28, Streamable HTTP, Cancellation). */
  cancel(exchange: Exchange): void {
    this.abandon(exchange);
    for (const request of exchange.unanswered) {
      if (request.state !== 'awaiting') continue;
      this.#requests.close(request);
      const notice: Exchange = { channel: NOWHERE, unanswered: new Set() };
      this.#link.send({ text: cancelText(request.idText), exchange: notice, cancels: exchange });
    }
  }

  /** Tells that the client reads a channel slower than the server writes (true), or has caught up. */
  setSlow(channel: ClientChannel, slow: boolean): void {
    const before = this.#slowChannels.size > 0;
    if (slow) this.#slowChannels.add(channel);
    else this.#slowChannels.delete(channel);
    const after = this.#slowChannels.size > 0;
    if (before !== after) this.#link.setPaused(after);
  }

  /** Resolves when every request has its answer, or after `ms`. */
  whenAnswered(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#requests.onceEmpty(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** The server was changed or removed: open requests fail, and the next message finds the new one. */
  async reset(): Promise<void> {
    await this.#link.reset(new BursarError('UPSTREAM_EXITED', `The server "${this.upstream}" was changed.`, { context: { upstream: this.upstream }, hint: 'Repeat the call.' }));
  }

  /** Requests whose client waits for an answer. */
  get openRequests(): number {
    return this.#requests.all().filter(({ abort }) => !abort.signal.aborted).length;
  }

  /** Is there a request that the server may still answer, or a payment still under way? */
  get unfinished(): boolean {
    return this.#requests.all().length > 0;
  }

  /**
   * Ends the session because the client has gone. Payments under way may first come to their end, for at most `drainMs`;
   * a `reason` cuts them off and answers every open request with it.
   */
  close({ reason }: { readonly reason?: string } = {}): Promise<void> {
    if (reason !== undefined) this.#failAll(new BursarError('UPSTREAM_EXITED', reason, { context: { upstream: this.upstream }, hint: 'Reconnect, then repeat the call.' }));
    this.#closing ??= this.#end();
    if (reason !== undefined) this.#onIdle?.();
    return this.#closing;
  }

  /** Ends the session because its client may not go on: open requests are answered with the error at once, and payments come to their end without it. */
  expel(error: BursarError): void {
    for (const request of this.#requests.all()) {
      const answer = errorResponse(request.idText, error);
      const { channel, unanswered } = request.exchange;
      if (request.state === 'awaiting') this.#answer(request, answer);
      else if (!request.abort.signal.aborted) channel.write(answer, { last: unanswered.size === 1 });
    }
    void this.close();
  }

  async #end(): Promise<void> {
    for (const request of this.#requests.all()) request.abort.abort();
    this.#slowChannels.clear();
    this.#link.setPaused(false);
    if (this.#isDeciding()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, this.#options.drainMs);
      this.#onIdle = resolve;
      await promise;
      clearTimeout(timer);
    }
    await this.#link.close();
    this.#failAll(new BursarError('UPSTREAM_EXITED', `The session with the server "${this.upstream}" was closed.`, { context: { upstream: this.upstream } }));
    this.#options.onClosed?.();
  }

  #isDeciding(): boolean {
    return this.#requests.all().some((request) => request.state === 'deciding');
  }

  #track(text: string, { fields, span, duplicates }: MessageScan, method: string | undefined, exchange: Exchange): void {
    const { id } = fields;
    if (id === undefined) return;
    const token = fields['params._meta.progressToken'];
    this.#requests.add({
      key: idKey(text, id),
      idText: textAt(text, id),
      exchange,
      progressKey: token === undefined ? undefined : idKey(text, token),
      toolCallText: method === 'tools/call' ? textAt(text, span) : undefined,
      repeatedKey: duplicates[0],
      startedAt: Date.now(),
      listsTools: method === 'tools/list',
      subscribes: method === 'subscriptions/listen',
      abort: new AbortController(),
      state: 'awaiting',
    });
  }

  #cancel(text: string, { fields }: MessageScan): Exchange | undefined {
    const id = fields['params.requestId'];
    const request = id === undefined ? undefined : this.#requests.byId(idKey(text, id));
    if (request === undefined) return undefined;
    request.abort.abort();
    if (request.state !== 'awaiting') return request.exchange;
    // The server need not answer any more; what it says all the same passes as a message of its own.
    this.#requests.close(request);
    const { channel, unanswered } = request.exchange;
    if (unanswered.size === 0) channel.end();
    return request.exchange;
  }

  #fromUpstream(text: string, from?: Exchange, head?: AnswerHead): void {
    let payload: PayloadScan;
    try {
      payload = scanPayload(text);
    } catch {
      this.#options.log.warn('the server sent something that is not JSON; it was dropped', { upstream: this.upstream, length: text.length });
      const idText = idAtAnEnd(text.slice(0, ID_SEARCH), text.slice(-ID_SEARCH));
      if (idText !== undefined) this.#answerLost(idText, new BursarError('MESSAGE_MALFORMED', `The server "${this.upstream}" sent an answer that is not JSON.`, { context: { upstream: this.upstream } }));
      return;
    }
    const status = failedStatus(head);
    if (payload.batch) {
      const strangers = payload.messages.filter((message) => !this.#retries.settle(text, message, head));
      if (strangers.length === payload.messages.length) this.#batchFromUpstream(text, payload, from, status);
      else for (const { span } of strangers) this.#fromUpstream(textAt(text, span), from, head);
      return;
    }
    const [message] = payload.messages;
    if (message === undefined || this.#retries.settle(text, message, head)) return;
    const request = this.#requestOf(text, message, from);
    // An HTTP error that names no request ends its exchange; that is how a retry hears of it.
    if (request === undefined && status !== undefined && this.#retries.owns(from)) return;
    if (request === undefined) {
      this.#desk.noteRequest(message, text);
      channelFor(text, message, from, this.#requests, this.#options.main).write(text, status === undefined ? {} : { status });
    } else if (this.#desk.concerns(request, message, text)) {
      this.#desk.decide(request, text, (answer, delivered) => this.#putAnswer(request, answer, delivered));
    } else {
      this.#answer(request, splice(text, this.#desk.listEdits(request, message, text)), status);
      this.#desk.noteWords(request, text);
    }
  }

  /** A batch answer is held as a whole while the payment side decides about any of its parts. */
  #batchFromUpstream(text: string, { messages }: PayloadScan, from?: Exchange, status?: number): void {
    const parts = messages.map((message) => ({ message, request: this.#requestOf(text, message, from) }));
    const paid = parts.filter(({ message, request }) => request !== undefined && this.#desk.concerns(request, message, text));
    const channel = parts.find(({ request }) => request !== undefined)?.request?.exchange.channel ?? from?.channel ?? this.#options.main;
    const rest = parts.filter((part) => !paid.includes(part)).map(({ request }) => request);
    const finish = (edits: readonly Edit[], done?: (written: boolean) => void): void => {
      for (const request of rest) if (request !== undefined) this.#requests.close(request);
      const answered = parts.flatMap(({ request }) => request ?? []);
      const last = answered.length > 0 && answered.every(({ exchange }) => exchange.unanswered.size === 0);
      channel.write(splice(text, edits), { last, ...(status === undefined ? {} : { status }), ...(done === undefined ? {} : { done }) });
    };
    for (const { message, request } of parts) if (request !== undefined && !paid.some((part) => part.request === request)) this.#desk.noteWords(request, textAt(text, message.span));
    const edits: Edit[] = parts.flatMap(({ message, request }) => (request === undefined ? [] : this.#desk.listEdits(request, message, text)));
    if (paid.length === 0) return finish(edits);
    for (const request of rest) if (request !== undefined) request.state = 'deciding';
    const reports: ((written: boolean) => void)[] = [];
    let waiting = paid.length;
    for (const { message, request } of paid) {
      if (request === undefined) continue;
      const original = textAt(text, message.span);
      this.#desk.decide(request, original, (answer, delivered) => {
        this.#settle(request);
        edits.push({ ...message.span, text: answer });
        if (delivered !== undefined) reports.push(delivered);
        if (--waiting === 0) finish(edits, (written) => reports.forEach((report) => report(written)));
      });
    }
  }

  #requestOf(text: string, { kind, fields }: MessageScan, from?: Exchange): OpenRequest | undefined {
    return kind === 'response' && fields.id !== undefined ? this.#requests.awaiting(idKey(text, fields.id), from) : undefined;
  }

  #answer(request: OpenRequest, text: string, status?: number): void {
    this.#requests.close(request);
    const { channel, unanswered } = request.exchange;
    channel.write(text, { last: unanswered.size === 0, ...(status === undefined ? {} : { status }) });
  }

  /** Writes what the payment side has made of an answer, if the client still waits for it. */
  #putAnswer(request: OpenRequest, answer: string, delivered?: (written: boolean) => void): void {
    this.#settle(request);
    const { channel, unanswered } = request.exchange;
    const last = unanswered.size === 0;
    if (delivered !== undefined && (request.abort.signal.aborted || !channel.open)) {
      if (last) channel.end();
      delivered(false);
      return;
    }
    channel.write(answer, { last, ...(delivered === undefined ? {} : { done: delivered }) });
  }

  #settle(request: OpenRequest): void {
    this.#requests.close(request);
    if (!this.#isDeciding()) this.#onIdle?.();
  }

  #answerLost(idText: string, error: BursarError): void {
    const key = idKey(idText, { start: 0, end: idText.length });
    if (this.#retries.failOne(key, error)) return;
    const request = this.#requests.awaiting(key);
    if (request !== undefined) this.#answer(request, errorResponse(request.idText, error));
  }

  #endExchange(exchange: Exchange, error?: BursarError, refusal?: HttpFacts): void {
    if (error !== undefined && exchange.unanswered.size === 0) this.#options.log.debug('the server refused a message that has no answer', { upstream: this.upstream, reason: error.message });
    const reason = error ?? new BursarError('UPSTREAM_UNREACHABLE', `The server "${this.upstream}" ended its answer without a result.`, { context: { upstream: this.upstream }, hint: 'Try again, or tell its operator.' });
    this.#retries.fail(reason, exchange, refusal);
    for (const request of exchange.unanswered) {
      if (request.state !== 'awaiting') continue;
      const fallback = errorResponse(request.idText, reason);
      if (this.#desk.decideRefusal(request, refusal, fallback, (answer, delivered) => this.#putAnswer(request, answer, delivered))) continue;
      if (request.abort.signal.aborted) {
        this.#requests.close(request);
        if (exchange.unanswered.size === 0) exchange.channel.end();
      } else {
        this.#answer(request, fallback);
      }
    }
  }

  #failAll(error: BursarError): void {
    this.#retries.fail(error);
    for (const request of this.#requests.all()) if (request.state === 'awaiting') this.#answer(request, errorResponse(request.idText, error));
  }
}

const isAwaited = ({ unanswered }: Exchange): boolean => [...unanswered].some(({ state }) => state === 'awaiting');

/** An HTTP status that the client has to see too. */
const failedStatus = (head: AnswerHead | undefined): number | undefined => (head === undefined || (head.status >= 200 && head.status < 300) ? undefined : head.status);
