import { systemClock } from './adapters/clock.ts';
import { createHttpHandler } from './bridge/downstream-http.ts';
import { listenOnSocket } from './bridge/downstream-socket.ts';
import { writeLaunchCommand, type LaunchCommand } from './bridge/endpoint.ts';
import type { Engine } from './compose.ts';
import type { ProgramFiles } from './program-files.ts';
import { serveControl } from './rpc/control-carrier.ts';
import { readPages } from './web/pages.ts';
import { createWebServer } from './web/web-server.ts';

export interface ServeOptions {
  readonly engine: Engine;
  readonly files: ProgramFiles;
  readonly host: 'electron' | 'headless';
  /** Port on 127.0.0.1; 0 takes a free one, any other is remembered. Without it, the one of the configuration. */
  readonly port?: number;
  /** How a shim starts this application again. */
  readonly launch: LaunchCommand;
}

/** The carriers of a running application: the local socket, and one HTTP port for MCP clients and the headless pages. */
export interface Served {
  readonly port: number;
  /** `http://127.0.0.1:PORT/mcp` */
  readonly mcpUrl: string;
  /** A dashboard address with a new one-time token; empty in Electron, which has its own windows. */
  dashboardUrl(): string;
  close(): Promise<void>;
}

/** Starts listening. Throws `PORT_IN_USE`. */
export async function serve({ engine, files, host, port, launch }: ServeOptions): Promise<Served> {
  const { bridge, router, events, sessions, clients, home, log } = engine;
  const mcp = createHttpHandler({ bridge, tokens: () => clients.tokens() });
  const web = createWebServer({
    ...(host === 'headless' && { pages: await readPages(files.pages) }),
    router,
    events,
    mcpHandler: mcp.handle,
    disconnected: (connection) => sessions.end(connection),
    clock: systemClock,
    log,
  });
  const listening = await web.listen(port ?? home.config().port);
  // A shim that starts the application again must meet it where the clients' configuration says.
  if (port && port !== home.config().port) home.update({ port });
  const mcpUrl = `http://127.0.0.1:${listening.port}/mcp`;
  const dashboardUrl = () => (host === 'electron' ? '' : web.issueAddress());
  engine.setAddresses({ mcpUrl, dashboardUrl });
  const socket = await listenOnSocket({
    home: home.folder,
    bridge,
    onControl: (connection) => serveControl(connection, { router, events, sessions, host }),
  });
  writeLaunchCommand(home.folder, launch);
  log.info('listening', { port: listening.port, host });
  return {
    port: listening.port,
    mcpUrl,
    dashboardUrl,
    async close() {
      // The bridge first, so that every open call gets its error over a connection that is still there.
      await bridge.close();
      await Promise.all([socket.close(), mcp.close(), web.close()]);
    },
  };
}
