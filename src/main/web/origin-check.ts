import type { IncomingHttpHeaders } from 'node:http';

/** By which of its names the server was asked. */
export type AskedAs = 'localhost' | 'loopback-address';

/**
 * Reads the Host header. Undefined means another name, as after DNS rebinding: such a request gets nothing.
 * Pages are served under `localhost` alone, because a passkey needs a name and a cookie one origin.
 */
export function askedAs({ host }: IncomingHttpHeaders, port: number): AskedAs | undefined {
  if (host === `localhost:${port}`) return 'localhost';
  if (host === `127.0.0.1:${port}`) return 'loopback-address';
  return undefined;
}

/** True for a WebSocket that a page of ours opens: browsers set Origin themselves, and no page can change it. */
export const isOwnOrigin = ({ origin }: IncomingHttpHeaders, port: number): boolean => origin === `http://localhost:${port}`;

/**
 * Name of the session cookie. Cookies do not keep the ports of a host apart, so the port is part of it: two homes on one
 * machine do not end each other's sessions.
 */
export const cookieName = (port: number): string => `bursar-${port}`;

/** The value of the request's session cookie. */
export function sessionSecret({ cookie }: IncomingHttpHeaders, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  return cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length);
}

/** The page's key, offered beside the WebSocket's own protocol (RFC 6455, section 1.9): the one header of an upgrade that a script can choose. */
export const offeredKey = (headers: IncomingHttpHeaders): string | undefined =>
  headers['sec-websocket-protocol']
    ?.split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(KEY_PROTOCOL))
    ?.slice(KEY_PROTOCOL.length);

const KEY_PROTOCOL = 'key.';
