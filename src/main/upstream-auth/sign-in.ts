import { randomBytes } from 'node:crypto';
import { computeScopeUnion, exchangeAuthorization, OAuthError, startAuthorization, validateAuthorizationResponseIssuer, type FetchLike, type OAuthTokens } from '@modelcontextprotocol/client';
import type { UpstreamAuth } from '../../shared/contract/upstreams.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { requireBrowserAddress, type AddressRule } from './addresses.ts';
import { listenForCallback, type CallbackListener } from './callback-listener.ts';
import { clientOf } from './client-of.ts';
import { discover, type Challenge, type Discovered } from './discover.ts';
import { tokenParts, type Grant, type OAuthClient } from './grant.ts';
import { signInProblem } from './problems.ts';

const STATE_BYTES = 32;

export interface SignInOptions {
  readonly upstream: string;
  readonly server: URL;
  readonly auth: Extract<UpstreamAuth, { kind: 'oauth' }> | undefined;
  readonly challenge: Challenge | undefined;
  /** Scopes that were asked for after an earlier sign-in; empty where none were. */
  readonly wantedScope: string;
  readonly clientMetadataUrl: string | undefined;
  readonly rule: AddressRule;
  readonly fetch: FetchLike;
  readonly now: () => number;
  /** Gives the sign-in up. */
  readonly signal: AbortSignal;
}

/** A sign-in whose page the owner can open now. */
export interface SignIn {
  /** Page for the owner's browser. It was checked: it is https, or http on this machine. */
  readonly url: string;
  /** What was granted. Rejects with a BursarError. */
  readonly done: Promise<Grant>;
}

/**
 * Prepares an authorization code flow with PKCE (OAuth 2.1 section 4.1) up to the page that the owner opens: discovery, the listener for the answer,
 * the client, the address. Throws `ADDRESS_FORBIDDEN`, `UPSTREAM_UNREACHABLE`, `MESSAGE_TOO_LARGE`, `PORT_IN_USE`, `UPSTREAM_SIGN_IN_FAILED`.
 */
export async function beginSignIn(options: SignInOptions): Promise<SignIn> {
  const { upstream, signal } = options;
  let listener: CallbackListener | undefined;
  try {
    const found = await discover({ server: options.server, challenge: options.challenge, ...(options.auth?.issuer !== undefined && { issuer: options.auth.issuer }), fetch: options.fetch });
    requirePkce(found);
    const state = randomBytes(STATE_BYTES).toString('base64url');
    listener = await listenForCallback({ state, ...(options.auth?.callbackPort !== undefined && { port: options.auth.callbackPort }) });
    const scope = scopeFor(found, options);
    const { redirectUrl } = listener;
    const client = await clientOf({ ...options, ...found, metadata: found.metadata, redirectUrl, scope });
    const { authorizationUrl, codeVerifier } = await startAuthorization(found.authorizationServer, {
      ...(found.metadata && { metadata: found.metadata }),
      clientInformation: client,
      redirectUrl,
      state,
      ...(scope !== '' && { scope }),
      ...(found.resource !== '' && { resource: found.resource }),
    });
    options.rule.require(authorizationUrl);
    requireBrowserAddress(authorizationUrl);
    signal.throwIfAborted();
    const done = finish({ options, found, listener, client, codeVerifier, scope });
    done.catch(() => undefined);
    return { url: authorizationUrl.href, done };
  } catch (error) {
    listener?.close();
    throw signInProblem(upstream, error);
  }
}

/** Where metadata exists and says nothing of S256, the server has no PKCE, and a stolen code could be used (MCP, Authorization Code Protection). */
function requirePkce({ metadata }: Discovered): void {
  if (metadata && metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server of this server does not protect its codes (PKCE, S256).', { hint: 'Tell its operator. Nothing was sent.' });
  }
}

/** What is asked for (MCP, Scope Selection Strategy): the owner's word, the server's refusal, what its metadata lists; and what was missing later. */
function scopeFor({ scopes, metadata }: Discovered, { auth, challenge, wantedScope }: SignInOptions): string {
  const first = auth?.scope ?? challenge?.scope ?? scopes;
  const all = computeScopeUnion(first, wantedScope) ?? '';
  const offersRefresh = metadata?.scopes_supported?.includes('offline_access') === true;
  return all !== '' && offersRefresh ? (computeScopeUnion(all, 'offline_access') ?? all) : all;
}

interface Begun {
  readonly options: SignInOptions;
  readonly found: Discovered;
  readonly listener: CallbackListener;
  readonly client: OAuthClient;
  readonly codeVerifier: string;
  readonly scope: string;
}

async function finish({ options, found, listener, client, codeVerifier, scope }: Begun): Promise<Grant> {
  const { upstream, signal, fetch, now } = options;
  const giveUp = (): void => listener.close();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const { params, answer } = await listener.callback;
    try {
      const code = codeIn(params, found);
      const tokens = await exchangeAuthorization(found.authorizationServer, {
        ...(found.metadata && { metadata: found.metadata }),
        clientInformation: client,
        authorizationCode: code,
        ...(params.has('iss') && { iss: params.get('iss') ?? '' }),
        codeVerifier,
        redirectUri: listener.redirectUrl,
        ...(found.resource !== '' && { resource: found.resource }),
        fetchFn: fetch,
      });
      requireBearer(tokens);
      const grant: Grant = { issuer: found.issuer, authorizationServer: found.authorizationServer, client, resource: found.resource, ...tokenParts(tokens, { now: now(), asked: scope }) };
      answer(true);
      return grant;
    } catch (error) {
      answer(false);
      throw error;
    }
  } catch (error) {
    if (signal.aborted && signal.reason instanceof BursarError) throw signal.reason;
    throw signInProblem(upstream, error);
  } finally {
    signal.removeEventListener('abort', giveUp);
    listener.close();
  }
}

/** The code of an answer from the very issuer that was asked (RFC 9207); its error only once that is certain. */
function codeIn(params: URLSearchParams, { issuer, metadata }: Discovered): string {
  validateAuthorizationResponseIssuer({ iss: params.get('iss') ?? undefined, expectedIssuer: metadata?.issuer ?? issuer, issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true });
  const error = params.get('error');
  if (error !== null) throw new OAuthError(error, '');
  const code = params.get('code');
  if (code === null || code === '') throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server sent the browser back without a code.');
  return code;
}

/** Throws where the tokens are of a kind that a plain header does not carry. */
export function requireBearer({ token_type: type, access_token: token }: OAuthTokens): void {
  if (type.toLowerCase() !== 'bearer') throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server gives tokens of a kind that Bursar does not send.', { hint: 'Bursar sends bearer tokens alone.' });
  if (!/^[\x21-\x7e]{1,16384}$/.test(token)) throw new BursarError('UPSTREAM_SIGN_IN_FAILED', 'The authorization server gave a token that no header can carry.');
}
