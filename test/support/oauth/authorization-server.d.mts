/** A real OpenID provider on 127.0.0.1 that signs everybody in, and one MCP resource whose tokens it gives. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** Requests to the token endpoint, by grant type, in order. */
  readonly tokenRequests: string[];
  /** Every parameter of every token request. */
  readonly tokenParams: URLSearchParams[];
  /** What it is asked for a token, and for which scopes it was given; undefined for one that is no token of this resource, or is over. */
  scopeOf(token: string): Promise<string | undefined>;
  /** Ends every access token that was given until now. */
  expireAccessTokens(): void;
  /** Ends every refresh token as well. */
  revokeEverything(): void;
  /** What stands in the way of a request before the provider sees it; true where it was answered. */
  intercept: ((request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

export interface AuthorizationServerOptions {
  /** Resource indicators that it knows. */
  readonly resources: () => readonly string[];
  readonly scopes: readonly string[];
  readonly accessTokenSeconds?: number;
  readonly registration?: boolean;
  readonly clients?: readonly Record<string, unknown>[];
  /** Text of the client id metadata document at this address; it takes such documents where this is given. */
  readonly document?: { readonly url: string; readonly text: string };
}

export function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer>;
