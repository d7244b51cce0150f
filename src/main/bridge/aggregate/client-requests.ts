import type { ClientChannel } from '../channel.ts';
import type { Exchange } from '../exchange.ts';
import type { Member } from './member.ts';

/** One request of the client that has no answer yet. */
export interface ClientRequest {
  readonly key: string;
  /** Raw JSON of the id, as the client wrote it. */
  readonly idText: string;
  /** Key of its progress token. */
  readonly progressKey?: string;
  readonly method: string;
  /** It is of 2026-07-28. */
  readonly modern: boolean;
  /** The client wants what servers log meanwhile (2026-07-28 alone says so with each request). */
  readonly wantsLog: boolean;
  readonly exchange: Exchange;
  /** Aborted when the client cancelled it or went away. */
  readonly abort: AbortController;
  /** Where it went on to, once it did. */
  inner?: { readonly member: Member; readonly exchange: Exchange };
}

/** The client's open requests. */
export interface ClientRequests {
  add(request: ClientRequest): void;
  /** False where it was closed before. */
  close(request: ClientRequest): boolean;
  byKey(key: string): ClientRequest | undefined;
  of(exchange: Exchange): readonly ClientRequest[];
  on(channel: ClientChannel): readonly ClientRequest[];
  all(): readonly ClientRequest[];
  /** Calls back once no request is open. */
  onceEmpty(callback: () => void): void;
}

export function createClientRequests(): ClientRequests {
  const open = new Set<ClientRequest>();
  let whenEmpty: (() => void)[] = [];
  return {
    add: (request) => void open.add(request),
    close(request) {
      const wasOpen = open.delete(request);
      if (open.size === 0) for (const resolve of whenEmpty.splice(0)) resolve();
      return wasOpen;
    },
    byKey: (key) => [...open].find((request) => request.key === key),
    of: (exchange) => [...open].filter((request) => request.exchange === exchange),
    on: (channel) => [...open].filter(({ exchange }) => exchange.channel === channel),
    all: () => [...open],
    onceEmpty(callback) {
      if (open.size === 0) callback();
      else whenEmpty = [...whenEmpty, callback];
    },
  };
}
