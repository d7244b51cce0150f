import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An MCP server over HTTP that wants a token, and says so as RFC 9728 and RFC 6750 do. */
export interface ProtectedServer {
  readonly url: string;
  readonly origin: string;
  /** Requests that it let in and refused, with what they carried. */
  readonly served: { readonly method: string; readonly authorization: string | undefined; readonly headers: IncomingMessage['headers'] }[];
  readonly refused: { readonly status: number; readonly authorization: string | undefined }[];
  /** The document at its well-known address. */
  metadata: Record<string, unknown>;
  /** Answers before anything else does; true where it was answered. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Scopes that a call of the tool `wide` needs. */
  wideScope: string;
  close(): Promise<void>;
}

export interface ProtectedServerOptions {
  readonly issuer: () => string;
  /** Scopes of a token; undefined for one that counts for nothing. */
  readonly scopeOf: (token: string) => Promise<string | undefined>;
  readonly scopes: readonly string[];
}

export async function startProtectedServer({ issuer, scopeOf, scopes }: ProtectedServerOptions): Promise<ProtectedServer> {
  const http = createServer((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const self: ProtectedServer = {
    url,
    origin,
    served: [],
    refused: [],
    metadata: { resource: url, authorization_servers: [issuer()], scopes_supported: scopes },
    intercept: undefined,
    wideScope: 'wide',
    async close() {
      http.close();
      http.closeAllConnections();
    },
  };
  const refuse = (response: ServerResponse, status: number, authorization: string | undefined, more: string): void => {
    self.refused.push({ status, authorization });
    response.writeHead(status, { 'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"${more}`, 'content-type': 'application/json' }).end('{"error":"no"}');
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (self.intercept?.(request, response)) return;
    if (request.url === '/.well-known/oauth-protected-resource/mcp') return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(self.metadata));
    let text = '';
    for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const { authorization } = request.headers;
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
    const scope = token === undefined ? undefined : await scopeOf(token);
    if (scope === undefined) return refuse(response, 401, authorization, token === undefined ? '' : ', error="invalid_token"');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(text) as { id?: unknown; method: string; params?: { name?: string; protocolVersion?: string } };
    const tool = message.params?.name;
    if (tool === 'wide' && !scope.split(' ').includes(self.wideScope)) return refuse(response, 403, authorization, `, error="insufficient_scope", scope="${self.wideScope}"`);
    self.served.push({ method: message.method, authorization, headers: request.headers });
    if (message.id === undefined) return void response.writeHead(202).end();
    const result =
      message.method === 'initialize'
        ? { protocolVersion: message.params?.protocolVersion ?? '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'protected', version: '1' } }
        : message.method === 'tools/list'
          ? { tools: [{ name: 'narrow', inputSchema: { type: 'object' } }, { name: 'wide', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: `${tool} with ${scope}` }] };
    const session = message.method === 'initialize' ? { 'mcp-session-id': 'one' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...session }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  };
  return self;
}
