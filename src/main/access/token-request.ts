import type { IncomingHttpHeaders } from 'node:http';

/** An error answer of the token endpoint (RFC 6749, section 5.2; RFC 8707, section 2). */
export class TokenRefusal extends Error {
  readonly status: number;
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(error: string, description: string, { status = 400, headers = {} }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/** A request for a token, as it can be read without knowing its client. */
export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes that are asked for; none where the request names none. */
  readonly scope: readonly string[];
  readonly resource?: string;
  /** Whether the credentials stood in the Authorization header. */
  readonly basic: boolean;
}

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** Far more than any form that is meant. */
const MOST_PARAMETERS = 32;

/**
 * Reads a token request (RFC 6749, sections 2.3.1, 3.2 and 4.4.2). Throws {@link TokenRefusal} for a parameter that stands twice, credentials in two places or
 * in the address, and any grant but `client_credentials`.
 */
export function readTokenRequest(headers: IncomingHttpHeaders, query: string, body: string): TokenRequest {
  if (query !== '') throw new TokenRefusal('invalid_request', 'Parameters belong into the body and never into the address.');
  if (!FORM.test(headers['content-type'] ?? '')) throw new TokenRefusal('invalid_request', 'The content type has to be application/x-www-form-urlencoded.');
  const form = [...new URLSearchParams(body)];
  const parameters = new Map<string, string>();
  if (form.length > MOST_PARAMETERS) throw new TokenRefusal('invalid_request', 'There are too many parameters.');
  for (const [name, value] of form) {
    // A parameter without a value counts as left out (section 3.2).
    if (value === '') continue;
    if (parameters.has(name)) throw new TokenRefusal('invalid_request', 'A parameter stands there twice.');
    parameters.set(name, value);
  }
  const credentials = readCredentials(headers.authorization, parameters);
  const grant = parameters.get('grant_type');
  if (grant === undefined) throw new TokenRefusal('invalid_request', 'The parameter grant_type is missing.');
  if (grant !== 'client_credentials') throw new TokenRefusal('unsupported_grant_type', 'The grant type has to be client_credentials.');
  const resource = parameters.get('resource');
  return { ...credentials, scope: (parameters.get('scope') ?? '').split(' ').filter(Boolean), ...(resource !== undefined && { resource }) };
}

function readCredentials(authorization: string | undefined, parameters: ReadonlyMap<string, string>): Pick<TokenRequest, 'clientId' | 'clientSecret' | 'basic'> {
  const [id, secret] = [parameters.get('client_id'), parameters.get('client_secret')];
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw new TokenRefusal('invalid_client', 'The client has to give its id and its secret.', { status: 401, headers: BASIC_CHALLENGE });
    return { clientId: id, clientSecret: secret, basic: false };
  }
  if (secret !== undefined) throw new TokenRefusal('invalid_request', 'The client gave its credentials in two places.');
  const given = readBasic(authorization);
  if (given === undefined) throw new TokenRefusal('invalid_client', 'The Authorization header cannot be read.', { status: 401, headers: BASIC_CHALLENGE });
  if (id !== undefined && id !== given.clientId) throw new TokenRefusal('invalid_request', 'The client gave two different ids.');
  return { ...given, basic: true };
}

/** How a client may prove itself, as RFC 6749 section 5.2 asks of a 401. */
export const BASIC_CHALLENGE: Readonly<Record<string, string>> = { 'www-authenticate': 'Basic realm="bursar", charset="UTF-8"' };

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function readBasic(header: string): { readonly clientId: string; readonly clientSecret: string } | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 1) return undefined;
  try {
    return { clientId: formDecoded(pair.slice(0, colon)), clientSecret: formDecoded(pair.slice(colon + 1)) };
  } catch {
    return undefined;
  }
}

const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
