import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBridge } from '../../src/main/bridge/bridge.ts';
import { createHttpHandler } from '../../src/main/bridge/downstream-http.ts';
import { listenOnSocket } from '../../src/main/bridge/downstream-socket.ts';
import { hashToken } from '../../src/main/bridge/http-gate.ts';
import type { UpstreamSpec } from '../../src/main/bridge/upstream.ts';

const SHIM = fileURLToPath(new URL('../../src/main/shim.ts', import.meta.url));
const TOKEN = 'the-suite-knows-no-token';

export interface Bursar {
  readonly url: (upstream: string) => string;
  /** All servers at once. */
  readonly allUrl: string;
  /** The command that a stdio client starts. */
  readonly shim: (upstream: string) => { readonly command: string; readonly args: string[] };
  close(): Promise<void>;
}

/** Bursar's data path with both of its doors. The suite can send no token, so that is put in for it here. */
export async function startBursar(given: readonly UpstreamSpec[] | ((name: string) => UpstreamSpec | undefined)): Promise<Bursar> {
  const upstreams = typeof given === 'function' ? given : (name: string) => given.find((spec) => spec.name === name);
  const home = mkdtempSync(join(tmpdir(), 'bursar-conformance-home-'));
  const quiet = (): void => undefined;
  const bridge = createBridge({
    upstreams,
    hook: { looksPaid: () => false, onAnswer: () => Promise.resolve(undefined) },
    log: { debug: quiet, info: quiet, warn: quiet, error: console.error },
    aggregate: {
      names: () => (typeof given === 'function' ? [] : given.map(({ name }) => name)),
      tools: { open: () => ({ listed: () => [], find: () => undefined, close: quiet }) },
      seenIn: () => () => '',
      version: '0',
    },
  });
  const tokens = () => [{ client: 'suite', sha256: hashToken(TOKEN) }];
  const socket = await listenOnSocket({ home, bridge, tokens, onControl: (connection) => connection.close() });
  const handler = createHttpHandler({ bridge, tokens });
  const http = createServer((request, response) => {
    request.headers.authorization = `Bearer ${TOKEN}`;
    void handler.handle(request, response).then((handled) => handled || response.writeHead(404).end());
  });
  http.keepAliveTimeout = 60_000;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    allUrl: `http://127.0.0.1:${port}/mcp`,
    url: (upstream) => `http://127.0.0.1:${port}/mcp/${upstream}`,
    shim: (upstream) => ({ command: process.execPath, args: [SHIM, '--home', home, '--upstream', upstream, '--client', 'suite'] }),
    async close() {
      await handler.close();
      await bridge.close();
      await socket.close();
      http.close();
      http.closeAllConnections();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
