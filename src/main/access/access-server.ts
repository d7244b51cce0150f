import type { IncomingMessage, ServerResponse } from 'node:http';
import { SCOPES } from '../../shared/access/scopes.ts';
import { checkOrigin } from '../bridge/http-gate.ts';
import type { createTokenEndpoint } from './token-endpoint.ts';

const TOKEN_PATH = '/oauth/token';
const AUTHORIZE_PATH = '/oauth/authorize';
const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server';
const RESOURCE_METADATA_PATH = /^\/\.well-known\/oauth-protected-resource(\/mcp(?:\/[\w-]+)?)?$/;

/** Answers what stands beside the MCP endpoint so that standard clients find and get tokens; false where there is no such path. */
export type AccessServer = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** True for a path of these. What is not of them, the pages' server answers. */
const isAccessPath = (path: string): boolean => path.startsWith('/.well-known/') || path.startsWith('/oauth/');

/**
 * Protected-resource metadata (RFC 9728) for each address of the MCP endpoint, authorization-server metadata (RFC 8414), and the token
 * endpoint. Every answer goes to whoever names this machine and is no page of another origin; none allows another origin to read it.
 */
export function createAccessServer(tokenEndpoint: ReturnType<typeof createTokenEndpoint>): AccessServer {
  return async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!isAccessPath(path)) return false;
    const foreign = checkOrigin(request);
    if (foreign) {
      request.resume();
      json(response, foreign.status, { error: 'access_denied', error_description: foreign.reason });
      return true;
    }
    // The names of this machine are each an issuer of their own: what a client reads has to name the one that it asked.
    const issuer = `http://${(request.headers.host ?? '').toLowerCase()}`;
    if (path === TOKEN_PATH) {
      await tokenEndpoint(request, response, issuer);
      return true;
    }
    request.resume();
    const document = documentOf(path, issuer);
    if (document === undefined) json(response, path === AUTHORIZE_PATH ? 400 : 404, NO_LOGIN);
    else if (request.method !== 'GET') json(response, 405, { error: 'invalid_request' }, { allow: 'GET' });
    else json(response, 200, document);
    return true;
  };
}

/** There is no login: a client is added by the owner, who hands it its id and secret. */
const NO_LOGIN = { error: 'unsupported_response_type', error_description: 'Clients get tokens at the token endpoint, by client credentials.' };

function documentOf(path: string, issuer: string): object | undefined {
  if (path === SERVER_METADATA_PATH) {
    return {
      issuer,
      token_endpoint: `${issuer}${TOKEN_PATH}`,
      // No grant uses it; MCP clients refuse metadata without it.
      authorization_endpoint: `${issuer}${AUTHORIZE_PATH}`,
      response_types_supported: [],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: SCOPES,
    };
  }
  const [isResource, at = ''] = RESOURCE_METADATA_PATH.exec(path) ?? [];
  if (isResource === undefined) return undefined;
  return { resource: `${issuer}${at}`, authorization_servers: [issuer], scopes_supported: SCOPES, bearer_methods_supported: ['header'], resource_name: 'Bursar' };
}

function json(response: ServerResponse, status: number, value: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(value));
}
