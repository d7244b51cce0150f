import { createMcpHandler, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { BursarError } from '../../shared/errors/errors.ts';
import { sendResponse, toRequest } from '../http/fetch-adapter.ts';
import { readBody, sendJson, serveHttp, type HttpService } from '../http/http-service.ts';
import { EVM_NETWORK, SOLANA_NETWORK, type SandboxNetwork } from '../networks.ts';
import { CATALOGUE } from './catalogue.ts';
import type { Seller } from './seller.ts';

const callSchema = z.looseObject({
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional(), _meta: z.record(z.string(), z.unknown()).optional() }),
});

/**
 * Serves the demo server over Streamable HTTP at `/mcp`, both protocol eras, without sessions. `?networks=` limits the networks
 * that it offers to be paid on (CAIP-2, separated by commas).
 */
export async function serveSellerHttp(seller: Seller): Promise<HttpService> {
  const handlers = new Map<string, ReturnType<typeof createMcpHandler>>();
  const handlerFor = (networks: readonly SandboxNetwork[]) => {
    const key = networks.join();
    const known = handlers.get(key) ?? createMcpHandler(() => seller.server({ http: true, networks }));
    handlers.set(key, known);
    return known;
  };
  const service = await serveHttp(async (request, response) => {
    // A page in a browser could reach 127.0.0.1 under a name of its own (DNS rebinding).
    const host = validateHostHeader(request.headers.host, localhostAllowedHostnames());
    if (!host.ok) throw new BursarError('FORBIDDEN', host.message);
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname !== '/mcp') throw new BursarError('NOT_FOUND', 'The MCP server is at /mcp.');
    const networks = networksOf(url);
    const body = request.method === 'POST' ? await readBody(request) : undefined;
    if (body !== undefined && (await sellBeforeMcp(seller, networks, body, request, response))) return;
    await sendResponse(await handlerFor(networks).fetch(toRequest(request, response, body)), response);
  });
  return {
    ...service,
    close: async () => {
      for (const handler of handlers.values()) await handler.close();
      await service.close();
    },
  };
}

/** The networks that an address asks for; all where it asks for none. */
export function networksOf({ searchParams }: URL): readonly SandboxNetwork[] {
  const asked = (searchParams.get('networks') ?? '').split(',');
  const kept = [EVM_NETWORK, SOLANA_NETWORK].filter((network) => asked.includes(network)) as SandboxNetwork[];
  return kept.length > 0 ? kept : [EVM_NETWORK, SOLANA_NETWORK];
}

/** Tools that are sold by HTTP status, or by an error code that the SDK would rewrite, stand in front of the MCP server. */
async function sellBeforeMcp(seller: Seller, networks: readonly SandboxNetwork[], body: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const item = CATALOGUE.find(({ tool, sale }) => sale?.inFront && body.includes(tool.name));
  const message = item && callSchema.safeParse(parsed(body));
  if (!item || !message?.success || message.data.params.name !== item.tool.name) return false;
  const { id, params } = message.data;
  const reply = await seller.call(item, { args: params.arguments ?? {}, meta: params._meta ?? {}, headers: headersOf(request) }, networks);
  if (reply.kind === 'http') sendJson(response, reply.status, reply.body, reply.headers);
  else if (reply.kind === 'result') sendJson(response, 200, { jsonrpc: '2.0', id, result: reply.result }, reply.headers);
  else sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: reply.code, message: reply.message, data: reply.data } });
  return true;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // the MCP server tells what is wrong with it
  }
}

/** A request's headers as sales look at them: of a repeated one, the first. */
export const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
