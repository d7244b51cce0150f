import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BursarError } from '../../shared/errors/errors.ts';
import { type HttpAgents, readBody, readText, sendHttp } from './http-exchange.ts';
import { stringAt } from './json-text.ts';
import type { BridgeLimits } from './limits.ts';
import { toOneLine } from './lines.ts';
import type { Log } from './log.ts';
import { modernHeaders } from './modern-headers.ts';
import { scanPayload } from './scan.ts';
import { EventTooLargeError, sseReader } from './sse.ts';
import type { AnswerHead, Outgoing, Upstream, UpstreamEvents, UpstreamSpec, UpstreamTransport } from './upstream.ts';

const EVENT_STREAM = 'text/event-stream';
const PAYMENT_REQUIRED = 402;
const REFUSAL_BODY_BYTES = 1024 * 1024;
const RECONNECT_MS = 1_000;
const RECONNECT_MAX_MS = 30_000;
const DELETE_MS = 1_000;

export interface HttpUpstreamOptions {
  readonly spec: UpstreamSpec;
  readonly transport: Extract<UpstreamTransport, { kind: 'http' }>;
  readonly events: UpstreamEvents;
  readonly limits: BridgeLimits;
  readonly agents: HttpAgents;
  readonly log: Log;
}

/** A Streamable HTTP session of one downstream session (MCP 2025-11-25, Transports; stateless servers give no session id). */
export function openHttpUpstream({ spec, transport, events, limits, agents, log }: HttpUpstreamOptions): Upstream {
  const url = new URL(transport.url);
  const configured = Object.fromEntries(Object.entries(transport.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const closed = new AbortController();
  const streams = new Set<IncomingMessage>();
  let paused = false;
  let sessionId: string | undefined;
  let protocolVersion: string | undefined;
  /** While the `initialized` notification is on its way nothing overtakes it. */
  let gate: Promise<void> | undefined;

  const sessionHeaders = (): Record<string, string> => ({
    ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
  });

  const send = (method: 'POST' | 'GET' | 'DELETE', headers: Record<string, string>, body?: string, signal = closed.signal, proof: Outgoing['proof'] = {}): Promise<IncomingMessage> =>
    sendHttp({ method, url, headers: { ...headers, ...configured, ...proof }, ...(body === undefined ? {} : { body }), agents, connectMs: limits.connectMs, signal });

  const failure = (error: unknown): BursarError => {
    if (error instanceof BursarError) return error;
    if (error instanceof EventTooLargeError) return tooLarge();
    const reason = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
    return new BursarError('UPSTREAM_UNREACHABLE', `The server "${spec.name}" could not be reached (${reason}).`, { context: { upstream: spec.name, reason }, cause: error });
  };

  const tooLarge = (): BursarError => {
    const limit = String(limits.maxMessageBytes);
    return new BursarError('MESSAGE_TOO_LARGE', `The server "${spec.name}" sent a message of more than ${limit} bytes.`, { context: { upstream: spec.name, limit } });
  };

  const refused = (status: number): BursarError =>
    new BursarError('UPSTREAM_REFUSED', `The server "${spec.name}" answered HTTP ${status}.`, {
      context: { upstream: spec.name, status: String(status) },
      hint: refusalHint(status),
    });

  /** Reads an event stream to its end; `onId` gets the ids by which it can be resumed, `onRetry` the server's pause. */
  const readEvents = async (response: IncomingMessage, onData: (line: string) => void, onCursor?: (id: string | undefined, retry: number | undefined) => void): Promise<void> => {
    streams.add(response);
    if (paused) response.pause();
    try {
      await readText(response, sseReader(limits.maxMessageBytes, (event) => {
        onCursor?.(event.id, event.retry);
        if (event.event === 'message' && event.data !== '') onData(toOneLine(event.data));
      }));
    } finally {
      streams.delete(response);
    }
  };

  const readAnswer = async (response: IncomingMessage, { exchange, handshake }: Outgoing): Promise<void> => {
    const status = response.statusCode ?? 0;
    const head: AnswerHead = {
      status,
      get headers() {
        return response.headersDistinct;
      },
    };
    const onMessage = (line: string): void => {
      if (handshake === 'initialize') protocolVersion = negotiatedVersion(line) ?? protocolVersion;
      events.onMessage(line, exchange, head);
    };
    if (handshake === 'initialize' && status < 300) sessionId = first(response.headers['mcp-session-id']);
    const type = response.headers['content-type'] ?? '';
    if (status >= 200 && status < 300 && type.startsWith(EVENT_STREAM)) {
      await readEvents(response, (line) => onMessage(line));
      events.onExchangeEnd(exchange);
      return;
    }
    const ok = status >= 200 && status < 300;
    const body = await readBody(response, ok || status !== PAYMENT_REQUIRED ? limits.maxMessageBytes : REFUSAL_BODY_BYTES);
    if (body === undefined) throw tooLarge();
    if (ok) {
      if (body.trim() !== '') onMessage(toOneLine(body));
      events.onExchangeEnd(exchange);
      return;
    }
    if (status !== PAYMENT_REQUIRED && isRpcAnswer(body)) onMessage(toOneLine(body));
    events.onExchangeEnd(exchange, refused(status), { status, headers: response.headersDistinct, body });
  };

  const post = async (message: Outgoing): Promise<void> => {
    try {
      if (gate !== undefined) await gate;
      const headers = {
        'content-type': 'application/json',
        accept: `application/json, ${EVENT_STREAM}`,
        ...sessionHeaders(),
        ...modernHeaders(message.text),
        ...message.headers,
      };
      await readAnswer(await send('POST', headers, message.text, closed.signal, message.proof), message);
    } catch (error) {
      if (!closed.signal.aborted) events.onExchangeEnd(message.exchange, failure(error));
    }
  };

  /** Messages that the server sends of its own accord, for as long as it offers such a stream. */
  const listen = async (): Promise<void> => {
    let lastEventId: string | undefined;
    let pause = RECONNECT_MS;
    while (!closed.signal.aborted) {
      try {
        const response = await send('GET', { accept: EVENT_STREAM, ...sessionHeaders(), ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) });
        if (response.statusCode !== 200 || !(response.headers['content-type'] ?? '').startsWith(EVENT_STREAM)) {
          response.resume();
          if ((response.statusCode ?? 0) < 500) return;
          throw refused(response.statusCode ?? 0);
        }
        pause = RECONNECT_MS;
        await readEvents(response, (line) => events.onMessage(line), (id, retry) => {
          lastEventId = id ?? lastEventId;
          pause = retry ?? pause;
        });
      } catch (error) {
        if (closed.signal.aborted) return;
        log.debug('the server\'s own stream broke', { upstream: spec.name, reason: failure(error).message });
        pause = Math.min(pause * 2, RECONNECT_MAX_MS);
      }
      await delay(pause, undefined, { signal: closed.signal, ref: false }).catch(() => undefined);
    }
  };

  return {
    send(message) {
      const done = post(message);
      if (message.handshake === 'initialized') {
        gate = (async () => {
          await done;
          gate = undefined;
          void listen();
        })();
      }
    },
    setPaused(value) {
      paused = value;
      for (const stream of streams) {
        if (value) stream.pause();
        else stream.resume();
      }
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      if (sessionId === undefined) return;
      try {
        (await send('DELETE', sessionHeaders(), undefined, AbortSignal.timeout(DELETE_MS))).resume();
      } catch (error) {
        log.debug('the server\'s session was not ended', { upstream: spec.name, reason: failure(error).message });
      }
    },
  };
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function negotiatedVersion(line: string): string | undefined {
  try {
    return scanPayload(line).messages.map((message) => stringAt(line, message.fields['result.protocolVersion'])).find((version) => version !== undefined);
  } catch {
    // Not JSON: the session says so to the client.
    return undefined;
  }
}

function isRpcAnswer(body: string): boolean {
  try {
    const { messages } = scanPayload(body);
    return messages.length > 0 && messages.every((message) => message.kind === 'response' && message.fields.id !== undefined);
  } catch {
    return false;
  }
}

function refusalHint(status: number): string {
  if (status >= 300 && status < 400) return 'It redirects elsewhere, which is not followed. Set its final address.';
  if (status === 401 || status === 403) return 'Check the credentials that are configured for it.';
  if (status === PAYMENT_REQUIRED) return 'It asked for a payment that cannot be read. Nothing was paid.';
  if (status === 404) return 'Check its address; if it worked before, its session has ended: reconnect.';
  return 'Try again later, or tell its operator.';
}
