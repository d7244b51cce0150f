import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A Node request as a web `Request`; its signal aborts when the client goes away. `read` is its body, where that was read already. */
export function toRequest(request: IncomingMessage, response: ServerResponse, read?: string): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? '']) headers.append(name, item);
  }
  const { method = 'GET' } = request;
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: read ?? (Readable.toWeb(request) as ReadableStream), duplex: 'half' as const };
  return new Request(`http://${request.headers.host}${request.url}`, { method, headers, signal: gone.signal, ...body });
}

/** Writes a web `Response` as it comes, streams included. Ends quietly when the client goes away. */
export async function sendResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return void response.end();
  response.flushHeaders();
  await pipeline(Readable.fromWeb(answer.body), response).catch(() => response.destroy());
}
