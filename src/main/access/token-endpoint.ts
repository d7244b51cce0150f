import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../core/ports.ts';
import { isScope, scopeText, sortScopes, type Scope } from '../../shared/access/scopes.ts';
import type { ClientStore } from '../adapters/store/clients.ts';
import { hashToken } from '../bridge/http-gate.ts';
import { TOKEN_LIFETIME_MS, type AccessTokens } from './access-tokens.ts';
import { createAttempts } from './attempts.ts';
import { BASIC_CHALLENGE, readTokenRequest, TokenRefusal } from './token-request.ts';

const MAX_BODY_BYTES = 8_192;

/** Compared with where there is no client of that id, so that its absence takes as long. */
const NOBODY = hashToken('nobody');

export interface TokenEndpointOptions {
  readonly clients: Pick<ClientStore, 'oauthClient'>;
  readonly tokens: AccessTokens;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Answers `POST /oauth/token`: the client credentials grant (RFC 6749, section 4.4). A token never has a scope that its client lacks: what is asked for
 * beyond is left out, and the answer says what was given (section 3.3). `issuer` is the origin that was asked.
 */
export function createTokenEndpoint({ clients, tokens, clock }: TokenEndpointOptions): (request: IncomingMessage, response: ServerResponse, issuer: string) => Promise<void> {
  const attempts = createAttempts({ clock });

  const grant = (headers: IncomingMessage['headers'], query: string, body: string, issuer: string): Readonly<Record<string, unknown>> => {
    const asked = readTokenRequest(headers, query, body);
    const found = clients.oauthClient(asked.clientId);
    const key = found?.client.id;
    const waitMs = attempts.begin(key);
    if (waitMs > 0) throw new TokenRefusal('temporarily_unavailable', 'There were too many attempts.', { status: 429, headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } });
    const isRight = timingSafeEqual(found?.sha256 ?? NOBODY, hashToken(asked.clientSecret));
    if (!isRight || found === undefined) {
      attempts.failed(key);
      throw new TokenRefusal('invalid_client', 'The client is not known, or its secret is wrong.', { status: 401, headers: BASIC_CHALLENGE });
    }
    const { client } = found;
    const scopes = grantedOf(asked.scope, client.scopes);
    const audience = asked.resource === undefined ? undefined : audienceOf(asked.resource, issuer);
    const token = tokens.issue({ client: client.name, scopes, ...(audience !== undefined && { audience }) });
    return { access_token: token, token_type: 'Bearer', expires_in: TOKEN_LIFETIME_MS / 1000, scope: scopeText(scopes) };
  };

  return async (request, response, issuer) => {
    const answer = (status: number, value: object, headers: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' }).end(JSON.stringify(value));
    };
    try {
      if (request.method !== 'POST') throw new TokenRefusal('invalid_request', 'Tokens are asked for by POST.', { status: 405, headers: { allow: 'POST' } });
      const body = await readBody(request);
      if (body === undefined) throw new TokenRefusal('invalid_request', 'The request is too long.', { status: 413, headers: { connection: 'close' } });
      answer(200, grant(request.headers, (request.url ?? '').split('?', 2)[1] ?? '', body, issuer));
    } catch (error) {
      if (response.destroyed) return; // whoever asked has gone
      if (!(error instanceof TokenRefusal)) throw error;
      request.resume();
      answer(error.status, { error: error.error, error_description: error.message }, error.headers);
    }
  };
}

/** What a client is given of what it asks for: all that it has where it asks for nothing. Throws {@link TokenRefusal}. */
function grantedOf(asked: readonly string[], has: readonly Scope[]): readonly Scope[] {
  if (!asked.every(isScope)) throw new TokenRefusal('invalid_scope', 'There is no such scope.');
  const scopes = asked.length === 0 ? has : sortScopes(has.filter((scope) => asked.includes(scope)));
  if (scopes.length === 0) throw new TokenRefusal('invalid_scope', 'The client has none of these scopes.');
  return scopes;
}

/** The path of a resource of this server. Throws {@link TokenRefusal}. */
function audienceOf(resource: string, issuer: string): string {
  const url = URL.canParse(resource) ? new URL(resource) : undefined;
  const path = url?.pathname.replace(/\/$/, '') ?? '';
  // A client that asks for the whole server means all of its addresses.
  const isOurs = url !== undefined && url.origin === issuer && url.search === '' && url.hash === '' && (path === '' || path === '/mcp' || path.startsWith('/mcp/'));
  if (!isOurs) throw new TokenRefusal('invalid_target', 'The resource is not one of this server.');
  return path === '' ? '/mcp' : path;
}

/** The body, or `undefined` once it is longer than any that is meant. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  // Left whole on an early return, so that the refusal can still be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
