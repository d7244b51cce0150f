import type { ServerResponse } from 'node:http';
import type { ClientChannel } from './channel.ts';
import { sseEvent } from './sse.ts';

/** An answer that takes longer is announced as a stream, so that the client knows that it was heard. */
const IMMEDIATE_MS = 1_000;
/** Comments keep clients and proxies from taking a person's thinking for a dead connection. */
const KEEP_ALIVE_MS = 15_000;
/** A client that leaves this much unread is slow. */
const SLOW_BYTES = 1024 * 1024;

const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' };

export interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly onSlow: (channel: ClientChannel, slow: boolean) => void;
}

/** The answer to one POST: JSON where a single message answers it at once, else a stream of events. */
export function postReply(response: ServerResponse, acceptsStream: boolean, { headers = {}, onSlow }: ReplyOptions): ClientChannel {
  let stream: EventStream | undefined;
  const startStream = (): EventStream => {
    clearTimeout(timer);
    stream ??= eventStream(response, headers, (slow) => onSlow(channel, slow));
    return stream;
  };
  const timer = acceptsStream ? setTimeout(startStream, IMMEDIATE_MS) : undefined;
  response.on('close', () => clearTimeout(timer));

  const channel: ClientChannel = {
    streams: acceptsStream,
    get open() {
      return !response.writableEnded && !response.destroyed;
    },
    write(text, { last = false, status, done } = {}) {
      if (!channel.open) return done?.(false);
      // An HTTP error of the upstream is passed on as one; it closes the exchange.
      if (stream === undefined && (last || status !== undefined)) {
        clearTimeout(timer);
        const body = Buffer.from(text);
        response.writeHead(status ?? 200, { ...headers, 'content-type': 'application/json', 'content-length': body.length });
        response.end(body, written(response, done));
        return;
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
  };
  return channel;
}

export interface EventStream {
  write(text: string, done?: (written: boolean) => void): void;
}

/** Opens a stream of server-sent events on a response, with its head sent at once. */
export function eventStream(response: ServerResponse, headers: Readonly<Record<string, string>>, onSlow: (slow: boolean) => void): EventStream {
  response.writeHead(200, { ...headers, ...STREAM_HEADERS });
  response.flushHeaders();
  const ended = (): boolean => response.writableEnded || response.destroyed;
  const alive = setInterval(() => {
    if (!ended()) response.write(': waiting\n\n');
  }, KEEP_ALIVE_MS);
  response.on('close', () => clearInterval(alive));
  response.on('drain', () => onSlow(false));
  return {
    write(text, done) {
      if (ended()) return done?.(false);
      const flowing = response.write(sseEvent(text), written(response, done));
      if (!flowing && response.writableLength > SLOW_BYTES) onSlow(true);
    },
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
