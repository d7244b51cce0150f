import type { Scope } from '../../shared/access/scopes.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { Answers } from './answers.ts';
import { NOWHERE, type ClientChannel } from './channel.ts';
import { LazyAbort, RequestTable, type Exchange } from './exchange.ts';
import { stringAt, textAt } from './json-text.ts';
import type { Log } from './log.ts';
import { PaymentDesk } from './payment-desk.ts';
import type { PaymentHook } from './payment-hook.ts';
import { idKey } from './request-id.ts';
import { cancelText, Retries } from './retries.ts';
import { errorResponse, RPC_PARSE_ERROR } from './rpc-error.ts';
import { scanClientPayload, scanPayload, type MessageScan, type PayloadScan } from './scan.ts';
import { splice } from './splice.ts';
import { taskEdit, taskFormOf } from './task-answers.ts';
import type { TaskCalls, TaskRequest } from './task-calls.ts';
import type { KeptUpstream } from './upstream-keeper.ts';
import type { Outgoing, SessionEvents } from './upstream.ts';

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
  readonly tasks: TaskCalls;
  readonly log: Log;
  readonly drainMs: number;
  readonly paidTaskMs: number;
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
  readonly #desk: PaymentDesk;
  readonly #answers: Answers;
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
      onMessage: (text, exchange, head) => this.#answers.take(text, exchange, head),
      onAnswerLost: (idText, error) => this.#answers.lost(idText, error),
      onExchangeEnd: (exchange, error, refusal) => this.#answers.end(exchange, error, refusal),
      onDown: (error) => {
        options.log.warn('a server is gone', { upstream: options.upstream, client: options.client, reason: error.message });
        this.#answers.failAll(error);
      },
      onPressure: (full) => options.onUpstreamPressure?.(full),
      onStreamPaused: ({ channel }) => channel.pause?.(),
    });
    const retries = new Retries(this.#link, options.paidTaskMs);
    const { id, client, scopes, upstream, hook, tasks, main, log } = options;
    this.#desk = new PaymentDesk({ sessionId: id, client, ...(scopes && { scopes }), upstream, hook, log, retries, tasks });
    this.#answers = new Answers({
      upstream,
      main,
      requests: this.#requests,
      retries,
      desk: this.#desk,
      tasks,
      link: this.#link,
      log,
      onDecided: () => {
        if (!this.#isDeciding()) this.#onIdle?.();
      },
    });
  }

  /** Takes in one payload of the client. Malformed JSON is answered with an error and goes nowhere. */
  accept(given: string, { scan, channel = this.#options.main, headers }: AcceptOptions = {}): Exchange {
    const exchange: Exchange = { channel, unanswered: new Set(), ...(headers === undefined ? {} : { headers }) };
    let text = given;
    let payload: PayloadScan;
    try {
      ({ text, payload } = this.#desk.withoutProofs(given, scan ?? scanClientPayload(given)));
    } catch (error) {
      channel.write(errorResponse('null', error, RPC_PARSE_ERROR), { last: true });
      return exchange;
    }
    const asked = this.#aboutTasks(text, payload);
    if (asked?.moved !== undefined) ({ text, payload } = asked.moved);
    let handshake: Outgoing['handshake'];
    let cancels: Exchange | undefined;
    for (const message of payload.messages) {
      const method = stringAt(text, message.fields.method);
      if (message.kind === 'request') this.#track(text, message, method, exchange, asked?.task);
      if (method === 'tasks/cancel' && asked !== undefined) this.#cancelTask(asked.task);
      if (method === 'notifications/cancelled') cancels = this.#cancel(text, message);
      if (method === 'initialize') handshake = 'initialize';
      if (method === 'notifications/initialized') handshake = 'initialized';
    }
    this.#link.send({ text, scan: payload, exchange, awaited: () => isAwaited(exchange), ...(asked?.moved !== undefined && { headersAnew: true }), ...(cancels === undefined ? {} : { cancels }), ...(handshake === undefined ? {} : { handshake }) });
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
      this.#answers.drop(request);
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
    return this.#requests.all().filter(({ abort }) => !abort.aborted).length;
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
    if (reason !== undefined) this.#answers.failAll(new BursarError('UPSTREAM_EXITED', reason, { context: { upstream: this.upstream }, hint: 'Reconnect, then repeat the call.' }));
    this.#closing ??= this.#end();
    if (reason !== undefined) this.#onIdle?.();
    return this.#closing;
  }

  /** Ends the session because its client may not go on: open requests are answered with the error at once, and payments come to their end without it. */
  expel(error: BursarError): void {
    this.#answers.expelAll(error);
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
    this.#answers.failAll(new BursarError('UPSTREAM_EXITED', `The session with the server "${this.upstream}" was closed.`, { context: { upstream: this.upstream } }));
    this.#options.onClosed?.();
  }

  #isDeciding(): boolean {
    return this.#requests.all().some((request) => request.state === 'deciding');
  }

  /** What the payload asks about a task of a call; `moved` where another task answers for it by now. Such requests come in no batch (MCP 2025-06-18). */
  #aboutTasks(text: string, { batch, messages }: PayloadScan): { readonly task: TaskRequest; readonly moved?: { readonly text: string; readonly payload: PayloadScan } } | undefined {
    const [message] = messages;
    const taskId = batch ? undefined : stringAt(text, message?.fields['params.taskId']);
    const call = taskId === undefined ? undefined : this.#options.tasks.of(taskId);
    const form = taskFormOf(stringAt(text, message?.fields.method));
    if (message === undefined || taskId === undefined || call === undefined || form === undefined) return undefined;
    if (call.successor === undefined) return { task: { form, taskId, call, text } };
    const moved = splice(text, taskEdit(message, call.successor));
    return { task: { form, taskId, call, text: moved }, moved: { text: moved, payload: scanPayload(moved) } };
  }

  /** Nothing more is paid for a task that the client cancels; what waits for its result is told so. */
  #cancelTask({ call }: TaskRequest): void {
    for (const request of this.#requests.all()) {
      if (request.task?.call !== call || request.state !== 'deciding') continue;
      request.taskCancelled = true;
      request.abort.abort();
    }
  }

  #track(text: string, { fields, span, duplicates }: MessageScan, method: string | undefined, exchange: Exchange, task: TaskRequest | undefined): void {
    const { id } = fields;
    if (id === undefined) return;
    const token = fields['params._meta.progressToken'];
    this.#requests.add({
      key: idKey(text, id),
      idText: textAt(text, id),
      exchange,
      progressKey: token === undefined ? undefined : idKey(text, token),
      toolCallText: method === 'tools/call' ? textAt(text, span) : task?.call.callText,
      task,
      repeatedKey: duplicates[0] ?? task?.call.repeatedKey,
      startedAt: Date.now(),
      listsTools: method === 'tools/list',
      subscribes: method === 'subscriptions/listen',
      abort: new LazyAbort(),
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
    this.#answers.drop(request);
    return request.exchange;
  }
}

const isAwaited = ({ unanswered }: Exchange): boolean => [...unanswered].some(({ state }) => state === 'awaiting');
