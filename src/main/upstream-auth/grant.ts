import type { OAuthTokens } from '@modelcontextprotocol/client';

/** The client as one authorization server knows it. Its secret, where it has one, is sealed with the tokens. */
export interface OAuthClient {
  readonly client_id: string;
  readonly client_secret?: string;
  /** How it proves itself at the token endpoint, where its registration says so. */
  readonly token_endpoint_auth_method?: string;
}

/** What an authorization server has granted for one resource. Bound to its issuer: no other server is ever sent any of it. */
export interface Grant {
  readonly issuer: string;
  /** Where its metadata is found; the issuer, or what the server named where there is no metadata. */
  readonly authorizationServer: string;
  readonly client: OAuthClient;
  /** Resource indicator (RFC 8707) that the tokens are for; empty where the server names none. */
  readonly resource: string;
  /** Granted scopes, separated by spaces; empty where nothing is known of them. */
  readonly scope: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly issuedAt: number;
  /** Absent where the server does not say (ms). */
  readonly expiresAt?: number;
}

/** So long before its end a token is renewed: at most this, and a tenth of its life (ms). */
const MARGIN_MS = 30_000;

/** What a grant holds of a token answer. `asked` is the scope that was asked for: an answer without one grants just that (RFC 6749 section 5.1). */
export function tokenParts(tokens: OAuthTokens, { now, asked }: { readonly now: number; readonly asked: string }): Pick<Grant, 'scope' | 'accessToken' | 'refreshToken' | 'issuedAt' | 'expiresAt'> {
  return {
    scope: tokens.scope ?? asked,
    accessToken: tokens.access_token,
    issuedAt: now,
    ...(tokens.refresh_token !== undefined && { refreshToken: tokens.refresh_token }),
    ...(tokens.expires_in !== undefined && { expiresAt: now + tokens.expires_in * 1000 }),
  };
}

/** May this token still be sent? */
export const isFresh = ({ issuedAt, expiresAt }: Pick<Grant, 'issuedAt' | 'expiresAt'>, now: number): boolean => expiresAt === undefined || now < expiresAt - Math.min(MARGIN_MS, (expiresAt - issuedAt) / 10);

export const bearer = ({ accessToken }: Pick<Grant, 'accessToken'>): string => `Bearer ${accessToken}`;
