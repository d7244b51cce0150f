import type { EventStream } from './http-reply.ts';

/** So much of a stream is remembered for a client that comes back: events, and UTF-16 units of their text beyond the newest event. */
const KEPT_EVENTS = 256;
const KEPT_LENGTH = 4 * 1024 * 1024;

interface KeptEvent {
  readonly number: number;
  readonly text: string;
  sent: boolean;
  /** It was given to a connection that has not said yet whether it left. */
  handed: boolean;
  /** It is not remembered any more. */
  forgotten: boolean;
  /** Told once whether the event left for the client. */
  done: ((written: boolean) => void) | undefined;
}

/** A stream of server-sent events that outlives the connections that carry it (MCP 2025-11-25, Resumability and Redelivery). */
export interface ResumableStream {
  readonly id: string;
  /** Is a connection carrying it now? */
  readonly carried: boolean;
  /** Everything was written. */
  readonly ended: boolean;
  /** UTF-16 units that it remembers. */
  readonly length: number;
  write(text: string, done?: (written: boolean) => void): void;
  /** Goes on over this connection: with what comes after event `after`, or with what was never sent. */
  carry(connection: EventStream, after?: number): void;
  /** The connection is gone. */
  drop(connection: EventStream): void;
  /** No further event will come. */
  end(): void;
  /** Nobody comes back: what was not sent counts as lost. */
  abandon(): void;
}

export function createResumableStream(id: string, onLost: () => void): ResumableStream {
  const events: KeptEvent[] = [];
  let last = 0;
  let connection: EventStream | undefined;

  const lose = (event: KeptEvent): void => {
    const { done } = event;
    event.done = undefined;
    done?.(false);
  };
  const trim = (): void => {
    const newest = events.at(-1)?.text.length ?? 0;
    while (events.length > 1 && (events.length > KEPT_EVENTS || stream.length - newest > KEPT_LENGTH)) {
      const oldest = events.shift();
      if (oldest === undefined) return;
      stream.length -= oldest.text.length;
      oldest.forgotten = true;
      // What a connection holds may still leave, which that connection tells.
      if (oldest.sent || oldest.handed) continue;
      onLost();
      lose(oldest);
    }
  };
  const send = (to: EventStream, event: KeptEvent): void => {
    event.handed = true;
    to.write(event.text, (written) => {
      event.handed = false;
      if (!written && event.forgotten) {
        onLost();
        lose(event);
      }
      if (!written) return;
      event.sent = true;
      const { done } = event;
      event.done = undefined;
      done?.(true);
    }, eventId(id, event.number));
  };

  // Plain members: a literal with getters would get a hidden class of its own for each stream.
  const stream = {
    id,
    carried: false,
    ended: false,
    length: 0,
    write(text: string, done?: (written: boolean) => void) {
      const event: KeptEvent = { number: ++last, text, sent: false, handed: false, forgotten: false, done };
      events.push(event);
      stream.length += text.length;
      if (connection !== undefined) send(connection, event);
      trim();
    },
    carry(next: EventStream, after?: number) {
      connection?.end();
      connection = next;
      stream.carried = true;
      for (const event of events) if (after === undefined ? !event.sent : event.number > after) send(next, event);
      if (stream.ended) next.end();
    },
    drop(gone: EventStream) {
      if (connection !== gone) return;
      connection = undefined;
      stream.carried = false;
    },
    end() {
      stream.ended = true;
      connection?.end();
    },
    abandon() {
      stream.ended = true;
      connection?.end();
      for (const event of events.splice(0)) lose(event);
      stream.length = 0;
    },
  };
  return stream;
}

/** The id of a stream's event; number 0 stands for its start. */
export const eventId = (stream: string, number: number): string => `${stream}-${number}`;

/** Reads a `Last-Event-ID`; `undefined` for what this app never gave out. */
export function readEventId(text: string): { readonly stream: string; readonly number: number } | undefined {
  const match = /^([\da-f]{1,40}|main)-(\d{1,15})$/.exec(text);
  return match?.[1] === undefined ? undefined : { stream: match[1], number: Number(match[2]) };
}
