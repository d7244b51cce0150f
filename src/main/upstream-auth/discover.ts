import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  resourceUrlFromServerUrl,
  type AuthorizationServerMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
} from '@modelcontextprotocol/client';
import { BursarError } from '../../shared/errors/errors.ts';

/** What a refusal says of the authorization that it wants (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  readonly error?: string;
}

/** Who grants access to a server, and to what. */
export interface Discovered {
  readonly authorizationServer: string;
  readonly issuer: string;
  /** Absent where the server publishes none: its endpoints are then those of MCP 2025-03-26. */
  readonly metadata?: AuthorizationServerMetadata;
  /** Resource indicator as the server writes it; empty where it names none. */
  readonly resource: string;
  readonly scopes: string;
}

const MAX_SCOPE = 4_000;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+(?: +[\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** Reads `www-authenticate`; undefined where none of its values asks for a bearer token. */
export function readChallenge(challenges: readonly string[]): Challenge | undefined {
  const value = challenges.find((text) => /^\s*bearer\b/i.test(text));
  if (value === undefined) return undefined;
  let answer: Response;
  try {
    answer = new Response(null, { headers: { 'www-authenticate': value.trim() } });
  } catch {
    // What is no header value says nothing.
    return {};
  }
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(answer);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && scope.length <= MAX_SCOPE && SCOPE.test(scope) && { scope }), ...(error !== undefined && { error }) };
}

/**
 * Finds the authorization server of an MCP server: protected resource metadata (RFC 9728), then authorization server metadata (RFC 8414, OpenID
 * Connect Discovery); without the former it is the server's own origin (MCP 2025-03-26). `issuer` is the only one that will do, where one is given.
 * Throws what the fetch throws, the SDK's errors, and `UPSTREAM_SIGN_IN_FAILED`.
 */
export async function discover({ server, challenge, issuer: wanted, fetch }: { readonly server: URL; readonly challenge: Challenge | undefined; readonly issuer?: string; readonly fetch: FetchLike }): Promise<Discovered> {
  const described = await protectedResource(server, challenge, fetch);
  if (described && !checkResourceAllowed({ requestedResource: resourceUrlFromServerUrl(server), configuredResource: described.resource })) {
    throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The server describes itself as another server, so a token for it would be one for that other.', { context: { host: server.host } });
  }
  const named = described?.authorization_servers ?? [];
  const authorizationServer = named.find((one) => wanted !== undefined && isSameIssuer(one, wanted)) ?? named[0] ?? new URL('/', server).href;
  const metadata = await serverMetadata(authorizationServer, fetch);
  const issuer = metadata?.issuer ?? authorizationServer;
  if (wanted !== undefined && !isSameIssuer(issuer, wanted)) {
    throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The server names another issuer than the one that its client id was set for. Nothing was sent to it.', { context: { host: server.host } });
  }
  return { authorizationServer, issuer, ...(metadata && { metadata }), resource: described?.resource ?? '', scopes: described?.scopes_supported?.join(' ') ?? '' };
}

/** Metadata of an authorization server, whose issuer is the one that it was asked for (RFC 8414 section 3.3). */
export const serverMetadata = (authorizationServer: string, fetch: FetchLike): Promise<AuthorizationServerMetadata | undefined> => discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: fetch });

async function protectedResource(server: URL, challenge: Challenge | undefined, fetch: FetchLike): Promise<OAuthProtectedResourceMetadata | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(server, challenge?.resourceMetadataUrl ? { resourceMetadataUrl: challenge.resourceMetadataUrl } : {}, fetch);
  } catch (error) {
    // What may not be asked, did not answer or was too long is told; a server without such metadata is of an older kind.
    if (error instanceof BursarError) throw error;
    return undefined;
  }
}

/** Issuers are compared as texts; a single slash at the end makes no other server. */
export const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '');
