import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { createEventHub, type EventHub } from '../../../src/main/rpc/event-hub.ts';
import { createGate } from '../../../src/main/rpc/gate.ts';
import { createOwnerSessions, type OwnerSessions } from '../../../src/main/rpc/owner-sessions.ts';
import { createRouter, type Handlers } from '../../../src/main/rpc/router.ts';
import { readPages } from '../../../src/main/web/pages.ts';
import { SOCKET_LIMITS, type SocketLimits } from '../../../src/main/web/socket-limits.ts';
import { createWebServer, type WebServer } from '../../../src/main/web/web-server.ts';
import { signedInBy, type SignedIn } from '../../support/page-sign-in.ts';
import { handlersOf, manualClock, recordingLog } from '../../support/rpc/contract-fakes.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Fixture {
  readonly web: WebServer;
  readonly port: number;
  readonly origin: string;
  readonly events: EventHub;
  readonly sessions: OwnerSessions;
  readonly clock: ReturnType<typeof manualClock>;
  readonly log: ReturnType<typeof recordingLog>;
  /** One request as raw as node:http lets it be: the path is sent as given. */
  readonly get: (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;
  /** Opens a fresh address and returns the Cookie header of the session. */
  readonly signIn: () => Promise<string>;
  /** The same, with what the page offers on its WebSocket. */
  readonly signInPage: () => Promise<SignedIn>;
  readonly close: () => Promise<void>;
}

export interface FixtureOptions {
  readonly handlers?: Partial<Handlers>;
  readonly limits?: Partial<SocketLimits>;
  readonly realMoney?: boolean;
  readonly mcpHandler?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

/** The real server over two small built pages in a temporary folder. */
export async function openFixture({ handlers = {}, limits = {}, realMoney = false, mcpHandler }: FixtureOptions = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'bursar-web-'));
  await mkdir(join(folder, 'pages', 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.js'), 'outside');
  await writeFile(join(folder, 'pages', 'dashboard.html'), '<h1>dashboard</h1>');
  await writeFile(join(folder, 'pages', 'approval.html'), '<h1>approval</h1>');
  await writeFile(join(folder, 'pages', 'assets', 'main.js'), 'export {};');
  await writeFile(join(folder, 'pages', 'notes.txt'), 'not for the browser');

  const log = recordingLog();
  const clock = manualClock();
  const events = createEventHub({ log });
  const sessions = createOwnerSessions({ clock, changed: () => events.publish('owner') });
  const router = createRouter({ handlers: handlersOf(handlers), gate: createGate({ realMoney, sessions }), log });
  const web = createWebServer({
    pages: await readPages(join(folder, 'pages')),
    router,
    events,
    clock,
    log,
    limits: { ...SOCKET_LIMITS, ...limits },
    disconnected: (connection) => sessions.end(connection),
    ...(mcpHandler === undefined ? {} : { mcpHandler }),
  });
  const { port } = await web.listen(0);

  const get: Fixture['get'] = (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, setHost: false, headers: { host: `localhost:${port}`, ...headers } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      });
      sent.on('error', reject).end();
    });

  const signInPage = async (): Promise<SignedIn> => {
    const { pathname, search } = new URL(web.issueAddress());
    const { status, headers } = await get(pathname + search);
    return signedInBy({ status, location: headers.location ?? '', setCookie: headers['set-cookie']?.[0] ?? '' });
  };

  return {
    web,
    port,
    origin: `http://localhost:${port}`,
    events,
    sessions,
    clock,
    log,
    get,
    signIn: async () => (await signInPage()).cookie,
    signInPage,
    async close() {
      await web.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Tries to open a WebSocket: the open socket, or the HTTP status with which it was refused. */
export const openSocket = (port: number, path: string, headers: Record<string, string>, protocols: readonly string[] = []): Promise<WebSocket | number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.on('error', reject);
  });

/** The next frame from main. */
export const nextFrame = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve, reject) => {
    socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8'))));
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)));
  });

/** The code with which the socket closes. */
export const closeCode = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve));
