import { selectClientAuthMethod, type FetchLike } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { serverMetadata } from './discover.ts';
import type { Grant } from './grant.ts';

/** What the SDK's type of OpenID metadata leaves out. */
const Revocation = z.looseObject({ revocation_endpoint: z.url().optional(), revocation_endpoint_auth_methods_supported: z.array(z.string()).optional() });

/** Tells the authorization server that a grant is not wanted any more (RFC 7009), where it takes that. Throws what the fetch and the SDK throw. */
export async function revoke({ authorizationServer, client, accessToken, refreshToken }: Grant, fetch: FetchLike): Promise<void> {
  const metadata = await serverMetadata(authorizationServer, fetch);
  const { revocation_endpoint: endpoint, revocation_endpoint_auth_methods_supported: methods } = Revocation.parse(metadata ?? {});
  if (endpoint === undefined) return;
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  const method = selectClientAuthMethod(client, methods ?? metadata?.token_endpoint_auth_methods_supported ?? []);
  const proof = new URLSearchParams();
  if (method === 'client_secret_basic') headers.set('authorization', `Basic ${Buffer.from(`${client.client_id}:${client.client_secret ?? ''}`).toString('base64')}`);
  else proof.set('client_id', client.client_id);
  if (method === 'client_secret_post') proof.set('client_secret', client.client_secret ?? '');
  for (const [token, hint] of [[refreshToken, 'refresh_token'], [accessToken, 'access_token']] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ ...Object.fromEntries(proof), token, token_type_hint: hint });
    await fetch(endpoint, { method: 'POST', headers, body });
  }
}
