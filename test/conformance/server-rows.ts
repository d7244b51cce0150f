import { fileURLToPath } from 'node:url';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createBridge } from '../../src/main/bridge/bridge.ts';
import { createHttpHandler } from '../../src/main/bridge/downstream-http.ts';
import { hashToken } from '../../src/main/bridge/http-gate.ts';
import type { UpstreamSpec } from '../../src/main/bridge/upstream.ts';
import { startHttp } from './fixture/server.ts';
import { compare, type Row } from './row.ts';
import { runSuite, SUITES } from './suite.ts';

const FIXTURE = fileURLToPath(new URL('./fixture/server.ts', import.meta.url));
const TOKEN = 'the-suite-knows-no-token';

/** The suite as the client: the fixture directly, and behind Bursar over stdio and HTTP. */
export async function* serverRows(): AsyncGenerator<Row> {
  const fixture = await startHttp({ closesStreams: true });
  const asOverStdio = await startHttp({ closesStreams: false });
  const bursar = await startBursar([
    { name: 'http', transport: { kind: 'http', url: fixture.url } },
    { name: 'stdio', transport: { kind: 'stdio', command: process.execPath, args: [FIXTURE] } },
  ]);
  try {
    for (const suite of SUITES) {
      for (const [upstream, { url }] of [['http', fixture], ['stdio', asOverStdio]] as const) {
        const direct = await runSuite(suite, ['server', '--url', url, ...suite.server]);
        yield compare(`server ${suite.name}`, `http → ${upstream}`, direct, await runSuite(suite, ['server', '--url', bursar.url(upstream), ...suite.server]));
      }
    }
  } finally {
    await bursar.close();
    await fixture.close();
    await asOverStdio.close();
  }
}

interface Bursar {
  readonly url: (upstream: string) => string;
  close(): Promise<void>;
}

/** Bursar's HTTP door. The suite can send no token, so that is put in for it here. */
async function startBursar(upstreams: readonly UpstreamSpec[]): Promise<Bursar> {
  const quiet = (): void => undefined;
  const bridge = createBridge({
    upstreams: (name) => upstreams.find((spec) => spec.name === name),
    hook: { looksPaid: () => false, onAnswer: () => Promise.resolve(undefined) },
    log: { debug: quiet, info: quiet, warn: quiet, error: console.error },
  });
  const handler = createHttpHandler({ bridge, tokens: () => [{ client: 'suite', sha256: hashToken(TOKEN) }] });
  const http = createServer((request, response) => {
    request.headers.authorization = `Bearer ${TOKEN}`;
    void handler.handle(request, response).then((handled) => handled || response.writeHead(404).end());
  });
  http.keepAliveTimeout = 60_000;
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: (upstream) => `http://127.0.0.1:${port}/mcp/${upstream}`,
    async close() {
      await handler.close();
      await bridge.close();
      http.close();
      http.closeAllConnections();
    },
  };
}
