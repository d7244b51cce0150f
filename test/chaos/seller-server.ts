import { readBody, serveHttp, type HttpService } from '../../src/sandbox/http/http-service.ts';
import type { Reply } from './seller.ts';

/**
 * Serves sellers by path, over Streamable HTTP without sessions at `/mcp/NAME`, and to the stdio child at `/line/NAME`, which passes
 * each line of its standard input on and does what it is told: there 204 means silence and 410 means death.
 */
export function serveSellers(sellers: ReadonlyMap<string, (text: string) => Promise<Reply>>): Promise<HttpService> {
  return serveHttp(async (request, response) => {
    const [, form, name = ''] = (request.url ?? '').split('/');
    const seller = sellers.get(name);
    if (!seller || request.method !== 'POST') return void response.writeHead(405).end();
    const reply = await seller(await readBody(request));
    switch (reply.kind) {
      case 'text':
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(reply.text);
      case 'accepted':
        return void response.writeHead(form === 'mcp' ? 202 : 204).end();
      case 'dies':
        return void (form === 'mcp' ? request.socket.destroy() : response.writeHead(410).end());
      case 'nothing':
        return void (form === 'mcp' ? undefined : response.writeHead(204).end());
    }
  });
}
