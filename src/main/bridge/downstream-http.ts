import type { IncomingMessage, ServerResponse } from 'node:http';
import { BursarError } from '../../shared/errors/errors.ts';
import { AGGREGATE } from './aggregate/names.ts';
import type { Bridge } from './bridge.ts';
import type { ClientChannel } from './channel.ts';
import type { ClientSession } from './client-session.ts';
import { readBody } from './http-exchange.ts';
import { bearerChallenge, checkRequest, isSameCaller, type ClientCaller, type ClientToken, type GateRefusal } from './http-gate.ts';
import { postReply } from './http-reply.ts';
import { openHttpSession, type HttpSession } from './http-session.ts';
import { toOneLine } from './lines.ts';
import { stringAt } from './json-text.ts';
import { errorResponse, RPC_PARSE_ERROR } from './rpc-error.ts';
import { scanClientPayload, scanPayload, type PayloadScan } from './scan.ts';
import { createLegacyClients } from './downstream-sse.ts';
import { createModernPosts } from './modern-post.ts';
import { isModern } from './modern-edge.ts';
import { createStatelessPool } from './stateless-pool.ts';

/** The address of all servers at once; that of one, and the two of the 2024-11-05 transport below it. */
const PATH = /^\/mcp(?:\/([^/?#]+)(\/sse|\/messages)?)?\/?(?:\?(.*))?$/;
/** Clients from this version on understand an event without data, which starts a stream that can be resumed. */
const PRIMES_SINCE = '2025-11-25';
const SESSION_HEADER = 'mcp-session-id';
/** JSON-RPC code of the MCP SDKs for a session that does not exist. */
const RPC_SESSION_NOT_FOUND = -32001;
const SWEEP_MS = 60_000;

export interface HttpHandlerOptions {
  readonly bridge: Bridge;
  /** The tokens that are valid now. */
  readonly tokens: () => readonly ClientToken[];
  /** Told of each request of a client. */
  readonly seen?: (client: string) => void;
}

export interface HttpHandler {
  /** Answers requests to `/mcp` and below it; false leaves the request to others. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Ends what a client holds: its connections with open requests or streams break, its sessions are gone. */
  endClient(client: string): void;
  /** Ends every HTTP session. */
  close(): Promise<void>;
}

/**
 * Streamable HTTP for clients, one path per server and one for all of them: sessions by `Mcp-Session-Id` (MCP 2025-11-25), requests of 2026-07-28, which
 * have none, and HTTP with SSE (2024-11-05) below it. A request of an older client that names no session has a server session to
 * itself for as long as it lasts.
 */
export function createHttpHandler({ bridge, tokens, seen }: HttpHandlerOptions): HttpHandler {
  const sessions = new Map<string, HttpSession>();
  const responses = new Map<ServerResponse, string>();
  const open = (caller: ClientCaller, upstream: string): HttpSession => openHttpSession(bridge, caller, upstream);
  const stateless = createStatelessPool(open);
  const modern = createModernPosts(bridge, open);
  const legacy = createLegacyClients(bridge);
  const { limits, log } = bridge;

  const endSession = (id: string): Promise<void> | undefined => {
    const held = sessions.get(id);
    sessions.delete(id);
    return held?.close();
  };
  const sweep = setInterval(() => {
    const oldest = performance.now() - limits.sessionIdleMs;
    for (const [id, held] of sessions) if (held.gone || (held.idleSince() ?? Infinity) < oldest) void endSession(id);
    stateless.sweep();
    modern.sweep();
  }, Math.min(SWEEP_MS, limits.sessionIdleMs));
  sweep.unref();

  const sessionOf = (request: IncomingMessage, caller: ClientCaller, upstream: string): HttpSession | undefined => {
    const id = request.headers[SESSION_HEADER];
    const held = typeof id === 'string' ? sessions.get(id) : undefined;
    if (held?.gone === true) sessions.delete(held.session.id);
    if (held === undefined || held.gone || !isSameCaller(held.session, caller) || held.session.upstream !== upstream) return undefined;
    held.touch();
    return held;
  };

  /** The message of a POST, or `undefined` once it was refused. */
  const readJson = async (request: IncomingMessage, response: ServerResponse): Promise<{ readonly text: string; readonly scan: PayloadScan } | undefined> => {
    if (!isJson(request.headers['content-type'])) {
      refuse(response, 415, new BursarError('INPUT_INVALID', 'The content type has to be application/json.'));
      return undefined;
    }
    const declared = Number(request.headers['content-length'] ?? 0);
    const body = declared > limits.maxMessageBytes ? undefined : await readBody(request, limits.maxMessageBytes);
    if (body === undefined) {
      response.setHeader('connection', 'close');
      const limit = String(limits.maxMessageBytes);
      refuse(response, 413, new BursarError('MESSAGE_TOO_LARGE', `The message has more than ${limit} bytes.`, { context: { limit } }));
      return undefined;
    }
    const text = toOneLine(body);
    try {
      return { text, scan: scanClientPayload(text) };
    } catch (error) {
      refuse(response, 400, error, RPC_PARSE_ERROR);
      return undefined;
    }
  };

  const post = async (request: IncomingMessage, response: ServerResponse, caller: ClientCaller, upstream: string): Promise<void> => {
    const body = await readJson(request, response);
    if (body === undefined) return;
    const { text, scan } = body;
    const named = request.headers[SESSION_HEADER] !== undefined;
    if (!named && isModern(request.headers, text, scan)) return modern.post({ request, response, caller, upstream, text, scan, headers: mcpHeaders(request), acceptsStream: acceptsStream(request) });
    let held = sessionOf(request, caller, upstream);
    if (named && held === undefined) return refuse(response, 404, new BursarError('NOT_FOUND', 'Session not found.', { hint: 'Initialize a new session.' }), RPC_SESSION_NOT_FOUND);
    const opens = !named && scan.messages.some(({ kind, fields }) => kind === 'request' && stringAt(text, fields.method) === 'initialize');
    held ??= opens ? open(caller, upstream) : stateless.take(caller, upstream);
    const { session } = held;
    if (opens) sessions.set(session.id, held);

    const headers = named || opens ? { [SESSION_HEADER]: session.id } : {};
    const expectsAnswer = scan.messages.some(({ kind }) => kind === 'request');
    const onSlow = (own: ClientChannel, slow: boolean): void => session.setSlow(own, slow);
    const primes = (header(request, 'mcp-protocol-version') ?? '') >= PRIMES_SINCE;
    const resumable = named && acceptsStream(request);
    const onLost = (): void => session.abandon(exchange);
    let greeted = !opens;
    const onMessage = (said: string): void => {
      greeted ||= hasResult(said);
    };
    const reply = (): ClientChannel => (resumable ? held.reply(response, { headers, onSlow, primes, onLost }) : postReply(response, acceptsStream(request), { headers, onSlow, ...(opens && { onMessage }) }));
    const channel = expectsAnswer ? reply() : undefined;
    const exchange = session.accept(text, { scan, headers: mcpHeaders(request), ...(channel === undefined ? {} : { channel }) });
    if (channel === undefined) response.writeHead(202, headers).end();
    response.on('close', () => {
      held.touch();
      if (!resumable) session.abandon(exchange);
      if (!named && !opens) stateless.giveBack(held);
      // A session begins with the server's word (MCP, Lifecycle): without it nobody comes back for this one.
      if (!greeted) void endSession(session.id);
    });
  };

  /** A POST of the 2024-11-05 transport: it is only taken in, the answer comes in the session's stream. */
  const postLegacy = async (request: IncomingMessage, response: ServerResponse, session: ClientSession | undefined): Promise<void> => {
    if (session === undefined) return refuse(response, 404, new BursarError('NOT_FOUND', 'Session not found.', { hint: 'Open the stream first.' }), RPC_SESSION_NOT_FOUND);
    const body = await readJson(request, response);
    if (body === undefined) return;
    session.accept(body.text, { scan: body.scan, headers: mcpHeaders(request) });
    response.writeHead(202).end();
  };

  const handleChecked = async (request: IncomingMessage, response: ServerResponse, caller: ClientCaller, upstream: string): Promise<void> => {
    if (!bridge.knows(upstream)) return refuse(response, 404, new BursarError('UPSTREAM_UNKNOWN', 'There is no server of that name.'));
    if (request.method === 'POST') return post(request, response, caller, upstream);
    if (request.method !== 'GET' && request.method !== 'DELETE') {
      response.setHeader('allow', 'GET, POST, DELETE');
      return refuse(response, 405, new BursarError('INPUT_INVALID', 'This method is not supported.'));
    }
    const held = sessionOf(request, caller, upstream);
    if (held === undefined) {
      if (request.headers[SESSION_HEADER] !== undefined) return refuse(response, 404, new BursarError('NOT_FOUND', 'Session not found.', { hint: 'Initialize a new session.' }), RPC_SESSION_NOT_FOUND);
      return refuse(response, 400, new BursarError('INPUT_INVALID', 'The Mcp-Session-Id header is missing.'));
    }
    if (request.method === 'DELETE') {
      // Payments that are under way come to their end first, which the client need not wait for.
      void endSession(held.session.id);
      response.writeHead(204).end();
      return;
    }
    if (!acceptsStream(request)) return refuse(response, 406, new BursarError('INPUT_INVALID', 'The client has to accept text/event-stream.'));
    held.openStream(response, header(request, 'last-event-id'));
  };

  const handleLegacy = async (request: IncomingMessage, response: ServerResponse, caller: ClientCaller, upstream: string, below: string, query: string): Promise<void> => {
    if (!bridge.knows(upstream)) return refuse(response, 404, new BursarError('UPSTREAM_UNKNOWN', 'There is no server of that name.'));
    if (request.method === 'GET' && below === '/sse') return legacy.open(response, caller, upstream);
    if (request.method === 'POST' && below === '/messages') return postLegacy(request, response, legacy.sessionOf(new URLSearchParams(query).get('sessionId'), caller, upstream));
    response.setHeader('allow', below === '/sse' ? 'GET' : 'POST');
    refuse(response, 405, new BursarError('INPUT_INVALID', 'This method is not supported.'));
  };

  return {
    async handle(request, response) {
      const match = PATH.exec(request.url ?? '');
      if (match === null) return false;
      const gate = checkRequest(request, tokens());
      if ('status' in gate) {
        request.resume();
        refuseCaller(request, response, gate, match[1]);
        return true;
      }
      responses.set(response, gate.client);
      response.on('close', () => responses.delete(response));
      seen?.(gate.client);
      try {
        const [, name = AGGREGATE, below, query = ''] = match;
        if (below === undefined) await handleChecked(request, response, gate, decodeName(name));
        else await handleLegacy(request, response, gate, decodeName(name), below, query);
      } catch (error) {
        log.error('an HTTP request failed', { method: request.method, reason: error instanceof Error ? error.message : String(error) });
        refuse(response, error instanceof BursarError ? 503 : 500, error);
      }
      return true;
    },
    endClient(client) {
      // One that is ended still carries its last words.
      for (const [response, of] of responses) if (of === client && !response.writableEnded) response.destroy();
      for (const [id, { session }] of sessions) if (session.client === client) void endSession(id);
      stateless.endClient(client);
      modern.endClient(client);
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...[...sessions.keys()].map(endSession), stateless.close(), modern.close(), legacy.close()]);
    },
  };
}

function refuse(response: ServerResponse, status: number, error: unknown, rpcCode?: number): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json' }).end(errorResponse('null', error, rpcCode));
}

/** Refuses with what a client needs to find the token endpoint (MCP, Authorization). */
function refuseCaller(request: IncomingMessage, response: ServerResponse, refusal: GateRefusal, name?: string): void {
  const resource = name !== undefined && RESOURCE_NAME.test(name) ? `/mcp/${name}` : '/mcp';
  if (refusal.status === 401 || refusal.error !== undefined) response.setHeader('www-authenticate', bearerChallenge(refusal, request, resource));
  refuse(response, refusal.status, new BursarError(refusal.status === 401 ? 'UNAUTHORIZED' : refusal.error === 'insufficient_scope' ? 'SCOPE_MISSING' : 'FORBIDDEN', refusal.reason));
}

/** What may stand in a header. */
const RESOURCE_NAME = /^[\w-]+$/;

function decodeName(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const hasResult = (text: string): boolean => scanPayload(text).messages.some(({ kind, fields }) => kind === 'response' && fields.result !== undefined);

const isJson = (contentType: string | undefined): boolean => /^application\/json\s*(?:;|$)/i.test(contentType ?? '');

const acceptsStream = (request: IncomingMessage): boolean => /text\/(?:event-stream|\*)|\*\/\*/i.test(request.headers.accept ?? '');

const header = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** What the client says of its message in headers of the protocol; its session and its credentials stay here. */
function mcpHeaders({ headers }: IncomingMessage): Record<string, string> {
  const own: Record<string, string> = {};
  for (const name in headers) {
    const value = name.startsWith('mcp-') && name !== SESSION_HEADER ? headers[name] : undefined;
    if (typeof value === 'string') own[name] = value;
  }
  return own;
}
