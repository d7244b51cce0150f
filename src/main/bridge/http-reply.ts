import type { ServerResponse } from 'node:http';
import { ExchangeChannel, type ClientChannel } from './channel.ts';
import { payloadOf } from './http-exchange.ts';
import { eventId, type ResumableStream } from './resumable-stream.ts';
import { sseEvent, sseStart } from './sse.ts';

/** An answer that takes longer is announced as a stream, so that the client knows that it was heard. */
const IMMEDIATE_MS = 1_000;
/** The same where the client can resume: it needs the stream's first id, but an answer that is quicker shares its packet. */
const RESUMABLE_MS = 10;
/** Comments keep clients and proxies from taking a person's thinking for a dead connection. */
const KEEP_ALIVE_MS = 15_000;
/** A client that leaves this much unread is slow. */
const SLOW_BYTES = 1024 * 1024;
/** When a client whose connection is gone should come back. */
const RETRY_MS = 500;

const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

export interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly onSlow: (channel: ClientChannel, slow: boolean) => void;
  /** HTTP status of a message that is an answer, where its transport leaves that to Bursar. */
  readonly statusOf?: (text: string) => number | undefined;
  /** Hears of each message that is written. */
  readonly onMessage?: (text: string) => void;
}

/** The answer to one POST outside of a session: JSON where a single message answers it at once, else a stream of events. */
export function postReply(response: ServerResponse, acceptsStream: boolean, { headers = {}, onSlow, statusOf, onMessage }: ReplyOptions): ClientChannel {
  let stream: EventStream | undefined;
  const startStream = (): EventStream => {
    clearTimeout(timer);
    stream ??= eventStream(response, headers, (slow) => onSlow(channel, slow));
    return stream;
  };
  const timer = acceptsStream ? setTimeout(startStream, IMMEDIATE_MS) : undefined;
  response.on('close', () => clearTimeout(timer));

  const channel: ClientChannel = new ExchangeChannel({
    streams: acceptsStream,
    isOpen: () => !response.writableEnded && !response.destroyed,
    write(text, { last = false, status, done } = {}) {
      if (!channel.open) return done?.(false);
      onMessage?.(text);
      // An HTTP error of the upstream is passed on as one; it closes the exchange.
      if (stream === undefined && (last || status !== undefined)) {
        clearTimeout(timer);
        return writeJson(response, status ?? statusOf?.(text) ?? 200, headers, text, done);
      }
      if (!acceptsStream) return done?.(false);
      startStream().write(text, done);
      if (last) response.end();
    },
    end() {
      clearTimeout(timer);
      if (!channel.open) return;
      if (stream === undefined) response.writeHead(202, headers);
      response.end();
    },
  });
  return channel;
}

export interface SessionReplyOptions extends ReplyOptions {
  readonly stream: ResumableStream;
  /** Does the client understand an event that holds nothing but an id (MCP 2025-11-25)? */
  readonly primes: boolean;
  /** The connection is gone; the stream may not be at its end. */
  readonly onGone: () => void;
}

/** The answer to one POST of a session: a stream of events that the client can resume when its connection is gone. */
export function sessionReply(response: ServerResponse, { headers = {}, onSlow, stream, primes, onGone }: SessionReplyOptions): ClientChannel {
  let connection: EventStream | undefined;
  const start = (): void => {
    clearTimeout(timer);
    if (connection !== undefined || response.destroyed) return;
    connection = eventStream(response, headers, (slow) => onSlow(channel, slow), first);
    stream.carry(connection);
  };
  const first = primes ? sseStart(eventId(stream.id, 0), RETRY_MS) : undefined;
  const timer = setTimeout(start, primes ? RESUMABLE_MS : IMMEDIATE_MS);
  response.on('close', () => {
    clearTimeout(timer);
    if (connection !== undefined) stream.drop(connection);
    onSlow(channel, false);
    onGone();
  });

  const channel: ClientChannel = new ExchangeChannel({
    streams: true,
    isOpen: () => !stream.ended,
    write(text, { last = false, status, done } = {}) {
      if (stream.ended) return done?.(false);
      if (connection === undefined && status !== undefined && !response.destroyed) {
        clearTimeout(timer);
        stream.end();
        return writeJson(response, status, headers, text, done);
      }
      if (last && connection === undefined && !response.destroyed) {
        clearTimeout(timer);
        connection = wholeStream(response, headers, first);
        stream.carry(connection);
      } else start();
      stream.write(text, done);
      if (last) stream.end();
    },
    end() {
      clearTimeout(timer);
      stream.end();
      if (connection !== undefined || response.destroyed) return;
      response.writeHead(202, headers).end();
    },
    pause() {
      if (!primes) return;
      start();
      connection?.end();
    },
  });
  return channel;
}

function writeJson(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string, done?: (written: boolean) => void): void {
  const body = payloadOf(text);
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body, written(response, done));
}

export interface EventStream {
  write(text: string, done?: (written: boolean) => void, id?: string): void;
  end(): void;
}

/** A stream whose events are all known before its first byte is sent: one write of known length. */
function wholeStream(response: ServerResponse, headers: Readonly<Record<string, string>>, first = ''): EventStream {
  let body = first;
  const told: ((written: boolean) => void)[] = [];
  return {
    write(text, done, id) {
      body += sseEvent(text, id);
      if (done !== undefined) told.push(done);
    },
    end() {
      if (response.headersSent) return;
      const payload = payloadOf(body);
      response.writeHead(200, { ...headers, ...STREAM_HEADERS, 'content-length': Buffer.byteLength(payload) });
      response.end(payload, written(response, (ok) => told.forEach((tell) => tell(ok))));
    },
  };
}

/** Opens a stream of server-sent events on a response; its head is sent at the end of this turn, and `first` with it. */
export function eventStream(response: ServerResponse, headers: Readonly<Record<string, string>>, onSlow: (slow: boolean) => void, first?: string): EventStream {
  response.writeHead(200, { ...headers, ...STREAM_HEADERS });
  const ended = (): boolean => response.writableEnded || response.destroyed;
  if (first !== undefined) response.write(first);
  // Not at once: what follows in the same turn shares the packet.
  else setImmediate(() => ended() || response.flushHeaders());
  const alive = setInterval(() => {
    if (!ended()) response.write(': waiting\n\n');
  }, KEEP_ALIVE_MS);
  response.on('close', () => clearInterval(alive));
  response.on('drain', () => onSlow(false));
  return {
    write(text, done, id) {
      if (ended()) return done?.(false);
      const flowing = response.write(sseEvent(text, id), written(response, done));
      if (!flowing && response.writableLength > SLOW_BYTES) onSlow(true);
    },
    end: () => void response.end(),
  };
}

function written(response: ServerResponse, done: ((written: boolean) => void) | undefined): (error?: Error | null) => void {
  let told = false;
  const tell = (ok: boolean): void => {
    if (told) return;
    told = true;
    done?.(ok);
  };
  if (done !== undefined) response.once('close', () => tell(response.writableFinished));
  return (error) => tell((error === undefined || error === null) && !response.destroyed);
}
