import type { Clock } from '../core/ports.ts';
import { systemClock } from './adapters/clock.ts';
import { createHttpHandler } from './bridge/downstream-http.ts';
import { listenOnSocket } from './bridge/downstream-socket.ts';
import { writeLaunchCommand, type LaunchCommand } from './bridge/endpoint.ts';
import type { Engine } from './engine.ts';
import type { ProgramFiles } from './program-files.ts';
import { isBursarError } from '../shared/errors/errors.ts';
import { serveControl } from './rpc/control-carrier.ts';
import { readPages } from './web/pages.ts';
import { waitForPort, type WaitingPort } from './web/waiting-port.ts';
import { createWebServer } from './web/web-server.ts';

export interface ServeOptions {
  readonly engine: Engine;
  readonly files: ProgramFiles;
  readonly host: 'electron' | 'headless';
  /** Port on 127.0.0.1; 0 takes a free one, any other is remembered. Without it, the one of the configuration. */
  readonly port?: number;
  /** How a shim starts this application again. */
  readonly launch: LaunchCommand;
  readonly clock?: Clock;
}

/** The carriers of a running application: the local socket, and one HTTP port for MCP clients and the headless pages. */
export interface Served {
  /** `http://127.0.0.1:PORT/mcp`, also while the port is not to be had: it is what clients are set to. */
  readonly mcpUrl: string;
  /** Why HTTP clients cannot reach that address now, as a sentence; empty where they can. */
  httpProblem(): string;
  /** A dashboard address with a new one-time token; empty in Electron, which has its own windows. */
  dashboardUrl(): string;
  /** How many clients wait for an answer. */
  running(): number;
  close(): Promise<void>;
}

/**
 * Starts listening. A port that another program has stops nothing else: clients over the socket are served, the headless pages move to a free
 * port for this run, and MCP over HTTP begins as soon as the port is free. It never moves, because clients' configurations name it.
 */
export async function serve({ engine, files, host, port, launch, clock = systemClock }: ServeOptions): Promise<Served> {
  const { bridge, router, events, sessions, access, home, log } = engine;
  const mcp = createHttpHandler({ bridge, tokens: () => access.tokens(), seen: access.seen });
  access.onEnded(mcp.endClient);
  const common = { router, events, disconnected: (connection: string) => sessions.end(connection), clock, log };
  const clientSide = { mcpHandler: mcp.handle, accessHandler: access.server };
  const pages = host === 'headless' ? { pages: await readPages(files.pages) } : {};
  const wanted = port ?? home.config().port;
  const remember = () => {
    // A shim that starts the application again must meet it where the clients' configuration says.
    if (port && port !== home.config().port) home.update({ port });
  };

  let web = createWebServer({ ...common, ...pages, ...clientSide });
  let late: WaitingPort | undefined;
  const listening = await web.listen(wanted).catch(async (error: unknown) => {
    if (!isBursarError(error, 'PORT_IN_USE')) throw error;
    log.warn('the port is taken', { port: wanted });
    const server = createWebServer({ ...common, ...clientSide });
    late = waitForPort({ server, port: wanted, clock, log, onOpen: () => (remember(), log.info('the port is free again', { port: wanted }), tellAddresses()) });
    web = createWebServer({ ...common, ...pages });
    if (host === 'headless') await web.listen(0);
    return { port: wanted };
  });
  const tellAddresses = () => {
    events.publish('app');
    events.publish('clients');
  };
  if (late === undefined) remember();
  const mcpUrl = `http://127.0.0.1:${listening.port}/mcp`;
  const dashboardUrl = () => (host === 'electron' ? '' : web.issueAddress());
  const httpProblem = () => (late?.waiting === true ? portProblem(wanted) : '');
  engine.setAddresses({ mcpUrl, dashboardUrl, httpProblem });
  const socket = await listenOnSocket({
    home: home.folder,
    bridge,
    tokens: () => access.tokens(),
    access,
    onControl: (connection, role) => serveControl(connection, { router, events, sessions, host, role }),
  });
  writeLaunchCommand(home.folder, launch);
  log.info('listening', { port: listening.port, host });
  return {
    mcpUrl,
    httpProblem,
    dashboardUrl,
    running: () => bridge.sessions().filter(({ openRequests }) => openRequests > 0).length,
    async close() {
      // The bridge first, so that every open call gets its error over a connection that is still there.
      await bridge.close();
      await Promise.all([socket.close(), mcp.close(), web.close(), late?.close()]);
    },
  };
}

const portProblem = (port: number): string =>
  `Port ${port} is taken by another program${port < 1024 ? ', or needs more rights than this user has' : ''}, so MCP clients that use HTTP cannot reach Bursar, and would send their token to that program. Clients that start Bursar's command are not affected. Bursar takes the port as soon as it is free; --port gives it another one for good.`;
