import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';
import { decodedBody } from './decoded-body.ts';
import { readText } from './http-exchange.ts';
import type { BridgeLimits } from './limits.ts';
import { toOneLine } from './lines.ts';
import { PassingSet } from './passing.ts';
import { isEventStream, sseReader } from './sse.ts';

const RECONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 30_000;
/** Whatever the server says: nobody waits for its own stream, and one that ends each time would be asked without a pause. */
const LEAST_RECONNECT_MS = 100;
/** Refusals that pass: too early or too often, or the server has not noticed yet that the stream before broke. */
const LATER = [408, 409, 425, 429];
/**
 * A stream that broke under a call is asked for so often, where it can be resumed at all, and after so long where the server does not say: its caller hears
 * within a second of a server that is gone.
 */
const RESUME_TRIES = 3;
const RESUME_MS = 250;

/** Where a stream stands. */
interface Cursor {
  id: string | undefined;
  retryMs: number;
}

export interface EventStreamsOptions {
  readonly limits: BridgeLimits;
  /** Asks for a stream: the server's own, or with the id of an event for what came after it. */
  readonly ask: (lastEventId: string | undefined) => Promise<IncomingMessage>;
  /** An HTTP status as an error for the client. */
  readonly refused: (status: number) => BursarError;
  readonly closed: AbortSignal;
}

export interface CallStream {
  /** Does anybody still wait for the answer? */
  readonly isAwaited: () => boolean;
  readonly onMessage: (line: string) => void;
  /** The server has closed the stream before the answer, and is asked for the rest of it. */
  readonly onPaused: () => void;
}

export interface OwnStream {
  readonly isOver: () => boolean;
  readonly onMessage: (line: string) => void;
  readonly onOpened: (response: IncomingMessage) => void;
  readonly onBroken: (error: unknown) => void;
}

/** The streams of one session with an HTTP server. */
export interface EventStreams {
  /** Reads a stream to its end. */
  read(response: IncomingMessage, onMessage: (line: string) => void): Promise<void>;
  /** Reads a stream and, where it ends before the answer and can be resumed, what comes after (MCP 2025-11-25, Resumability). */
  readCall(response: IncomingMessage, call: CallStream): Promise<void>;
  /** Messages that the server sends of its own accord, for as long as it offers such a stream. */
  readOwn(own: OwnStream): Promise<void>;
  /** Takes a stream that somebody else reads under the same brake, or lets go of it. */
  hold(stream: Readable, open: boolean): void;
  /** Stops or resumes reading all of them. */
  setPaused(paused: boolean): void;
}

export const isStream = ({ headers }: IncomingMessage): boolean => isEventStream(headers['content-type']);

export function createEventStreams({ limits, ask, refused, closed }: EventStreamsOptions): EventStreams {
  const streams = new PassingSet<Readable>();
  let paused = false;

  const hold = (stream: Readable, open: boolean): void => {
    if (!open) return void streams.delete(stream);
    streams.add(stream);
    if (paused) stream.pause();
  };

  /** Keeps track of where the stream stands. */
  const readEvents = async (response: IncomingMessage, onMessage: (line: string) => void, cursor?: Cursor): Promise<void> => {
    const body = decodedBody(response);
    hold(body, true);
    try {
      await readText(body, sseReader(limits.maxMessageBytes, ({ event, data, id, retry }) => {
        if (cursor !== undefined) {
          // An empty one takes back what was there (WHATWG HTML, section 9.2.6).
          cursor.id = id === undefined ? cursor.id : id || undefined;
          cursor.retryMs = retry ?? cursor.retryMs;
        }
        if (event === 'message' && data !== '') onMessage(toOneLine(data));
      }));
    } finally {
      hold(body, false);
    }
  };

  return {
    read: (response, onMessage) => readEvents(response, onMessage),
    async readCall(response, { isAwaited, onMessage, onPaused }) {
      const cursor: Cursor = { id: undefined, retryMs: RESUME_MS };
      const isUnfinished = (): boolean => cursor.id !== undefined && isAwaited() && !closed.aborted;
      let tries = 0;
      const throwUnlessBroken = (error: unknown): void => {
        if (!isBroken(error) || !isUnfinished() || tries >= RESUME_TRIES) throw error;
      };
      const read = async (from: IncomingMessage): Promise<void> => {
        const before = cursor.id;
        try {
          await readEvents(from, onMessage, cursor);
          tries = 0;
        } catch (error) {
          if (cursor.id !== before) tries = 0;
          throwUnlessBroken(error);
        }
      };
      await read(response);
      while (isUnfinished()) {
        onPaused();
        await delay(cursor.retryMs, undefined, { signal: closed, ref: false });
        if (!isUnfinished()) return;
        tries++;
        const next = await ask(cursor.id).catch(throwUnlessBroken);
        if (next === undefined) continue;
        if (next.statusCode !== 200 || !isStream(next)) {
          next.resume();
          throw refused(next.statusCode ?? 0);
        }
        await read(next);
      }
    },
    async readOwn({ isOver, onMessage, onOpened, onBroken }) {
      const cursor: Cursor = { id: undefined, retryMs: RECONNECT_MS };
      while (!isOver()) {
        try {
          const response = await ask(cursor.id);
          if (response.statusCode !== 200 || !isStream(response)) {
            response.resume();
            const status = response.statusCode ?? 0;
            if (status < 500 && !LATER.includes(status)) return;
            throw refused(status);
          }
          cursor.retryMs = RECONNECT_MS;
          onOpened(response);
          if (isOver()) return void response.destroy();
          await readEvents(response, onMessage, cursor);
        } catch (error) {
          if (isOver()) return;
          onBroken(error);
          cursor.retryMs = Math.min(cursor.retryMs * 2, RECONNECT_MAX_MS);
        }
        await delay(Math.max(cursor.retryMs, LEAST_RECONNECT_MS), undefined, { signal: closed, ref: false }).catch(() => undefined);
      }
    },
    hold,
    setPaused(value) {
      paused = value;
      for (const stream of streams) {
        if (value) stream.pause();
        else stream.resume();
      }
    },
  };
}

/** Has the connection failed, and not what came over it? */
const isBroken = (error: unknown): boolean => error instanceof Error && !(error instanceof BursarError) && 'code' in error;
