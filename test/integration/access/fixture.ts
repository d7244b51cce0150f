import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSealer } from '../../../src/main/adapters/keys/sealer.ts';
import { createClients, newSecret, newToken, type Client } from '../../../src/main/adapters/store/clients.ts';
import { createBridge } from '../../../src/main/bridge/bridge.ts';
import { createHttpHandler } from '../../../src/main/bridge/downstream-http.ts';
import { listenOnSocket } from '../../../src/main/bridge/downstream-socket.ts';
import { connectToApp } from '../../../src/main/bridge/shim-connection.ts';
import { createEventHub } from '../../../src/main/rpc/event-hub.ts';
import { createGate } from '../../../src/main/rpc/gate.ts';
import { createOwnerSessions } from '../../../src/main/rpc/owner-sessions.ts';
import { createRouter } from '../../../src/main/rpc/router.ts';
import { defineTool } from '../../../src/main/wallet-tools/define-tool.ts';
import { createToolSet } from '../../../src/main/wallet-tools/tool-set.ts';
import { createWebServer } from '../../../src/main/web/web-server.ts';
import { wireAccess } from '../../../src/main/wire-access.ts';
import { SCOPES, type Scope } from '../../../src/shared/access/scopes.ts';
import { handlersOf, manualClock, recordingLog } from '../../support/rpc/contract-fakes.ts';
import { openStore } from '../../unit/store/fixtures.ts';
import { NO_PAYMENTS, rawStdio } from '../bridge/fixtures/harness.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface SocketAnswer {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
  readonly error?: { readonly message: string };
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** One tool for each scope, named after it, which says who called it. */
const TOOLS = SCOPES.map((scope) =>
  defineTool({
    name: scope.replace(':', '_'),
    title: scope,
    description: `Needs ${scope}.`,
    scope,
    input: z.strictObject({}),
    output: z.strictObject({ client: z.string() }),
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    run: async (_input, { client }) => ({ kind: 'success', text: client, structured: { client } }),
  }),
);

/** The local server with its real store, gate and token endpoint, one server behind it, and a clock that stands. */
export async function openLocalServer() {
  const { db, clock: storeClock } = openStore();
  const clock = manualClock(storeClock.at);
  const log = recordingLog();
  const clients = createClients(db, clock, createSealer(() => new Uint8Array(32).fill(1)));
  const access = wireAccess({ clients, clock, log, changed: () => undefined });
  const tools = createToolSet({ tools: () => TOOLS, scopesOf: (client, scopes) => access.scopesOf({ client, ...(scopes && { scopes }) }), require: (scope, client) => access.require(scope, { client }) });
  const raw = rawStdio();
  const bridge = createBridge({ upstreams: (name) => (name === raw.name ? raw : undefined), hook: NO_PAYMENTS, log, aggregate: { names: () => [raw.name], tools, seenIn: () => () => '', version: '0' } });
  const calledOff: string[] = [];
  access.attach({ bridge, tools, payments: { callOff: (_isConcerned, reason) => void calledOff.push(reason.code), reassess: () => {} } });
  const mcp = createHttpHandler({ bridge, tokens: () => access.tokens(), seen: access.seen });
  access.onEnded(mcp.endClient);
  const events = createEventHub({ log });
  const router = createRouter({ handlers: handlersOf({}), gate: createGate({ realMoney: false, sessions: createOwnerSessions({ clock, changed: () => undefined }) }), log });
  const web = createWebServer({ router, events, clock, log, mcpHandler: mcp.handle, accessHandler: access.server });
  const { port } = await web.listen(0);
  const home = mkdtempSync(join(tmpdir(), 'bursar-access-'));
  const socket = await listenOnSocket({ home, bridge, tokens: () => access.tokens(), access, onControl: (connection) => connection.close() });
  onTestFinished(async () => {
    await bridge.close();
    await socket.close();
    rmSync(home, { recursive: true });
    await mcp.close();
    await web.close();
  });

  const ask = (path: string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, setHost: false, headers: { host: `127.0.0.1:${port}`, ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })).on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
  const form = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString();
  const askToken = (body: string, headers: Readonly<Record<string, string>> = {}) => ask('/oauth/token', { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    clock,
    log,
    clients,
    access,
    bridge,
    calledOff,
    ask,
    form,
    askToken,
    addKey(name: string, scopes: readonly Scope[]): string {
      const token = newToken();
      clients.add({ name, credential: 'key', scopes, secret: token });
      return token;
    },
    addOauth(name: string, scopes: readonly Scope[]): Client & { readonly secret: string } {
      const secret = newSecret();
      return { ...clients.add({ name, credential: 'oauth', scopes, secret }), secret };
    },
    /** A token of this client, as the endpoint gives it. Throws its error. */
    async tokenOf({ id, secret }: { readonly id: string; readonly secret: string }, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
      const { status, body } = await askToken(form({ grant_type: 'client_credentials', client_id: id, client_secret: secret, ...parameters }));
      const answer = JSON.parse(body) as { access_token?: string; error?: string };
      if (answer.access_token === undefined) throw new Error(`${status} ${answer.error}`);
      return answer.access_token;
    },
    /** Asks over the socket, as a shim does that brings this token; each answer by its id. */
    async overSocket(token: string, { upstream = '', claims = 'x' }: { readonly upstream?: string; readonly claims?: string } = {}) {
      const line = await connectToApp({ home, hello: { role: 'mcp', upstream, client: claims, token }, startMs: 0 });
      onTestFinished(() => void line.destroy());
      const waiting = new Map<number, (answer: SocketAnswer) => void>();
      let text = '';
      let ids = 0;
      line.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
          const answer = JSON.parse(text.slice(0, end)) as SocketAnswer & { readonly id?: number };
          text = text.slice(end + 1);
          if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
        }
      });
      line.resume();
      return (method: string, params: object = {}): Promise<SocketAnswer> =>
        new Promise((resolve) => {
          const id = ++ids;
          waiting.set(id, resolve);
          line.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
        });
    },
    /** One message to the MCP endpoint. */
    post: (token: string, message: object, { path = '/mcp', headers = {} }: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> } = {}) =>
      ask(path, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  };
}
