import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { urlToHttpOptions } from 'node:url';
import { gatherBytes } from '../gather.ts';

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
  /** Belongs to the request from here on: its length is added. */
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly agents: HttpAgents;
  /** Bounds the connection only: the answer may take as long as a person needs. */
  readonly connectMs: number;
  readonly signal: AbortSignal;
  /** Holds the request while it runs, for a caller that ends many at once. The signal is then only asked at the beginning. */
  readonly running?: Pick<Set<http.ClientRequest>, 'delete'> & { add(request: http.ClientRequest): void };
}

const targets = new WeakMap<URL, http.RequestOptions>();

/** Every message of a session goes to the same address, and taking one apart costs as much as the rest of a request. */
function targetOf(url: URL): http.RequestOptions {
  const known = targets.get(url) ?? urlToHttpOptions(url);
  targets.set(url, known);
  return known;
}

/** Sends one request and resolves with the answer's head. Redirects are not followed. */
export function sendHttp({ method, url, headers, body, agents, connectMs, signal, running }: HttpRequest): Promise<http.IncomingMessage> {
  const secure = url.protocol === 'https:';
  const payload = body === undefined ? undefined : payloadOf(body);
  if (payload !== undefined) headers['content-length'] = String(Buffer.byteLength(payload));
  const options = { ...targetOf(url), method, headers, agent: secure ? agents.https : agents.http };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let answered = false;
    const request = (secure ? https : http).request(options, (response) => {
      answered = true;
      resolve(response);
    });
    // The option `signal` watches request and answer for their ends, which costs as much again as the request, and a long-lived signal
    // chains its old listeners to each other, so that the garbage collector keeps what they hold.
    if (running === undefined) onAbort(signal, request);
    else running.add(request);
    request.on('close', () => {
      running?.delete(request);
      // A server that wants to speak another protocol (101) is hung up on without an error.
      if (!answered) reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' }));
    });
    request.on('error', reject);
    request.on('socket', (socket) => {
      socket.setNoDelay(true);
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })), connectMs);
      const stop = (): void => clearTimeout(timer);
      socket.once(secure ? 'secureConnect' : 'connect', stop);
      request.once('close', stop);
    });
    request.end(payload);
  });
}

/** So many characters share one string, and one write, with the head. More are cheaper as bytes, because joining copies them twice. */
const SHARED_LENGTH = 8_192;

/** How a text is best given to `end`. */
export const payloadOf = (text: string): string | Buffer => (text.length > SHARED_LENGTH ? Buffer.from(text) : text);

function onAbort(signal: AbortSignal, request: http.ClientRequest): void {
  const abort = (): void => void request.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', abort);
  request.on('close', () => signal.removeEventListener('abort', abort));
}

/** Hands every decoded chunk to `onText`. Resolves at the end; rejects when the connection breaks or `onText` throws. */
export function readText(response: Readable, onText: (chunk: string) => void): Promise<void> {
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
    response.on('close', () => response.readableEnded || reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })));
  });
}

const BYTE_ORDER_MARK = '\ufeff';

/** The whole body without a byte order mark, or `undefined` once it is longer than `maxBytes`; the rest is not read then. Rejects when the connection breaks. */
export function readBody(message: Readable, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) return gatherBytes(chunks, chunk);
      // Left whole, so that whoever sent it can still be answered.
      message.off('data', onData).pause();
      resolve(undefined);
    };
    message.on('data', onData);
    message.on('end', () => {
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
      resolve(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    });
    message.on('error', reject);
    message.on('close', () => message.readableEnded || reject(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' })));
  });
}
