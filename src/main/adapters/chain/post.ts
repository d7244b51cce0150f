import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

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

  const send = (body: string, signal: AbortSignal, mayRetry: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const request = open({ method: 'POST', headers, signal });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection at the moment it was used again; asking is harmless, so ask once more.
        if (mayRetry && request.reusedSocket && !signal.aborted) send(body, signal, false).then(resolve, reject);
        else reject(new Error(ended(signal) ?? `cannot be reached (${error.code ?? 'connection failed'})`));
      });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          length += chunk.length;
          if (length > MAX_ANSWER_BYTES) request.destroy(new Error('too long'));
          chunks.push(chunk);
        });
        response.on('error', () => reject(new Error(ended(signal) ?? 'broke off its answer')));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
          else reject(new Error(`answered HTTP ${response.statusCode}`));
        });
      });
      request.end(body);
    });

  return { post: (body, signal) => send(body, signal, true), close: () => agent.destroy() };
}

const ended = ({ aborted, reason }: AbortSignal): string | undefined => {
  if (!aborted) return undefined;
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'did not answer in time' : 'was asked no further';
};
