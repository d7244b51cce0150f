import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toErrorInfo, BursarError } from '../../shared/errors/errors.ts';

declare global {
  // In every Node that Bursar runs on, not yet in TypeScript's library.
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A listening HTTP server on 127.0.0.1. */
export interface HttpService {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  readonly server: Server;
  /** Stops listening and cuts open connections. */
  close(): Promise<void>;
}

/** Answers one request, or throws before it has begun to answer. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves `handler` on a free port of 127.0.0.1. What the handler throws is answered as JSON `{error}`. `toPages` lets pages of other origins ask (CORS), as public
 * facilitators and RPC servers do.
 */
export async function serveHttp(handler: HttpHandler, { toPages = false }: { readonly toPages?: boolean } = {}): Promise<HttpService> {
  const server = createServer((request, response) => {
    if (toPages) {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', 'content-type');
      if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    }
    handler(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, statusOf(error), { error: toErrorInfo(error) });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new BursarError('INTERNAL', 'The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function statusOf(error: unknown): number {
  if (!(error instanceof BursarError)) return 500;
  const statuses: Partial<Record<typeof error.code, number>> = {
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    NOT_FOUND: 404,
    MESSAGE_TOO_LARGE: 413,
    INTERNAL: 500,
  };
  return statuses[error.code] ?? 400;
}

/** Reads the whole body. Throws `MESSAGE_TOO_LARGE` above 4 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new BursarError('MESSAGE_TOO_LARGE', `The request is larger than ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads the body as JSON. Throws `JSON_INVALID`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BursarError('JSON_INVALID', 'The body of the request is not JSON.', { cause });
  }
}

/** Answers with JSON. A bigint is written as a bare integer of full precision, as Solana's JSON-RPC does. */
export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(stringifyExact(value));
}

/** `JSON.stringify` that writes a bigint as a bare integer. */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item));
