import type { FetchLike } from '@modelcontextprotocol/client';
import { readChallenge, type Challenge } from './discover.ts';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/**
 * What a server says to a request without a token: a `ping`, which does nothing where none is needed. Undefined where it says nothing of tokens;
 * then its well-known addresses are all there is.
 */
export async function probeChallenge(server: URL, fetch: FetchLike): Promise<Challenge | undefined> {
  try {
    const response = await fetch(server, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: PING });
    const value = response.headers.get('www-authenticate');
    return response.status === 401 && value !== null ? readChallenge([value]) : undefined;
  } catch {
    // A server that cannot be reached is told of by the discovery that follows.
    return undefined;
  }
}
