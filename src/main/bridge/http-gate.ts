import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LEAST_SCOPE, type Scope } from '../../shared/access/scopes.ts';

/** A bearer token that is valid now, as it is kept. */
export interface ClientToken {
  readonly client: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly sha256: Uint8Array;
  /** What the token is limited to; without it, it may do whatever its client may. */
  readonly scopes?: readonly Scope[];
  /** The path that it was issued for, with everything below it (RFC 8707); without it, every path. */
  readonly audience?: string;
}

/** Who speaks: a client, and what the token that it came with is limited to. */
export interface ClientCaller {
  readonly client: string;
  readonly scopes?: readonly Scope[];
}

/** Sessions belong to one client, and to tokens that may do the same. */
export const isSameCaller = (one: ClientCaller, other: ClientCaller): boolean => one.client === other.client && one.scopes?.join(' ') === other.scopes?.join(' ');

/** SHA-256 of a token, the only form in which tokens are kept. */
export const hashToken = (token: string): Uint8Array => createHash('sha256').update(token).digest();

const indexes = new WeakMap<readonly ClientToken[], ReadonlyMap<string, ClientToken>>();

function indexOf(tokens: readonly ClientToken[]): ReadonlyMap<string, ClientToken> {
  const index = indexes.get(tokens) ?? new Map(tokens.map((token) => [digits(token.sha256), token]));
  indexes.set(tokens, index);
  return index;
}

const digits = (hash: Uint8Array): string => Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1');

/**
 * The entry of this token. Looked up by its hash, which leaks nothing through time, because a guess cannot steer its own hash; what is found is
 * compared in constant time all the same.
 *
 * @param tokens The same array for as long as nothing changes: it is indexed once.
 */
function findToken(token: string, tokens: readonly ClientToken[]): ClientToken | undefined {
  const hash = hashToken(token);
  const found = indexOf(tokens).get(digits(hash));
  return found !== undefined && found.sha256.length === hash.length && timingSafeEqual(found.sha256, hash) ? found : undefined;
}

/** Why a request is refused: the HTTP status, a sentence, and the error code of RFC 6750, section 3.1, where there is one. */
export interface GateRefusal {
  readonly status: 400 | 401 | 403;
  readonly reason: string;
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
}

type GateResult = ClientCaller | GateRefusal;

const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

const ownHosts = (port: number | undefined): readonly string[] => LOCAL_NAMES.map((name) => `${name}:${port}`);

/** Whether the Host header of a request is a name of this machine, with the port that it came to. */
export const namesThisMachine = ({ socket, headers: { host } }: IncomingMessage): boolean => host !== undefined && ownHosts(socket.localPort).includes(host.toLowerCase());

/**
 * Whether a request names this machine, and comes from no page of another origin: against DNS rebinding (MCP, Transports, Security
 * Warning) and against what a page may send without asking.
 */
export function checkOrigin(request: IncomingMessage): GateRefusal | undefined {
  const { socket, headers: { origin } } = request;
  if (!namesThisMachine(request)) return { status: 403, reason: 'The Host header does not name this machine.' };
  if (origin !== undefined && !ownHosts(socket.localPort).some((name) => origin.toLowerCase() === `http://${name}`)) return { status: 403, reason: 'Pages of other origins may not use this address.' };
  return undefined;
}

/**
 * Who may speak to the HTTP endpoint. Host and Origin are compared before the token. A token in
 * the address is refused whatever it is: addresses are logged and remembered (RFC 6750, section 2.3).
 */
export function checkRequest(request: IncomingMessage, tokens: readonly ClientToken[]): GateResult {
  const foreign = checkOrigin(request);
  if (foreign) return foreign;
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (new URLSearchParams(query).has('access_token')) return { status: 400, reason: 'A token belongs into the Authorization header and never into the address.', error: 'invalid_request' };
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return { status: 401, reason: 'A bearer token is required.' };
  return callerOf(token, path, tokens);
}

/** Who brings this token to the route of that path, with everything that the token is limited to; whichever way it came. */
export function callerOf(token: string, path: string, tokens: readonly ClientToken[]): GateResult {
  const found = findToken(token, tokens);
  if (found === undefined || !isFor(found, path)) return { status: 401, reason: 'The bearer token is not known.', error: 'invalid_token' };
  const { client, scopes } = found;
  if (scopes && !scopes.includes(LEAST_SCOPE)) return { status: 403, reason: `The token lacks the scope ${LEAST_SCOPE}.`, error: 'insufficient_scope' };
  return { client, ...(scopes && { scopes }) };
}

const isFor = ({ audience }: ClientToken, path: string): boolean => audience === undefined || path === audience || path.startsWith(`${audience}/`);

/** The `WWW-Authenticate` header of a refusal (RFC 6750, section 3, and RFC 9728, section 5.1). `resource` is the path of what was asked for. */
export function bearerChallenge({ error }: GateRefusal, { headers: { host } }: IncomingMessage, resource: string): string {
  const parameters = {
    ...(error && { error }),
    ...(error === 'insufficient_scope' && { scope: LEAST_SCOPE }),
    resource_metadata: `http://${host ?? ''}/.well-known/oauth-protected-resource${resource}`,
  };
  return `Bearer ${Object.entries(parameters).map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
