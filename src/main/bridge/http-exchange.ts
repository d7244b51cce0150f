import http from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';

/** Keep-alive connections, shared by every HTTP upstream of one bridge. */
export interface HttpAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

/** Idle connections are dropped before servers that close theirs after 5 s can do it under a request of ours. */
const IDLE_MS = 4_000;

export function createHttpAgents(): HttpAgents {
  const options = { keepAlive: true, timeout: IDLE_MS };
  return { http: new http.Agent(options), https: new https.Agent(options) };
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly agents: HttpAgents;
  /** Bounds the connection only: the answer may take as long as a person needs. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/** Sends one request and resolves with the answer's head. Redirects are not followed. */
export function sendHttp({ method, url, headers, body, agents, connectMs, signal }: HttpRequest): Promise<http.IncomingMessage> {
  const secure = url.protocol === 'https:';
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method, headers: { ...headers, ...length }, agent: secure ? agents.https : agents.http, signal };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(url, options, resolve);
    request.on('error', reject);
    request.on('socket', (socket) => {
      socket.setNoDelay(true);
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })), connectMs);
      const stop = (): void => clearTimeout(timer);
      socket.once(secure ? 'secureConnect' : 'connect', stop);
      request.once('close', stop);
    });
    request.end(body);
  });
}

/** Hands every decoded chunk to `onText`. Resolves at the end; rejects when the connection breaks or `onText` throws. */
export function readText(response: http.IncomingMessage, onText: (chunk: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      try {
        onText(decoder.write(chunk));
      } catch (error) {
        response.destroy();
        reject(error);
      }
    });
    response.on('end', resolve);
    response.on('error', reject);
    response.on('close', () => reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })));
  });
}

/** The whole body, or `undefined` once it is longer than `maxBytes`; the rest is not read then. */
export async function readBody(response: http.IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
