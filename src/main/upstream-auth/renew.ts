import { ClientCredentialsProvider, fetchToken, PrivateKeyJwtProvider, refreshAuthorization, type FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { discover, isSameIssuer, serverMetadata, type Challenge } from './discover.ts';
import { tokenParts, type Grant } from './grant.ts';
import { requireBearer } from './sign-in.ts';

/**
 * Exchanges the refresh token (OAuth 2.1 section 4.3). The server may have replaced it: what is returned holds the one that counts from now on.
 * Throws the SDK's errors and what the fetch throws.
 */
export async function refresh(grant: Grant & { readonly refreshToken: string }, { fetch, now }: { readonly fetch: FetchLike; readonly now: () => number }): Promise<Grant> {
  const metadata = await serverMetadata(grant.authorizationServer, fetch);
  if (!isSameIssuer(metadata?.issuer ?? grant.authorizationServer, grant.issuer)) throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server has another name now than the one that gave the tokens. Nothing was sent to it.');
  const tokens = await refreshAuthorization(grant.authorizationServer, {
    ...(metadata && { metadata }),
    clientInformation: grant.client,
    refreshToken: grant.refreshToken,
    ...(grant.resource !== '' && { resource: grant.resource }),
    fetchFn: fetch,
  });
  requireBearer(tokens);
  const { issuer, authorizationServer, client, resource } = grant;
  return { issuer, authorizationServer, client, resource, ...tokenParts(tokens, { now: now(), asked: grant.scope }) };
}

type MachineAuth = Extract<UpstreamAuth, { kind: 'client-credentials' }>;

/**
 * Gets a token with the client's own credentials (OAuth 2.1 section 4.2), as `client_secret_basic` or `private_key_jwt` (RFC 7523). They are sent to
 * the issuer that the owner named and to no other. Throws the SDK's errors, what the fetch throws, `UPSTREAM_SIGN_IN_FAILED`.
 */
export async function fetchMachineGrant({ server, auth, challenge, scope: asked, fetch, now }: { readonly server: URL; readonly auth: MachineAuth; readonly challenge: Challenge | undefined; readonly scope: string; readonly fetch: FetchLike; readonly now: () => number }): Promise<Grant> {
  const found = await discover({ server, challenge, issuer: auth.issuer, fetch });
  const scope = auth.scope ?? (asked || challenge?.scope || found.scopes);
  const own = { clientId: auth.clientId, expectedIssuer: found.issuer };
  const provider = auth.privateKey === undefined
    ? new ClientCredentialsProvider({ ...own, clientSecret: auth.clientSecret ?? '' })
    : new PrivateKeyJwtProvider({ ...own, privateKey: auth.privateKey, algorithm: auth.algorithm });
  const tokens = await fetchToken(provider, found.authorizationServer, {
    ...(found.metadata && { metadata: found.metadata }),
    ...(found.resource !== '' && { resource: found.resource }),
    ...(scope !== '' && { scope }),
    fetchFn: fetch,
  });
  requireBearer(tokens);
  return { issuer: found.issuer, authorizationServer: found.authorizationServer, client: { client_id: auth.clientId }, resource: found.resource, ...tokenParts(tokens, { now: now(), asked: scope }) };
}
