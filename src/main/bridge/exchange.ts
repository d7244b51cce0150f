import type { ClientChannel } from './channel.ts';
import type { TaskRequest } from './task-calls.ts';
import { PassingMap } from './passing.ts';

/** An `AbortController` that is made when somebody wants its signal: few requests are cancelled, and it costs more than all else of one. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** One request of the client that has no answer yet. */
export interface OpenRequest {
  readonly key: string;
  /** Raw JSON of the id, as the client wrote it. */
  readonly idText: string;
  readonly exchange: Exchange;
  /** Key of `params._meta.progressToken`. */
  readonly progressKey: string | undefined;
  /** The raw `tools/call` whose answer is awaited: this request, or the one that began the task it asks about. */
  readonly toolCallText: string | undefined;
  /** The task that it asks about, where a call of this client began it. */
  readonly task: TaskRequest | undefined;
  /** A key that the request holds twice. Two parsers could read such a call differently, so nothing is paid for it. */
  readonly repeatedKey: string | undefined;
  /** When it came (ms). */
  readonly startedAt: number;
  /** It is a `tools/list`. */
  readonly listsTools: boolean;
  /** It is a `subscriptions/listen`, which stays open. */
  readonly subscribes: boolean;
  /** The client cancelled it or went away. */
  readonly abort: LazyAbort;
  /** `awaiting` the server's answer, or the payment side is `deciding` about it, or `closed`. */
  state: 'awaiting' | 'deciding' | 'closed';
  /** Its task was cancelled, not the request: an answer is due although `abort` says that nothing more is to be paid. */
  taskCancelled?: boolean;
  /** Hears whether the answer that is awaited was written: it belongs to a payment. */
  delivered?: ((written: boolean) => void) | undefined;
}

/** One payload of the client with all that belongs to it: an HTTP POST, or a line on the socket. */
export interface Exchange {
  readonly channel: ClientChannel;
  readonly unanswered: Set<OpenRequest>;
  /** HTTP headers of the protocol that the client sent with it; absent where its transport has none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The client's open requests, found by id or progress token. Requests under one id are answered in order. */
export class RequestTable {
  readonly #byId = new PassingMap<string, OpenRequest[]>();
  readonly #byProgress = new PassingMap<string, OpenRequest>();
  #whenEmpty: (() => void)[] = [];

  add(request: OpenRequest): void {
    const same = this.#byId.get(request.key);
    if (same === undefined) this.#byId.set(request.key, [request]);
    else same.push(request);
    if (request.progressKey !== undefined) this.#byProgress.set(request.progressKey, request);
    request.exchange.unanswered.add(request);
  }

  close(request: OpenRequest): void {
    request.state = 'closed';
    request.exchange.unanswered.delete(request);
    const same = this.#byId.get(request.key);
    if (same !== undefined && same.includes(request)) {
      if (same.length === 1) this.#byId.delete(request.key);
      else same.splice(same.indexOf(request), 1);
    }
    if (request.progressKey !== undefined && this.#byProgress.get(request.progressKey) === request) this.#byProgress.delete(request.progressKey);
    if (this.#byId.size > 0) return;
    const waiting = this.#whenEmpty;
    this.#whenEmpty = [];
    for (const resolve of waiting) resolve();
  }

  /** The request that an answer under this key belongs to; within its exchange, where the transport tells which. */
  awaiting(key: string, exchange?: Exchange): OpenRequest | undefined {
    const same = this.#byId.get(key);
    const awaits = ({ state }: OpenRequest): boolean => state === 'awaiting';
    const live = ({ abort, taskCancelled }: OpenRequest): boolean => !abort.aborted || taskCancelled === true;
    // One that its client has given up takes no answer from a later one of the same id that is waited for.
    return same?.find((request) => awaits(request) && request.exchange === exchange) ?? same?.find((request) => awaits(request) && live(request)) ?? same?.find(awaits);
  }

  /** Is there a request under this key whose answer the payment side has, and none that waits for another? */
  isDeciding(key: string): boolean {
    const same = this.#byId.get(key);
    return same !== undefined && same.some(({ state }) => state === 'deciding') && !same.some(({ state }) => state === 'awaiting');
  }

  byId(key: string): OpenRequest | undefined {
    return this.#byId.get(key)?.[0];
  }

  byProgress(progressKey: string): OpenRequest | undefined {
    return this.#byProgress.get(progressKey);
  }

  /** Calls back once no request is open: at once, or after the last is closed. */
  onceEmpty(callback: () => void): void {
    if (this.#byId.size === 0) callback();
    else this.#whenEmpty.push(callback);
  }

  all(): OpenRequest[] {
    return [...this.#byId.values()].flat();
  }
}
