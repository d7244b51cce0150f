import type { Readable } from 'node:stream';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Send } from './authorized-send.ts';
import { readBody, readText } from './http-exchange.ts';
import { httpErrors } from './http-errors.ts';
import { reasonOf } from './contained.ts';
import { decodedBody } from './decoded-body.ts';
import type { BridgeLimits } from './limits.ts';
import { toOneLine } from './lines.ts';
import type { Log } from './log.ts';
import { isEventStream, sseReader } from './sse.ts';
import type { Outgoing, UpstreamEvents } from './upstream.ts';

const EVENT_STREAM = 'text/event-stream';
const REFUSAL_BODY_BYTES = 1024 * 1024;

/** A server of the 2024-11-05 transport: one stream for all that it says, and an address to post to. */
export interface LegacySse {
  post(message: Outgoing): void;
}

export interface LegacySseOptions {
  readonly name: string;
  readonly url: URL;
  readonly limits: BridgeLimits;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly send: Send;
  /** Told of the connection that carries the stream, so that it can be paused. */
  readonly onStream: (stream: Readable, open: boolean) => void;
  readonly events: UpstreamEvents;
  /** The stream has ended, and with it the session. */
  readonly onEnd: () => void;
}

/** Opens the stream and waits for the address to post to. `undefined` where the server does not speak this transport. */
export async function openLegacySse({ name, url, limits, signal, log, send, onStream, events, onEnd }: LegacySseOptions): Promise<LegacySse | undefined> {
  const { failure, refused } = httpErrors(name, limits);
  const { promise: endpoint, resolve: onEndpoint } = Promise.withResolvers<URL | undefined>();
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    onEndpoint(undefined);
  }, limits.connectMs);
  const response = await send('GET', { accept: EVENT_STREAM, 'accept-encoding': 'identity' }, undefined, AbortSignal.any([signal, late.signal])).catch((error: unknown) => {
    clearTimeout(timer);
    if (late.signal.aborted) return undefined;
    throw error;
  });
  if (response === undefined) return undefined;
  if (response.statusCode !== 200 || !isEventStream(response.headers['content-type'])) {
    clearTimeout(timer);
    response.resume();
    return undefined;
  }
  const stream = decodedBody(response);
  const read = readText(stream, sseReader(limits.maxMessageBytes, ({ event, data }) => {
    if (event === 'endpoint') onEndpoint(sameOrigin(data, url));
    else if (event === 'message' && data !== '') events.onMessage(toOneLine(data));
  }));
  onStream(stream, true);
  const ended = read.then(() => undefined, (error: unknown) => error).finally(() => onStream(stream, false));
  const to = await Promise.race([endpoint, ended.then(() => undefined)]);
  clearTimeout(timer);
  if (to === undefined) {
    response.destroy();
    return undefined;
  }
  log.debug('the server speaks HTTP with SSE', { upstream: name });
  const watch = async (): Promise<void> => {
    const error = await ended;
    if (signal.aborted) return;
    onEnd();
    events.onDown(error === undefined ? new BursarError('UPSTREAM_EXITED', `The server "${name}" closed its stream.`, { context: { upstream: name } }) : failure(error));
  };
  watch().catch((error: unknown) => log.error('the end of a server could not be handled', { upstream: name, reason: reasonOf(error) }));

  const post = async ({ text, exchange, proof, paid }: Outgoing): Promise<void> => {
    try {
      const answer = await send('POST', { 'content-type': 'application/json', 'accept-encoding': 'identity', ...exchange.headers }, text, signal, { to, ...(proof && { proof }), ...(paid && { paid }) });
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return void answer.resume();
      const body = (await readBody(decodedBody(answer), REFUSAL_BODY_BYTES)) ?? '';
      if (!answer.readableEnded) answer.destroy();
      events.onExchangeEnd(exchange, refused(status), { status, headers: answer.headersDistinct, body });
    } catch (error) {
      if (!signal.aborted) events.onExchangeEnd(exchange, failure(error));
    }
  };
  return { post: (message) => void post(message).catch((error: unknown) => log.error('the answer of a server could not be handled', { upstream: name, reason: reasonOf(error) })) };
}

/** Messages go nowhere but to the server that was configured. */
function sameOrigin(data: string, url: URL): URL | undefined {
  const endpoint = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
  return endpoint?.origin === url.origin ? endpoint : undefined;
}
