import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectToApp } from '../../src/main/bridge/shim-connection.ts';
import { openEngine } from '../../src/main/compose.ts';
import type { Engine } from '../../src/main/engine.ts';
import { programFiles } from '../../src/main/program-files.ts';
import { readyText } from '../../src/main/ready-text.ts';
import { serve, type Served } from '../../src/main/serve.ts';
import { PORT_RETRY_MS } from '../../src/main/web/waiting-port.ts';
import type { RouteOutput } from '../../src/shared/contract/contract.ts';
import { manualClock } from '../support/rpc/contract-fakes.ts';

const files = programFiles(fileURLToPath(new URL('../../out/main', import.meta.url)));
const launch = { command: 'unused', args: [] };

let home: string;
let squatter: Server;
let port: number;
let engine: Engine;
let served: Served | undefined;

beforeEach(async () => {
  squatter = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  ({ port } = squatter.address() as AddressInfo);
  home = mkdtempSync(join(tmpdir(), 'bursar-port-'));
  engine = await openEngine({ environment: 'sandbox', home, host: 'headless', files, version: '0', preferVault: true, live: false });
});
afterEach(async () => {
  await served?.close();
  served = undefined;
  await engine.close();
  squatter.close();
  rmSync(home, { recursive: true, force: true });
});

const caller = { surface: 'dashboard', connection: 'test', host: 'headless' } as const;
async function read<N extends 'app.status' | 'clients.list'>(route: N): Promise<RouteOutput<N>> {
  const reply = await engine.router.dispatch(route, {}, caller);
  if (!reply.ok) throw new Error(reply.error.message);
  return reply.value as RouteOutput<N>;
}
/** What an MCP client without a token is answered at the address that clients are set to; undefined where Bursar does not answer. */
const mcpStatus = () => fetch(`http://127.0.0.1:${port}/mcp/demo`, { method: 'POST' }).then(({ status }) => status, () => undefined);

test.each(['headless', 'electron'] as const)('another program on the port stops all of Bursar (%s)', async (host) => {
  const clock = manualClock();
  served = await serve({ engine, files, host, port, launch, clock });
  // Clients over the socket do not care.
  const shim = await connectToApp({ home, hello: { role: 'mcp', upstream: 'demo', client: 'test' }, startMs: 0 });
  shim.destroy();
  // The owner reads of it wherever they look, and the address that clients are set to stays what it is.
  const problem = served.httpProblem();
  expect(problem).toContain(`Port ${port} is taken`);
  expect(served.mcpUrl).toBe(`http://127.0.0.1:${port}/mcp`);
  expect((await read('app.status')).warnings).toContain(problem);
  expect((await read('clients.list')).httpProblem).toBe(problem);
  expect(readyText({ engine, files, mcp: served.mcpUrl, httpProblem: problem, token: 't', dashboard: '', setupCode: '' })).toContain(problem);
  if (host === 'headless') {
    expect(new URL(served.dashboardUrl()).port).not.toBe(String(port));
    expect((await fetch(served.dashboardUrl(), { redirect: 'manual' })).status).toBe(303);
  }
  expect(await mcpStatus()).toBeUndefined();

  // Still taken at the first try, free at the second.
  clock.advance(PORT_RETRY_MS);
  await new Promise((resolve) => squatter.close(resolve));
  const told = new Promise<void>((resolve) => engine.events.subscribe(({ topic }) => topic === 'clients' && resolve()));
  const again = setInterval(() => clock.advance(PORT_RETRY_MS), 20);
  await told;
  clearInterval(again);
  expect(await mcpStatus()).toBe(401);
  expect(served.httpProblem()).toBe('');
  expect((await read('clients.list')).httpProblem).toBeUndefined();
  expect(engine.home.config().port).toBe(port);
});

test('a port that could not be had is remembered for the next start', async () => {
  const before = engine.home.config().port;
  served = await serve({ engine, files, host: 'headless', port, launch, clock: manualClock() });
  expect(engine.home.config().port).toBe(before);
});
