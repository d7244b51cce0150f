import { createMcpHandler, localhostAllowedHostnames, validateHostHeader, type McpServer } from '@modelcontextprotocol/server';
import { BursarError } from '../../shared/errors/errors.ts';
import { sendResponse, toRequest } from '../http/fetch-adapter.ts';
import { serveHttp, type HttpService } from '../http/http-service.ts';

/** Serves the demo server over Streamable HTTP at `/mcp`, both protocol eras, without sessions. */
export async function serveSellerHttp(seller: () => McpServer): Promise<HttpService> {
  const handler = createMcpHandler(seller);
  const service = await serveHttp(async (request, response) => {
    // A page in a browser could reach 127.0.0.1 under a name of its own (DNS rebinding).
    const host = validateHostHeader(request.headers.host, localhostAllowedHostnames());
    if (!host.ok) throw new BursarError('FORBIDDEN', host.message);
    if (request.url?.split('?')[0] !== '/mcp') throw new BursarError('NOT_FOUND', 'The MCP server is at /mcp.');
    await sendResponse(await handler.fetch(toRequest(request, response)), response);
  });
  return {
    ...service,
    close: async () => {
      await handler.close();
      await service.close();
    },
  };
}
