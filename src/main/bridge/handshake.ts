import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a connection is for. `mcp` then carries MCP lines; `control` the contract of the command line, `approvals` that part of it which answers payments. */
export type Hello =
  | {
      readonly role: 'mcp';
      /** Empty for all servers at once. */
      readonly upstream: string;
      /** What the client calls itself. */
      readonly client: string;
      /** Its bearer token, which proves which registered client it is. Only told to an app that has proved itself. */
      readonly token?: string;
    }
  | { readonly role: 'control' | 'approvals' };

/** Longest line of the handshake. */
export const HANDSHAKE_LINE_BYTES = 4096;
export const HANDSHAKE_MS = 5_000;

const PROTOCOL = 1;

/*
 * client → {"bursar":1,"nonce":C}
 * app    → {"bursar":1,"nonce":S,"proof":HMAC(key, "app"    C S)}
 * client → {"bursar":1,"hello":{"role":…},"proof":HMAC(key, "client" C S hello)}
 * app    → {"bursar":1,"ready":true}
 *
 * Each side proves the shared secret over both nonces before the other tells it anything; the secret is never sent.
 */

export const newNonce = (): string => randomBytes(32).toString('hex');

export const opening = (nonce: string): string => JSON.stringify({ bursar: PROTOCOL, nonce });
export const challengeAnswer = (key: Buffer, clientNonce: string, nonce: string): string =>
  JSON.stringify({ bursar: PROTOCOL, nonce, proof: proofOf(key, 'app', clientNonce, nonce, '') });
export const introduction = (key: Buffer, clientNonce: string, appNonce: string, hello: Hello): string =>
  JSON.stringify({ bursar: PROTOCOL, hello, proof: proofOf(key, 'client', clientNonce, appNonce, canonical(hello)) });
export const READY = JSON.stringify({ bursar: PROTOCOL, ready: true });

/** The client's nonce, or `undefined` where the line is none of ours. */
export function readOpening(line: string): string | undefined {
  return nonceOf(parse(line));
}

/** The app's nonce if it knows the secret, else `undefined`. */
export function verifyApp(line: string, key: Buffer, clientNonce: string): string | undefined {
  const message = parse(line);
  const nonce = nonceOf(message);
  if (nonce === undefined || nonce === clientNonce) return undefined;
  return matches(message?.['proof'], proofOf(key, 'app', clientNonce, nonce, '')) ? nonce : undefined;
}

/** What the client wants, if it knows the secret and says it in our form, else `undefined`. */
export function verifyClient(line: string, key: Buffer, clientNonce: string, appNonce: string): Hello | undefined {
  const message = parse(line);
  const hello = helloOf(message?.['hello']);
  if (hello === undefined) return undefined;
  return matches(message?.['proof'], proofOf(key, 'client', clientNonce, appNonce, canonical(hello))) ? hello : undefined;
}

const canonical = (hello: Hello): string => JSON.stringify(hello.role === 'mcp' ? ['mcp', hello.upstream, hello.client, ...(hello.token === undefined ? [] : [hello.token])] : [hello.role]);

function proofOf(key: Buffer, side: 'app' | 'client', clientNonce: string, appNonce: string, said: string): string {
  return createHmac('sha256', key).update(JSON.stringify(['bursar/1', side, clientNonce, appNonce, said])).digest('hex');
}

function matches(given: unknown, expected: string): boolean {
  if (typeof given !== 'string') return false;
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const message = value as Record<string, unknown>;
    return message['bursar'] === PROTOCOL ? message : undefined;
  } catch {
    return undefined;
  }
}

function nonceOf(message: Record<string, unknown> | undefined): string | undefined {
  const nonce = message?.['nonce'];
  return typeof nonce === 'string' && /^[\da-f]{64}$/.test(nonce) ? nonce : undefined;
}

function helloOf(value: unknown): Hello | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { role, upstream, client, token } = value as Record<string, unknown>;
  if (role === 'control' || role === 'approvals') return { role };
  if (role !== 'mcp' || typeof upstream !== 'string' || typeof client !== 'string') return undefined;
  return { role, upstream, client, ...(typeof token === 'string' && { token }) };
}
