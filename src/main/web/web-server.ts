import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Log } from '../../core/ports.ts';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { namesThisMachine } from '../bridge/http-gate.ts';
import type { Caller } from '../rpc/caller.ts';
import type { EventHub } from '../rpc/event-hub.ts';
import type { Router } from '../rpc/router.ts';
import { askedAs, cookieName, isOwnOrigin, offeredKey, sessionSecret } from './origin-check.ts';
import { createPageSessions } from './page-sessions.ts';
import { createPageSockets } from './page-sockets.ts';
import type { Pages } from './pages.ts';
import { NO_SESSION_PAGE, NOT_FOUND_PAGE, TOKEN_USED_PAGE, WRONG_HOST_PAGE } from './plain-page.ts';
import { securityHeaders } from './security-headers.ts';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';

export interface WebServerOptions {
  /** The pages to serve; left out where only MCP is served, as beside Electron's own windows. */
  readonly pages?: Pages;
  readonly router: Router;
  readonly events: EventHub;
  /** Answers everything at and below `/mcp`, with its own checks of token and origin; false means that there is no such path. */
  readonly mcpHandler?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Answers what clients need to get tokens; false means that there is no such path. */
  readonly accessHandler?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  /** Called with a page connection's name once it closed, so that its owner session ends. */
  readonly disconnected?: (connection: string) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly limits?: SocketLimits;
}

export interface WebServer {
  /** Binds 127.0.0.1, and ::1 where there is IPv6; port 0 takes a free one. Throws `PORT_IN_USE`, after which it may be tried again. */
  listen(port: number): Promise<{ readonly port: number }>;
  /** The address that signs one browser in, once. Only while listening. */
  issueAddress(): string;
  /** Ends every connection. */
  close(): Promise<void>;
}

const SURFACES: Readonly<Record<string, Caller['surface']>> = { '/ws/dashboard': 'dashboard', '/ws/approval': 'approval' };

/** One loopback server for the headless pages, their WebSockets and the MCP endpoint (design, "Headless page"). */
export function createWebServer(options: WebServerOptions): WebServer {
  const { router, events, mcpHandler, accessHandler, clock, log, limits = SOCKET_LIMITS, disconnected = () => undefined } = options;
  const pages: Pages = options.pages ?? new Map();
  const sessions = createPageSessions({ clock });
  const sockets = createPageSockets({ router, events, disconnected, log, limits });
  let port = 0;

  const signedIn = (request: IncomingMessage): boolean => {
    const secret = sessionSecret(request.headers, port);
    return secret !== undefined && sessions.has(secret);
  };
  const admitted = (request: IncomingMessage): boolean => {
    const [cookie, key] = [sessionSecret(request.headers, port), offeredKey(request.headers)];
    return cookie !== undefined && key !== undefined && sessions.admits({ cookie, key });
  };

  const open = (request: IncomingMessage, response: ServerResponse, token: string): void => {
    // A browser that fetches ahead of its user would use the token up unseen.
    if (request.headers['sec-purpose'] !== undefined) return page(response, 503, NO_SESSION_PAGE);
    const secrets = sessions.redeem(token);
    if (secrets === undefined) return page(response, 403, TOKEN_USED_PAGE);
    response.setHeader('set-cookie', `${cookieName(port)}=${secrets.cookie}; HttpOnly; SameSite=Strict; Path=/`);
    // A fragment stays in the browser: no server, on whatever port, is sent it.
    response.writeHead(303, { location: `/#key=${secrets.key}` }).end();
  };

  const servePage = (request: IncomingMessage, response: ServerResponse, path: string, query: string): void => {
    for (const [name, value] of Object.entries(securityHeaders(`'self' ws://localhost:${port}`))) response.setHeader(name, value);
    if (askedAs(request.headers, port) !== 'localhost') return page(response, 403, WRONG_HOST_PAGE);
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      return page(response, 405, NOT_FOUND_PAGE);
    }
    if (path === '/open') return open(request, response, new URLSearchParams(query).get('token') ?? '');
    if (!signedIn(request)) return page(response, 401, NO_SESSION_PAGE);
    const file = pages.get(path);
    if (file === undefined) return page(response, 404, NOT_FOUND_PAGE);
    response.writeHead(200, { 'content-type': file.contentType, 'content-length': file.body.length }).end(file.body);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The path is compared as it was sent; nothing is decoded or resolved that could name another file.
    const [path = '', query = ''] = (request.url ?? '').split('?', 2);
    if (await accessHandler?.(request, response)) return;
    if (path !== '/mcp' && !path.startsWith('/mcp/')) return servePage(request, response, path, query);
    if (!namesThisMachine(request)) return void response.writeHead(403).end();
    if (mcpHandler === undefined || !(await mcpHandler(request, response))) noSuchServer(response);
  };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      log.error('a web request failed', { method: request.method, reason: error instanceof Error ? error.stack : String(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    const surface = SURFACES[request.url ?? ''];
    if (askedAs(request.headers, port) !== 'localhost' || !isOwnOrigin(request.headers, port)) return refuseUpgrade(socket, 403);
    if (!admitted(request)) return refuseUpgrade(socket, 401);
    if (surface === undefined || options.pages === undefined) return refuseUpgrade(socket, 404);
    if (sockets.full) return refuseUpgrade(socket, 503);
    sockets.accept(request, socket, head, surface);
  };
  const servers: Server[] = [];

  return {
    async listen(wanted) {
      const report = (error: Error) => log.error('the web server failed', { reason: error.message });
      const first = await bind(createServer(answer).on('upgrade', upgrade), wanted, '127.0.0.1');
      first.on('error', report);
      servers.push(first);
      ({ port } = first.address() as AddressInfo);
      // `localhost` is both: another user of this machine must not be able to answer for it on the one that we leave free.
      const second = await bind(createServer(answer).on('upgrade', upgrade), port, '::1').catch(async (error: unknown) => {
        if (!isBursarError(error, 'PORT_IN_USE')) return undefined; // no IPv6 here
        servers.length = 0;
        await new Promise((resolve) => first.close(resolve));
        throw error;
      });
      if (second) servers.push(second.on('error', report));
      return { port };
    },
    issueAddress: () => `http://localhost:${port}/open?token=${sessions.issueToken()}`,
    async close() {
      sockets.close();
      await Promise.all(
        servers.map((server) => {
          const closed = new Promise((resolve) => server.close(resolve));
          server.closeAllConnections();
          return closed;
        }),
      );
    },
  };
}

/** Throws `PORT_IN_USE`, or the system's error. */
function bind(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'EADDRINUSE' || error.code === 'EACCES' ? portInUse(port, host, error) : error));
    server.listen(port, host, () => resolve(server.removeAllListeners('error')));
  });
}

/** The path leads nowhere. JSON-RPC, because whoever asks below `/mcp` is an MCP client. */
function noSuchServer(response: ServerResponse): void {
  const error = { code: -32000, message: 'The address is /mcp for all servers, or /mcp/<server> for one. (UPSTREAM_UNKNOWN)' };
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
}

const portInUse = (port: number, host: string, cause: Error) =>
  new BursarError('PORT_IN_USE', `Port ${port} on ${host} is taken by another program, or not for this user.`, { context: { port: String(port), host }, cause });

function page(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
