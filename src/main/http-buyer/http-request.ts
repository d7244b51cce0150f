import { createHash } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { canonicalJson } from '../../core/json/canonical.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** A request to an HTTP API that may ask for money. */
export interface HttpRequest {
  readonly url: string;
  /** `GET` without it. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A request that was checked; only such a one is sent. */
export interface CheckedRequest {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const MAX_URL_CHARACTERS = 4096;
const MAX_HEADERS = 50;
const MAX_HEADER_CHARACTERS = 16_384;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SHOWN_BODY = 32_768;

/** Headers of the connection itself. */
const HOP_HEADERS = new Set(['host', 'content-length', 'connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'accept-encoding']);
/** Only the wallet writes proofs (wire-formats section 0, rule 7). */
const PAYMENT_HEADER = /^(?:x-)?payment(?:-|$)/;
const SECRET_HEADER = /auth|cookie|key|token|secret|session|signature|password/;

/** Checks a request before anything of it leaves. Throws `INPUT_INVALID` and names what is wrong; no value of a header is quoted. */
export function checkRequest({ url: text, method = 'GET', headers = {}, body }: HttpRequest): CheckedRequest {
  const url = checkUrl(text);
  const verb = method.toUpperCase();
  if (!(HTTP_METHODS as readonly string[]).includes(verb)) throw invalid(`The method "${method.slice(0, 20)}" is none of ${HTTP_METHODS.join(', ')}.`);
  if (body && (verb === 'GET' || verb === 'HEAD')) throw invalid(`A ${verb} request has no body.`);
  if (body && body.length > MAX_BODY_BYTES) throw invalid(`The body is longer than ${MAX_BODY_BYTES} bytes.`);
  return { url, method: verb, headers: checkHeaders(headers), ...(body && { body }) };
}

function checkUrl(text: string): URL {
  if (text.length > MAX_URL_CHARACTERS) throw invalid(`The URL is longer than ${MAX_URL_CHARACTERS} characters.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw invalid('The URL cannot be read.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalid('The URL has to begin with https:// or http://.');
  if (url.username !== '' || url.password !== '') throw invalid('The URL holds a user name or password. Give it as a header.');
  url.hash = '';
  // The dot that ends a full name in DNS: with it the host is the same, and would be another seller to every rule.
  url.hostname = url.hostname.replace(/\.+$/, '');
  return url;
}

function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (entries.length > MAX_HEADERS) throw invalid(`There are more than ${MAX_HEADERS} headers.`);
  if (entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > MAX_HEADER_CHARACTERS) throw invalid(`The headers are longer than ${MAX_HEADER_CHARACTERS} characters.`);
  for (const [name, value] of entries) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw invalid(`The header "${name.slice(0, 60)}" cannot be sent.`);
    }
    if (HOP_HEADERS.has(name) || name.startsWith('proxy-')) throw invalid(`The header "${name}" belongs to the connection.`);
    if (PAYMENT_HEADER.test(name) || (name === 'authorization' && /^payment\b/i.test(value))) throw invalid(`The header "${name}" carries a payment, and only Bursar writes those.`);
  }
  return Object.fromEntries(entries);
}

/**
 * Who is paid for: the host, with its port unless it is the scheme's own. A host without a dot always has the port, so that no host is
 * called like a configured server.
 */
export function serverNameOf({ host, hostname, port, protocol }: URL): string {
  if (port !== '' || hostname.includes('.')) return host;
  return `${hostname}:${protocol === 'https:' ? 443 : 80}`;
}

/** `GET /v1/weather`: the path without its query, whose values belong to the single call. */
export const toolNameOf = ({ method, url }: CheckedRequest): string => `${method} ${url.pathname.slice(0, 200)}`;

/**
 * The call as canonical JSON: what approval and proof are bound to, and what the owner reads. A header that may hold a secret stands
 * there by its hash, and so does a body that is long or no text.
 */
export function argumentsOf({ method, url, headers, body }: CheckedRequest, limit?: string): string {
  const shown = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET_HEADER.test(name) ? `sha256:${sha256(value)}` : value]));
  const text = body && body.length <= MAX_SHOWN_BODY ? Buffer.from(body).toString('utf8') : undefined;
  const isText = text !== undefined && body !== undefined && Buffer.from(text, 'utf8').equals(body);
  const content = body === undefined ? {} : isText ? { body: text } : { bodySha256: sha256(body), bodyBytes: body.length };
  return canonicalJson(JSON.stringify({ method, url: url.href, ...(Object.keys(shown).length > 0 && { headers: shown }), ...content, ...(limit !== undefined && { limit }) }));
}

const sha256 = (value: string | Uint8Array): string => createHash('sha256').update(value).digest('hex');

const invalid = (message: string) => new BursarError('INPUT_INVALID', message);
