import { registerClient, type AuthorizationServerMetadata, type FetchLike } from '@modelcontextprotocol/client';
import type { UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { OAuthClient } from './grant.ts';

/** How Bursar is called on the pages of authorization servers. */
const CLIENT_NAME = 'Bursar';
const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export interface ClientRequest {
  readonly auth: Extract<UpstreamAuth, { kind: 'oauth' }> | undefined;
  readonly authorizationServer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  /** `https:` address of Bursar's client id metadata document, where one is published. */
  readonly clientMetadataUrl: string | undefined;
  readonly redirectUrl: string;
  readonly scope: string;
  readonly fetch: FetchLike;
}

/**
 * Who Bursar is at an authorization server: the client that the owner registered there, its metadata document where the server takes such (CIMD), else
 * a client that it registers now (RFC 7591). It registers anew for each sign-in, because servers compare the callback's port although they must not
 * (RFC 8252 section 7.3). Throws `UPSTREAM_SIGN_IN_FAILED`, what the fetch throws, and the SDK's errors.
 */
export async function clientOf({ auth, authorizationServer, metadata, clientMetadataUrl, redirectUrl, scope, fetch }: ClientRequest): Promise<OAuthClient> {
  if (auth?.clientId !== undefined) return { client_id: auth.clientId, ...(auth.clientSecret !== undefined && { client_secret: auth.clientSecret }) };
  if (clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true) return { client_id: clientMetadataUrl, token_endpoint_auth_method: 'none' };
  if (metadata && metadata.registration_endpoint === undefined) {
    throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server of this server registers no clients by itself.', { hint: 'Register a client there, then add the server with: upstream add --oauth --client-id ID' });
  }
  const offered = metadata?.token_endpoint_auth_methods_supported;
  const method = AUTH_METHODS.find((one) => offered?.includes(one)) ?? 'none';
  const registered = await registerClient(authorizationServer, {
    ...(metadata && { metadata }),
    clientMetadata: {
      client_name: CLIENT_NAME,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
      application_type: 'native',
    },
    ...(scope !== '' && { scope }),
    fetchFn: fetch,
  });
  return {
    client_id: registered.client_id,
    ...(registered.client_secret !== undefined && { client_secret: registered.client_secret }),
    token_endpoint_auth_method: registered.token_endpoint_auth_method ?? method,
  };
}
