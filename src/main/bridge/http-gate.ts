import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A registered client's bearer token, as it is stored. */
export interface ClientToken {
  readonly client: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly sha256: Uint8Array;
}

/** SHA-256 of a token, the only form in which tokens are kept. */
export const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest();

const indexes = new WeakMap<readonly ClientToken[], ReadonlyMap<string, string>>();

function indexOf(tokens: readonly ClientToken[]): ReadonlyMap<string, string> {
  const index = indexes.get(tokens) ?? new Map(tokens.map(({ client, sha256 }) => [digits(sha256), client]));
  indexes.set(tokens, index);
  return index;
}

const digits = (hash: Uint8Array): string => Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1');

/**
 * The client whose token this is. Looked up by its hash, which leaks nothing through time: a guess cannot steer its own hash.
 *
 * @param tokens The same array for as long as nothing changes: it is indexed once.
 */
export const clientOfToken = (token: string, tokens: readonly ClientToken[]): string | undefined => indexOf(tokens).get(digits(hashToken(token)));

/** What the gate found: the client, or the status with which to refuse. */
export type GateResult = { readonly client: string } | { readonly status: 401 | 403; readonly reason: string };

const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Who may speak to the HTTP endpoint. Host and Origin are compared before the token, against DNS rebinding (MCP,
 * Transports, Security Warning).
 */
export function checkRequest(request: IncomingMessage, tokens: readonly ClientToken[]): GateResult {
  const port = request.socket.localPort;
  const hosts = LOCAL_NAMES.map((name) => `${name}:${port}`);
  const { host, origin, authorization } = request.headers;
  if (host === undefined || !hosts.includes(host.toLowerCase())) return { status: 403, reason: 'The Host header does not name this machine.' };
  if (origin !== undefined && !hosts.some((name) => origin.toLowerCase() === `http://${name}`)) return { status: 403, reason: 'Pages of other origins may not use this address.' };
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return { status: 401, reason: 'A bearer token is required.' };
  const client = clientOfToken(token, tokens);
  return client === undefined ? { status: 401, reason: 'The bearer token is not known.' } : { client };
}
