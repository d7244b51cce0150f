import type { ClientRequest, IncomingMessage } from 'node:http';
import { createSend } from './authorized-send.ts';
import { reasonOf } from './contained.ts';
import { decodedBody } from './decoded-body.ts';
import type { Exchange } from './exchange.ts';
import { createEventStreams, isStream } from './event-streams.ts';
import { type HttpAgents, readBody } from './http-exchange.ts';
import { httpErrors } from './http-errors.ts';
import { lacksHeaders, readTools, type ListRequest } from './header-mismatch.ts';
import { textAt } from './json-text.ts';
import { openLegacySse, type LegacySse } from './legacy-sse.ts';
import type { BridgeLimits } from './limits.ts';
import { toOneLine } from './lines.ts';
import type { Log } from './log.ts';
import { createMirroredArguments, paramHeaders } from './mcp-param-headers.ts';
import { modernFacts, modernHeaders, type ModernFacts } from './modern-headers.ts';
import { answers } from './older-session.ts';
import { idKey } from './request-id.ts';
import { PassingSet } from './passing.ts';
import { isOwnAnswer, isRpcAnswer, negotiatedVersion } from './rpc-answer.ts';
import { scanPayload } from './scan.ts';
import type { AnswerHead, Outgoing, Upstream, UpstreamEvents, UpstreamSpec, UpstreamTransport } from './upstream.ts';

const EVENT_STREAM = 'text/event-stream';
const POST_HEADERS = { 'content-type': 'application/json', accept: `application/json, ${EVENT_STREAM}`, 'accept-encoding': 'identity' };
const STREAM_REQUEST_HEADERS = { accept: EVENT_STREAM, 'accept-encoding': 'identity' };
const PAYMENT_REQUIRED = 402;
const NOT_FOUND = 404;
/** How servers of the 2024-11-05 transport answer a POST to the address of their stream. */
const NOT_STREAMABLE = [400, 404, 405];
const REFUSAL_BODY_BYTES = 1024 * 1024;
const DELETE_MS = 1_000;

export interface HttpUpstreamOptions {
  readonly spec: UpstreamSpec;
  readonly transport: Extract<UpstreamTransport, { kind: 'http' }>;
  readonly events: UpstreamEvents;
  readonly limits: BridgeLimits;
  readonly agents: HttpAgents;
  readonly log: Log;
}

/**
 * A Streamable HTTP session of one downstream session (MCP 2025-11-25, Transports; 2026-07-28 has no sessions). A server that
 * refuses the client's `initialize` as older ones do is tried over HTTP with SSE (MCP 2024-11-05).
 */
export function openHttpUpstream({ spec, transport, events, limits, agents, log }: HttpUpstreamOptions): Upstream {
  const url = new URL(transport.url);
  const configured = Object.fromEntries(Object.entries(transport.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const closed = new AbortController();
  const running = new PassingSet<ClientRequest>();
  closed.signal.addEventListener('abort', () => [...running].forEach((request) => request.destroy()));
  const mirrored = createMirroredArguments();
  /** Exchanges that are called off by closing their stream. */
  const stoppable = new Map<Exchange, AbortController>();
  const { failure, tooLarge, refused } = httpErrors(spec.name, limits);
  let sessionId: string | undefined;
  let protocolVersion: string | undefined;
  /** While the `initialized` notification is on its way nothing overtakes it. */
  let gate: Promise<void> | undefined;
  let legacy: LegacySse | undefined;
  /** Messages whose HTTP exchange is not over. */
  let underWay = 0;
  /** Set once nothing new is sent: called when nothing is under way any more. */
  let onSpent: (() => void) | undefined;
  /** The server's own stream. */
  let ownStream: IncomingMessage | undefined;

  const isOver = (): boolean => closed.signal.aborted || onSpent !== undefined;

  const sessionHeaders = (): Record<string, string> => ({
    ...(protocolVersion === undefined ? {} : { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
  });

  const send = createSend({ url, configured, ...(spec.authorization && { authorization: spec.authorization }), agents, connectMs: limits.connectMs, closed: closed.signal, running, log });

  const streams = createEventStreams({
    limits,
    // The bytes of a header are those of UTF-8 (WHATWG HTML, section 9.2.3), and Node writes one byte for each character.
    ask: (lastEventId) => send('GET', { ...STREAM_REQUEST_HEADERS, ...sessionHeaders(), ...(lastEventId === undefined ? {} : { 'last-event-id': Buffer.from(lastEventId).toString('latin1') }) }),
    refused,
    closed: closed.signal,
  });

  /** Takes an answer in. False where the server wants other headers of the same message (`canMend`: Bursar wrote them). */
  const readAnswer = async (response: IncomingMessage, message: Outgoing, inSession: boolean, facts: ModernFacts | undefined, canMend: boolean): Promise<boolean> => {
    const { exchange, handshake } = message;
    const status = response.statusCode ?? 0;
    const ok = isOk(response);
    const head = new LazyHead(response);
    const onMessage = (line: string): void => {
      if (handshake === 'initialize') protocolVersion = negotiatedVersion(line) ?? protocolVersion;
      if (facts?.method === 'tools/list') mirrored.learn(line);
      events.onMessage(line, exchange, head);
    };
    if (handshake === 'initialize' && status < 300) sessionId = first(response.headers['mcp-session-id']);
    if (ok && isStream(response)) {
      if (facts === undefined) await streams.readCall(response, { isAwaited: () => message.awaited?.() === true, onMessage, onPaused: () => events.onStreamPaused(exchange) });
      else await streams.read(response, onMessage);
      events.onExchangeEnd(exchange);
      return true;
    }
    const body = await readBody(decodedBody(response), ok || status !== PAYMENT_REQUIRED ? limits.maxMessageBytes : REFUSAL_BODY_BYTES);
    if (body === undefined) {
      response.destroy();
      throw tooLarge();
    }
    if (ok) {
      if (body.trim() !== '') onMessage(toOneLine(body));
      events.onExchangeEnd(exchange);
      return true;
    }
    if (canMend && lacksHeaders(status, body)) return false;
    if (handshake === 'initialize' && NOT_STREAMABLE.includes(status) && !isRpcAnswer(body) && (await startLegacy(message))) return true;
    if (status === NOT_FOUND && inSession && handshake === undefined && !isOwnAnswer(body, message) && events.onSessionGone(message)) return true;
    if (status !== PAYMENT_REQUIRED && isRpcAnswer(body)) onMessage(toOneLine(body));
    events.onExchangeEnd(exchange, refused(status), { status, headers: response.headersDistinct, body });
    return true;
  };

  const startLegacy = async (message: Outgoing): Promise<boolean> => {
    legacy = await openLegacySse({ name: spec.name, url, limits, signal: closed.signal, log, send, onStream: streams.hold, events, onEnd: () => closed.abort() });
    legacy?.post(message);
    return legacy !== undefined;
  };

  /** `onTaken` is called once the server has said that it takes the message, which may be long before its answer has ended. */
  const post = async (message: Outgoing, onTaken?: () => void): Promise<void> => {
    const { text, exchange } = message;
    const facts = modernFactsOf(message);
    const stop = facts === undefined ? undefined : new AbortController();
    if (stop !== undefined) stoppable.set(exchange, stop);
    underWay++;
    try {
      if (gate !== undefined) await gate;
      const own = sessionHeaders();
      const given = message.headersAnew === true ? undefined : exchange.headers;
      const signal = stop === undefined ? closed.signal : AbortSignal.any([closed.signal, stop.signal]);
      const isOurs = given === undefined && facts?.method === 'tools/call';
      const attempt = async (canMend: boolean): Promise<boolean> => {
        const headers = { ...POST_HEADERS, ...own, ...(given ?? (facts === undefined ? {} : { ...modernHeaders(facts), ...paramHeaders(mirroredOf(message, facts)) })) };
        const response = await send('POST', headers, text, signal, { ...(message.proof && { proof: message.proof }), ...(message.paid && { paid: true }) });
        if (isOk(response)) onTaken?.();
        return readAnswer(response, message, own['mcp-session-id'] !== undefined, facts, canMend);
      };
      // A message that is refused for its headers was not looked at, so that it may be sent again, whatever it carries.
      if (!(await attempt(isOurs)) && facts !== undefined) {
        await readTools(text, message.scan ?? scanPayload(text), facts.version, (request) => askTools(request, own, signal), mirrored.learn);
        await attempt(false);
      }
    } catch (error) {
      if (!closed.signal.aborted && stop?.signal.aborted !== true) events.onExchangeEnd(exchange, failure(error));
    } finally {
      if (stop !== undefined) stoppable.delete(exchange);
      if (--underWay === 0) onSpent?.();
    }
  };

  /** One page of the server's tools, for Bursar alone. Undefined where the server does not give it: then the call says why it cannot be. */
  const askTools = async ({ text, idText, headers }: ListRequest, own: Record<string, string>, signal: AbortSignal): Promise<string | undefined> => {
    const response = await send('POST', { ...POST_HEADERS, ...own, ...headers }, text, signal);
    if (response.statusCode !== 200) return void response.resume();
    let answer: string | undefined;
    const onText = (line: string): void => {
      if (answers(line, idKey(idText, { start: 0, end: idText.length }))) answer = line;
    };
    if (isStream(response)) await streams.read(response, onText);
    else onText((await readBody(decodedBody(response), limits.maxMessageBytes)) ?? '');
    return answer;
  };

  const mirroredOf = ({ text, scan = scanPayload(text) }: Outgoing, { method, name }: ModernFacts): ReadonlyMap<string, string> | undefined => {
    const args = scan.messages[0]?.fields['params.arguments'];
    return method === 'tools/call' && name !== undefined ? mirrored.valuesOf(name, args && textAt(text, args)) : undefined;
  };

  const listen = (): Promise<void> =>
    streams.readOwn({
      isOver,
      onMessage: (line) => events.onMessage(line),
      onOpened: (response) => {
        ownStream = response;
      },
      onBroken: (error) => log.debug('the server\'s own stream broke', { upstream: spec.name, reason: failure(error).message }),
    });

  const posted = (message: Outgoing, onTaken?: () => void): Promise<void> =>
    post(message, onTaken).catch((error: unknown) => log.error('the answer of a server could not be handled', { upstream: spec.name, reason: reasonOf(error) }));

  /** The client's `initialized`, and from then on what the server says of its own accord. */
  const begin = async (message: Outgoing): Promise<void> => {
    const { promise: taken, resolve: onTaken } = Promise.withResolvers<void>();
    await Promise.race([taken, posted(message, onTaken)]);
    gate = undefined;
    void listen();
  };

  const api: Upstream = {
    send(message) {
      const stop = message.cancels === undefined ? undefined : stoppable.get(message.cancels);
      // Over HTTP, the end of the stream says it all (MCP 2026-07-28, Cancellation).
      if (stop !== undefined) return stop.abort();
      if (legacy !== undefined) return legacy.post(message);
      if (message.handshake !== 'initialized') return void posted(message);
      gate = begin(message);
    },
    setPaused: streams.setPaused,
    async retire() {
      const { promise, resolve } = Promise.withResolvers<void>();
      onSpent = resolve;
      ownStream?.destroy();
      if (underWay > 0) await promise;
      await api.close();
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort();
      // A session that the server has forgotten needs no end.
      if (sessionId === undefined || onSpent !== undefined) return;
      try {
        (await send('DELETE', sessionHeaders(), undefined, AbortSignal.timeout(DELETE_MS))).resume();
      } catch (error) {
        log.debug('the server\'s session was not ended', { upstream: spec.name, reason: failure(error).message });
      }
    },
  };
  return api;
}

/** The head of an answer; few are asked for their headers. */
class LazyHead implements AnswerHead {
  readonly status: number;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.#response = response;
  }

  get headers(): AnswerHead['headers'] {
    return this.#response.headersDistinct;
  }
}

const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;
const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

function modernFactsOf({ text, scan }: Outgoing): ModernFacts | undefined {
  if (scan !== undefined) return modernFacts(text, scan);
  // Most messages are of the older era: this spares them the scan.
  return text.includes('io.modelcontextprotocol/protocolVersion') ? modernFacts(text, scanPayload(text)) : undefined;
}
