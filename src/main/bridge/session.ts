import { BursarError } from '../../shared/errors/errors.ts';
import type { ClientChannel } from './channel.ts';
import { RequestTable, type Exchange, type OpenRequest } from './exchange.ts';
import { stringAt, textAt } from './json-text.ts';
import type { Log } from './log.ts';
import type { CallIo, HookAnswer, HttpRefusal, PaymentHook, RetryEdit, ToolCall } from './payment-hook.ts';
import { idKey } from './request-id.ts';
import { errorResponse } from './rpc-error.ts';
import { scanPayload, type MessageScan, type PayloadScan } from './scan.ts';
import { splice, type Edit } from './splice.ts';
import { retryText, toolCallParts, withId } from './tool-call.ts';
import type { Outgoing, Upstream, UpstreamEvents } from './upstream.ts';

const PAYMENT_REQUIRED = 402;
/** Steps of Bursar's own progress: so small that what the server reports later still increases, as MCP demands. */
const PROGRESS_STEP = 1e-6;

export interface SessionOptions {
  readonly id: string;
  readonly client: string;
  readonly upstream: string;
  /** Opens the session's own link to the server. */
  readonly open: (events: UpstreamEvents) => Upstream;
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

interface Retry {
  readonly exchange: Exchange;
  readonly resolve: (answer: string) => void;
  readonly reject: (reason: unknown) => void;
}

/** One client session and its own server session. Messages pass as the text they came in; only payments look closer. */
export class Session {
  readonly id: string;
  readonly client: string;
  readonly upstream: string;
  readonly #options: SessionOptions;
  readonly #link: Upstream;
  readonly #requests = new RequestTable();
  readonly #retries = new Map<string, Retry>();
  readonly #slowChannels = new Set<ClientChannel>();
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.client = options.client;
    this.upstream = options.upstream;
    this.#options = options;
    this.#link = options.open({
      onMessage: (text, exchange, status) => this.#fromUpstream(text, exchange, status),
      onExchangeEnd: (exchange, error, refusal) => this.#endExchange(exchange, error, refusal),
      onDown: (error) => this.#failAll(error),
      onPressure: (full) => options.onUpstreamPressure?.(full),
    });
  }

  /** Takes in one payload of the client. Malformed JSON is answered with an error and goes nowhere. */
  accept(text: string, { scan, channel = this.#options.main, headers }: AcceptOptions = {}): Exchange {
    const exchange: Exchange = { channel, unanswered: new Set() };
    let payload = scan;
    try {
      payload ??= scanPayload(text);
    } catch (error) {
      channel.write(errorResponse('null', error, -32700), { last: true });
      return exchange;
    }
    let handshake: Outgoing['handshake'];
    for (const message of payload.messages) {
      const method = stringAt(text, message.fields.method);
      if (message.kind === 'request') this.#track(text, message, method, exchange);
      if (method === 'notifications/cancelled') this.#cancel(text, message);
      if (method === 'initialize') handshake = 'initialize';
      if (method === 'notifications/initialized') handshake = 'initialized';
    }
    this.#link.send({ text, exchange, ...(headers === undefined ? {} : { headers }), ...(handshake === undefined ? {} : { handshake }) });
    return exchange;
  }

  /** The client does not wait for this exchange any more: its connection is gone. */
  abandon(exchange: Exchange): void {
    this.setSlow(exchange.channel, false);
    for (const request of exchange.unanswered) request.abort.abort();
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

  /** Requests without an answer. */
  get openRequests(): number {
    return this.#requests.all().length;
  }

  /**
   * Ends the session because the client has gone. Payments under way may first come to their end, for at most `drainMs`;
   * `atOnce` cuts them off and answers every open request with an error.
   */
  close({ atOnce = false } = {}): Promise<void> {
    if (atOnce) this.#failAll(new BursarError('UPSTREAM_EXITED', 'Bursar is closing.', { context: { upstream: this.upstream }, hint: 'Start Bursar again.' }));
    this.#closing ??= this.#end();
    if (atOnce) this.#onIdle?.();
    return this.#closing;
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

  #track(text: string, { fields, span }: MessageScan, method: string | undefined, exchange: Exchange): void {
    const { id } = fields;
    if (id === undefined) return;
    const token = fields['params._meta.progressToken'];
    this.#requests.add({
      key: idKey(text, id),
      idText: textAt(text, id),
      exchange,
      progressKey: token === undefined ? undefined : idKey(text, token),
      toolCallText: method === 'tools/call' ? textAt(text, span) : undefined,
      abort: new AbortController(),
      state: 'awaiting',
    });
  }

  #cancel(text: string, { fields }: MessageScan): void {
    const id = fields['params.requestId'];
    const request = id === undefined ? undefined : this.#requests.byId(idKey(text, id));
    if (request === undefined) return;
    request.abort.abort();
    const { exchange } = request;
    if (request.state === 'awaiting' && [...exchange.unanswered].every(({ abort }) => abort.signal.aborted)) exchange.channel.end();
  }

  #fromUpstream(text: string, from?: Exchange, status?: number): void {
    let payload: PayloadScan;
    try {
      payload = scanPayload(text);
    } catch {
      this.#options.log.warn('the server sent something that is not JSON; it was dropped', { upstream: this.upstream, length: text.length });
      return;
    }
    if (payload.batch) return this.#batchFromUpstream(text, payload, from, status);
    const [message] = payload.messages;
    if (message === undefined || this.#settleRetry(text, message)) return;
    const request = this.#requestOf(text, message, from);
    if (request === undefined) {
      this.#channelFor(text, message, from).write(text, { ...(status === undefined ? {} : { status }) });
    } else if (this.#concernsPayment(request, message, text)) {
      this.#decide(request, text, (call, io) => this.#options.hook.onAnswer(call, text, io));
    } else {
      this.#answer(request, text, status);
    }
  }

  /** A batch answer is held as a whole while the payment side decides about any of its parts. */
  #batchFromUpstream(text: string, { messages }: PayloadScan, from?: Exchange, status?: number): void {
    const parts = messages.map((message) => ({ message, request: this.#requestOf(text, message, from) }));
    const paid = parts.filter(({ message, request }) => request !== undefined && this.#concernsPayment(request, message, text));
    const channel = parts.find(({ request }) => request !== undefined)?.request?.exchange.channel ?? from?.channel ?? this.#options.main;
    const rest = parts.filter((part) => !paid.includes(part)).map(({ request }) => request);
    const finish = (edits: readonly Edit[], done?: (written: boolean) => void): void => {
      for (const request of rest) if (request !== undefined) this.#requests.close(request);
      const answered = parts.flatMap(({ request }) => request ?? []);
      const last = answered.length > 0 && answered.every(({ exchange }) => exchange.unanswered.size === 0);
      channel.write(splice(text, edits), { last, ...(status === undefined ? {} : { status }), ...(done === undefined ? {} : { done }) });
    };
    if (paid.length === 0) return finish([]);
    for (const request of rest) if (request !== undefined) request.state = 'deciding';
    const edits: Edit[] = [];
    const reports: ((written: boolean) => void)[] = [];
    let waiting = paid.length;
    for (const { message, request } of paid) {
      if (request === undefined) continue;
      const original = textAt(text, message.span);
      this.#decide(request, original, (call, io) => this.#options.hook.onAnswer(call, original, io), (answer, delivered) => {
        edits.push({ ...message.span, text: answer });
        if (delivered !== undefined) reports.push(delivered);
        if (--waiting === 0) finish(edits, (written) => reports.forEach((report) => report(written)));
      });
    }
  }

  /** Nothing is paid for a call that the client has cancelled already. */
  #concernsPayment(request: OpenRequest, message: MessageScan, text: string): boolean {
    return request.toolCallText !== undefined && !request.abort.signal.aborted && this.#options.hook.looksPaid(message, text);
  }

  #requestOf(text: string, { kind, fields }: MessageScan, from?: Exchange): OpenRequest | undefined {
    return kind === 'response' && fields.id !== undefined ? this.#requests.awaiting(idKey(text, fields.id), from) : undefined;
  }

  #answer(request: OpenRequest, text: string, status?: number): void {
    this.#requests.close(request);
    const { channel, unanswered } = request.exchange;
    channel.write(text, { last: unanswered.size === 0, ...(status === undefined ? {} : { status }) });
  }

  /** Where a message goes that answers nothing: to the exchange it belongs to, as far as anyone can tell. */
  #channelFor(text: string, { fields }: MessageScan, from?: Exchange): ClientChannel {
    const usable = (exchange: Exchange | undefined): exchange is Exchange => exchange !== undefined && exchange.channel.open && exchange.channel.streams;
    if (usable(from)) return from.channel;
    const token = fields['params.progressToken'];
    const inProgress = token === undefined ? undefined : this.#requests.byProgress(idKey(text, token))?.exchange;
    if (usable(inProgress)) return inProgress.channel;
    const exchanges = [...new Set(this.#requests.all().map(({ exchange }) => exchange))].filter(usable);
    const { main } = this.#options;
    return (main.open && exchanges.length !== 1 ? main : exchanges[0]?.channel) ?? main;
  }

  #decide(
    request: OpenRequest,
    original: string,
    ask: (call: ToolCall, io: CallIo) => Promise<HookAnswer | undefined>,
    put: (answer: string, delivered?: (written: boolean) => void) => void = (answer, delivered) => this.#putAnswer(request, answer, delivered),
  ): void {
    request.state = 'deciding';
    const requestText = request.toolCallText ?? '';
    const parts = toolCallParts(requestText);
    const call: ToolCall = { sessionId: this.id, client: this.client, upstream: this.upstream, ...parts, requestText, signal: request.abort.signal };
    const settle = (answer: string, delivered?: (written: boolean) => void): void => {
      this.#requests.close(request);
      put(answer, delivered);
      if (!this.#isDeciding()) this.#onIdle?.();
    };
    // Inside of the chain, so that a hook that throws at once is caught as well.
    Promise.resolve()
      .then(() => ask(call, this.#callIo(request, requestText, parts.progressToken)))
      .then(
        (answer) => settle(answer?.text ?? original, answer?.delivered),
        (error: unknown) => {
          this.#options.log.error('the payment side failed', { upstream: this.upstream, tool: parts.tool, reason: error instanceof Error ? error.message : String(error) });
          settle(errorResponse(request.idText, error));
        },
      );
  }

  #putAnswer(request: OpenRequest, answer: string, delivered?: (written: boolean) => void): void {
    const { channel, unanswered } = request.exchange;
    const last = unanswered.size === 0;
    if (delivered !== undefined && (request.abort.signal.aborted || !channel.open)) {
      if (last) channel.end();
      delivered(false);
      return;
    }
    channel.write(answer, { last, ...(delivered === undefined ? {} : { done: delivered }) });
  }

  #callIo(request: OpenRequest, requestText: string, progressToken: string | undefined): CallIo {
    const { channel } = request.exchange;
    let steps = 0;
    return {
      retry: (edit, options) => this.#retry(request, requestText, edit, options?.signal),
      progress: (message) => {
        if (progressToken === undefined || request.state === 'closed' || request.abort.signal.aborted || !channel.open || !channel.streams) return;
        steps++;
        const progress = (steps * PROGRESS_STEP).toFixed(6);
        channel.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${progressToken},"progress":${progress},"message":${JSON.stringify(message)}}}`);
      },
    };
  }

  #retry(request: OpenRequest, requestText: string, edit: RetryEdit, signal?: AbortSignal): Promise<string> {
    const { text, idText } = retryText(requestText, edit);
    const key = idKey(idText, { start: 0, end: idText.length });
    const exchange: Exchange = { channel: request.exchange.channel, unanswered: new Set() };
    return new Promise<string>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = (): void => {
        if (!this.#retries.delete(key)) return;
        this.#link.send({ text: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${idText}}}`, exchange: { channel: exchange.channel, unanswered: new Set() } });
        reject(signal?.reason);
      };
      const finish = (act: () => void): void => {
        signal?.removeEventListener('abort', cancel);
        act();
      };
      this.#retries.set(key, {
        exchange,
        resolve: (answer) => finish(() => resolve(withId(answer, request.idText))),
        reject: (error) => finish(() => reject(error)),
      });
      signal?.addEventListener('abort', cancel, { once: true });
      this.#link.send({ text, exchange, ...(edit.headers === undefined ? {} : { headers: edit.headers }) });
    });
  }

  #settleRetry(text: string, { kind, fields }: MessageScan): boolean {
    if (this.#retries.size === 0 || kind !== 'response' || fields.id === undefined) return false;
    const key = idKey(text, fields.id);
    const retry = this.#retries.get(key);
    if (retry === undefined) return false;
    this.#retries.delete(key);
    retry.resolve(text);
    return true;
  }

  #endExchange(exchange: Exchange, error?: BursarError, refusal?: HttpRefusal): void {
    if (error !== undefined && exchange.unanswered.size === 0) this.#options.log.debug('the server refused a message that has no answer', { upstream: this.upstream, reason: error.message });
    const reason = error ?? new BursarError('UPSTREAM_UNREACHABLE', `The server "${this.upstream}" ended its answer without a result.`, { context: { upstream: this.upstream }, hint: 'Try again, or tell its operator.' });
    for (const [key, retry] of this.#retries) {
      if (retry.exchange !== exchange) continue;
      this.#retries.delete(key);
      retry.reject(reason);
    }
    for (const request of [...exchange.unanswered]) {
      if (request.state !== 'awaiting') continue;
      const fallback = errorResponse(request.idText, reason);
      const pay = this.#options.hook.onHttpPaymentRequired?.bind(this.#options.hook);
      if (refusal?.status === PAYMENT_REQUIRED && request.toolCallText !== undefined && pay !== undefined) {
        this.#decide(request, fallback, (call, io) => pay(call, refusal, io));
      } else if (request.abort.signal.aborted) {
        this.#requests.close(request);
        if (exchange.unanswered.size === 0) exchange.channel.end();
      } else {
        this.#answer(request, fallback);
      }
    }
  }

  #failAll(error: BursarError): void {
    for (const retry of this.#retries.values()) retry.reject(error);
    this.#retries.clear();
    for (const request of this.#requests.all()) if (request.state === 'awaiting') this.#answer(request, errorResponse(request.idText, error));
  }
}
