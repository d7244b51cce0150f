import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { gatherBytes } from '../../gather.ts';

const MAX_ANSWER_BYTES = 16 << 20;

/** Sends one JSON text and gives the body of a 200 answer. Throws an Error that names neither address nor body. */
export type Post = (body: string, signal: AbortSignal) => Promise<string>;

/**
 * A POST over kept-open connections: `fetch` closes an idle one after four seconds, and the handshake would then stand in the way of
 * the next payment. `close` ends the idle ones.
 */
export function createPost(address: string): { readonly post: Post; close(): void } {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  const agent = secure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const open = (options: RequestOptions): ClientRequest => (secure ? httpsRequest : httpRequest)(url, { ...options, agent });

  const once = (body: string, signal: AbortSignal): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = open({ method: 'POST', headers, signal });
      const fail = (why: string, stale = false) => reject(new PostError(ended(signal) ?? why, stale && !signal.aborted));
      request.on('error', (error: NodeJS.ErrnoException) => fail(`cannot be reached (${error.code ?? 'connection failed'})`, request.reusedSocket));
      // A server that wants to speak another protocol (101) is hung up on without an error, and without an answer.
      request.on('close', () => fail('ended the connection without an answer'));
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_ANSWER_BYTES) request.destroy();
          gatherBytes(chunks, chunk);
        });
        response.on('error', () => fail('broke off its answer'));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
          else fail(`answered HTTP ${response.statusCode}`);
        });
      });
      request.end(body);
    });

  return {
    async post(body, signal) {
      try {
        return await once(body, signal);
      } catch (error) {
        // The server closed an idle connection at the moment it was used again; asking is harmless, so ask once more.
        if (error instanceof PostError && error.stale) return once(body, signal);
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

class PostError extends Error {
  /** True where a kept-open connection turned out to be closed. */
  readonly stale: boolean;
  constructor(message: string, stale: boolean) {
    super(message);
    this.stale = stale;
  }
}

const ended = ({ aborted, reason }: AbortSignal): string | undefined => {
  if (!aborted) return undefined;
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'did not answer in time' : 'was asked no further';
};
