import { join } from 'node:path';
import { entryOf, startApp } from '../../support/app-process.ts';
import { ownerContract } from '../../support/contract.ts';
import { peerScript } from '../peers/install.ts';
import { openHttpClient, openStdioClient, type BenchClient } from './clients.ts';
import { ECHO, PUMP, startListening, startPeer } from './processes.ts';

/** One way from a client to a server, client's side first. */
export type Path = 'stdio-http' | 'http-stdio' | 'http-http';

/** The limit that Bursar is held against. */
export const PUMP_NAME = 'raw pump';

export interface Target {
  readonly path: Path;
  readonly name: string;
  /** Starts the client's session; resolves with its first answer. What may run before that, runs. */
  open(): Promise<BenchClient>;
}

export interface Targets {
  readonly all: readonly Target[];
  stop(): Promise<void>;
}

const node = process.execPath;

/** Everything that is compared, started: Bursar as its users run it, with its payment side. Proxies that stay are started once. */
export async function startTargets(folder: string): Promise<Targets> {
  const stops: (() => Promise<void>)[] = [];
  const kept = <T extends { stop(): Promise<void> }>(one: T): T => {
    stops.unshift(() => one.stop());
    return one;
  };
  const url = `http://127.0.0.1:${kept(await startListening(ECHO, ['http'])).line}/mcp`;
  const app = kept(await startApp({ home: join(folder, 'home') }));
  const owner = await ownerContract(app.home);
  await owner.request('upstreams.add', { name: 'echo-http', transport: { kind: 'http', url, headers: {} } });
  await owner.request('upstreams.add', { name: 'echo-stdio', transport: { kind: 'stdio', command: node, args: [ECHO, 'stdio'], env: {} } });
  owner.close();

  const pumpBefore = async (...args: string[]): Promise<string> => `http://127.0.0.1:${kept(await startListening(PUMP, args)).line}/mcp`;
  const pumpHttp = await pumpBefore('http-http', url);
  const pumpStdio = await pumpBefore('http-stdio', ECHO, 'stdio');
  const socket = join(folder, 'pump.sock');
  kept(await startListening(PUMP, ['socket-http', socket, url]));
  const supergateway = kept(await startPeer(peerScript('supergateway'), (port) => ['--stdio', `${node} ${ECHO} stdio`, '--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none']));
  const mcpProxy = kept(await startPeer(peerScript('mcp-proxy'), (port) => ['--server', 'stream', '--host', '127.0.0.1', '--port', String(port), '--', node, ECHO, 'stdio']));

  const stdio = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => () => openStdioClient({ command: node, args, env });
  const http = (to: string, token?: string) => () => openHttpClient({ url: to, ...(token !== undefined && { token }) });
  const bursar = (upstream: string) => http(`${app.mcp}/${upstream}`, app.token);
  const all: readonly Target[] = [
    { path: 'stdio-http', name: 'direct', open: http(url) },
    { path: 'stdio-http', name: PUMP_NAME, open: stdio([PUMP, 'stdio-http', url]) },
    { path: 'stdio-http', name: 'raw pump, two processes', open: stdio([PUMP, 'relay', socket]) },
    { path: 'stdio-http', name: 'bursar', open: stdio([entryOf('shim.js'), '--home', app.home, '--upstream', 'echo-http', '--client', 'bench'], { BURSAR_CLIENT_TOKEN: app.token }) },
    { path: 'stdio-http', name: 'supergateway', open: stdio([peerScript('supergateway'), '--streamableHttp', url, '--logLevel', 'none']) },
    { path: 'stdio-http', name: 'mcp-remote', open: stdio([peerScript('mcp-remote'), url, '--transport', 'http-only', '--silent'], { MCP_REMOTE_CONFIG_DIR: join(folder, 'mcp-remote') }) },
    { path: 'http-stdio', name: 'direct', open: stdio([ECHO, 'stdio']) },
    { path: 'http-stdio', name: PUMP_NAME, open: http(pumpStdio) },
    { path: 'http-stdio', name: 'bursar', open: bursar('echo-stdio') },
    { path: 'http-stdio', name: 'supergateway', open: http(supergateway.url) },
    { path: 'http-stdio', name: 'mcp-proxy', open: http(mcpProxy.url) },
    { path: 'http-http', name: 'direct', open: http(url) },
    { path: 'http-http', name: PUMP_NAME, open: http(pumpHttp) },
    { path: 'http-http', name: 'bursar', open: bursar('echo-http') },
  ];
  return {
    all,
    async stop() {
      for (const stop of stops) await stop();
    },
  };
}
