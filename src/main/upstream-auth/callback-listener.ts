import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BursarError } from '../../shared/errors/errors.ts';
import { plainPage } from '../web/plain-page.ts';

const PATH = '/callback';
const HOST = '127.0.0.1';

/** What came back to this machine in the owner's browser. */
export interface Callback {
  readonly params: URLSearchParams;
  /** Shows the browser how it ended. */
  answer(done: boolean): void;
}

export interface CallbackListener {
  /** Where the authorization server sends the browser. */
  readonly redirectUrl: string;
  /** The first answer that carries this flow's `state`; one that does not is refused and waited past. Rejects once closed. */
  readonly callback: Promise<Callback>;
  close(): void;
}

const DONE = plainPage('You are signed in', 'Bursar has what it needs. You can close this window.');
const FAILED = plainPage('You are not signed in', 'Bursar shows why, on its Connect page and in the terminal. You can close this window.');
const STRANGE = plainPage('This does not belong to a sign-in', 'No sign-in that is under way has sent this browser here. Nothing was changed.');

/**
 * Listens on this machine for the end of one sign-in (RFC 8252 section 7.3), before its browser opens. Port 0 takes a free one.
 * Throws `PORT_IN_USE`.
 */
export async function listenForCallback({ state, port = 0 }: { readonly state: string; readonly port?: number }): Promise<CallbackListener> {
  const { promise: callback, resolve, reject } = Promise.withResolvers<Callback>();
  // Whoever awaits it may come later, or never.
  callback.catch(() => undefined);
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000 }, (request, response) => {
    const params = paramsOf(request, addressOf());
    if (!params || !isSame(params.get('state') ?? '', state)) return show(response, 400, STRANGE);
    resolve({ params, answer: (done) => show(response, done ? 200 : 400, done ? DONE : FAILED) });
  });
  const addressOf = (): string => `${HOST}:${(server.address() as AddressInfo | null)?.port ?? 0}`;
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new BursarError('PORT_IN_USE', `Port ${port}, which the sign-in was registered for, cannot be had.`, { hint: 'Stop the program that has it, then sign in again.', cause: error });
  }
  return {
    redirectUrl: `http://${addressOf()}${PATH}`,
    callback,
    close() {
      reject(new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The sign-in was given up.'));
      server.close();
      // An answer that is being written goes out first.
      setTimeout(() => server.closeAllConnections(), 1_000).unref();
    },
  };
}

/** The Host is checked, so that no page of another site reaches this listener under a name of its own. */
function paramsOf({ method, url = '', headers }: IncomingMessage, address: string): URLSearchParams | undefined {
  if (method !== 'GET' || headers.host !== address || !URL.canParse(url, `http://${address}`)) return undefined;
  const { pathname, searchParams } = new URL(url, `http://${address}`);
  return pathname === PATH ? searchParams : undefined;
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function show(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(page);
}
