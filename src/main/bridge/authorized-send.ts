import type { IncomingMessage } from 'node:http';
import { sendHttp, type HttpAgents, type HttpRequest } from './http-exchange.ts';
import type { Log } from './log.ts';
import type { SendMore, UpstreamAuthorization } from './upstream.ts';

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

export interface SendOptions {
  readonly url: URL;
  /** Headers that the owner configured, names in lower case. */
  readonly configured: Readonly<Record<string, string>>;
  readonly authorization?: UpstreamAuthorization;
  readonly agents: HttpAgents;
  readonly connectMs: number;
  /** Ends what is sent without a signal of its own. */
  readonly closed: AbortSignal;
  /** What is under way without a signal of its own: whoever closes ends it. */
  readonly running: NonNullable<HttpRequest['running']>;
  readonly log: Log;
}

export type Send = (method: 'POST' | 'GET' | 'DELETE', headers: Record<string, string>, body?: string, signal?: AbortSignal, more?: SendMore) => Promise<IncomingMessage>;

/**
 * Sends requests to one server with the token that its keeper gives. A request that is refused for its token is sent once more, where there is
 * another token now; one that carries a payment never is, because what became of the payment is not known (I1), and neither is one that only says goodbye.
 */
export function createSend({ url, configured, authorization, agents, connectMs, closed, running, log }: SendOptions): Send {
  return async (method, headers, body, signal = closed, { to = url, proof = {}, paid = false } = {}) => {
    const sendOnce = (token: string | undefined): Promise<IncomingMessage> =>
      sendHttp({ method, url: to, headers: { ...headers, ...configured, ...(token === undefined ? {} : { authorization: token }), ...proof }, ...(body === undefined ? {} : { body }), agents, connectMs, signal, ...(signal === closed && { running }) });
    if (authorization === undefined) return sendOnce(undefined);
    const given = authorization.header();
    const sent = given instanceof Promise ? await unlessAborted(given, signal) : given;
    const response = await sendOnce(sent);
    const status = response.statusCode ?? 0;
    if (status !== UNAUTHORIZED && status !== FORBIDDEN) return response;
    const verdict = authorization.refused({ status, challenges: response.headersDistinct['www-authenticate'] ?? [], sent });
    if (paid || method === 'DELETE') {
      verdict.catch((error: unknown) => log.debug('no new token for the next call', { host: url.host, reason: error instanceof Error ? error.message : String(error) }));
      return response;
    }
    try {
      if (!(await unlessAborted(verdict, signal))) return response;
    } catch (error) {
      response.resume();
      throw error;
    }
    response.resume();
    return sendOnce(await authorization.header());
  };
}

/** The end of a session waits for no authorization server. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
