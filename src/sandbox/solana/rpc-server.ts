import type { ServerResponse } from 'node:http';
import { WebSocketServer } from 'ws';
import { readBody, sendJson, serveHttp, type HttpService } from '../http/http-service.ts';
import type { Bank } from './bank.ts';
import { RpcError } from './rpc-error.ts';
import type { RpcFaults } from './rpc-faults.ts';
import type { RpcMethods } from './rpc-context.ts';
import { serveSubscriptions } from './subscriptions.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

interface RpcServerOptions {
  readonly bank: Bank;
  readonly methods: RpcMethods;
  readonly faults: RpcFaults | undefined;
}

/** Serves the node's JSON-RPC: HTTP POST (single and batch) and, on the same port, WebSocket subscriptions. */
export async function serveRpc({ bank, methods, faults }: RpcServerOptions): Promise<HttpService> {
  const service = await serveHttp(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body: unknown;
    try {
      body = JSON.parse(await readBody(request));
    } catch {
      return sendJson(response, 200, failure(null, new RpcError(PARSE_ERROR, 'Parse error')));
    }
    if (Array.isArray(body)) return sendJson(response, 200, await Promise.all(body.map((item) => answer(methods, item))));
    await answerOne(response, { methods, faults, body });
  }, { toPages: true });
  const sockets = new WebSocketServer({ server: service.server });
  sockets.on('connection', (socket) => serveSubscriptions(bank, socket));
  return {
    ...service,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await service.close();
    },
  };
}

interface AnswerOptions extends Omit<RpcServerOptions, 'bank'> {
  readonly body: unknown;
}

const unavailable = (response: ServerResponse): void => {
  response.writeHead(503).end('Service Unavailable');
};

async function answerOne(response: ServerResponse, { methods, faults, body }: AnswerOptions): Promise<void> {
  const { method } = (body ?? {}) as { method?: unknown };
  const fault = typeof method === 'string' ? faults?.on(method) : undefined;
  if (fault === 'hang') return;
  if (fault === 'http-503') return unavailable(response);
  if (fault === 'expire-first') faults?.expireBlockhashes();
  const reply = await answer(methods, body);
  if (fault === 'then-hang') return;
  if (fault === 'then-http-503') return unavailable(response);
  sendJson(response, 200, fault === 'hide-status' ? withoutStatuses(reply) : reply);
}

async function answer(methods: RpcMethods, request: unknown): Promise<object> {
  const { id = null, method, params = [] } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  if (typeof method !== 'string' || !Array.isArray(params)) return failure(id, new RpcError(INVALID_REQUEST, 'Invalid request'));
  const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!run) return failure(id, new RpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 80)}`));
  try {
    return { jsonrpc: '2.0', result: (await run(params)) ?? null, id };
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, error instanceof Error ? error.message : String(error)));
  }
}

const failure = (id: unknown, { code, message, data }: RpcError): object => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data !== undefined && { data }) },
  id,
});

function withoutStatuses(reply: object): object {
  const { result } = reply as { result?: { value?: unknown[] } };
  return Array.isArray(result?.value) ? { ...reply, result: { ...result, value: result.value.map(() => null) } } : reply;
}
