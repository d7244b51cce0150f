import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson, RawNumber, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { slotName, type EndpointInput, type Place } from './endpoint-input.ts';

/** The request that a call of an endpoint makes. */
export interface EndpointRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyText?: string;
}

interface Given {
  readonly name: string;
  readonly argument: string;
  readonly value: Json;
}

/**
 * Puts the arguments where the endpoint takes them. What is fixed in the approved address stays as it is. Numbers keep their digits. Throws `INPUT_INVALID`,
 * naming the argument.
 */
export function endpointRequest({ url, method, input }: { readonly url: string; readonly method: string; readonly input: EndpointInput }, argumentsText: string): EndpointRequest {
  const parsed = parseJson(argumentsText);
  if (!isObject(parsed)) throw invalid('The arguments are not an object.');
  const given = sorted(input, parsed);
  const { path, query, header, body } = given;
  const target = withQuery(withPath(url, path), query);
  const hasBody = method !== 'GET' && method !== 'HEAD' && (body.length > 0 || input.rest === 'body');
  const headers = Object.fromEntries(header.map(({ name, value }) => [name, scalarText(value)]));
  if (!hasBody) return { url: target, method, headers };
  const { bodyText, contentType } = bodyOf(input, body);
  return { url: target, method, headers: { ...headers, 'content-type': contentType }, bodyText };
}

function sorted({ parameters, rest }: EndpointInput, given: JsonObject): Readonly<Record<Place, readonly Given[]>> {
  const places: Record<Place, Given[]> = { path: [], query: [], header: [], body: [] };
  for (const [argument, value] of given) {
    if (value === null) continue;
    const known = parameters.find((parameter) => parameter.argument === argument);
    places[known?.place ?? rest].push({ name: known?.name ?? argument, argument, value });
  }
  return places;
}

/** Each value fills one segment, whatever is in it: it cannot lead to another path. */
function withPath(url: string, given: readonly Given[]): string {
  const { origin, path, query } = partsOf(url);
  const used = new Set<Given>();
  const filled = path
    .split('/')
    .map((segment) => {
      const name = slotName(segment);
      if (name === undefined) return segment;
      const value = given.find((one) => one.name === name);
      if (!value) throw invalid(`The argument "${name.slice(0, 60)}" is missing: it is part of the address.`);
      used.add(value);
      const text = scalarText(value.value);
      if (text === '' || text === '.' || text === '..') throw invalid(`The argument "${value.argument}" cannot be part of an address.`);
      return encoded(text);
    })
    .join('/');
  const unused = given.find((one) => !used.has(one));
  if (unused) throw invalid(`The argument "${unused.argument}" has no place in the address.`);
  return `${origin}${filled}${query}`;
}

function withQuery(url: string, given: readonly Given[]): string {
  if (given.length === 0) return url;
  const { query } = partsOf(url);
  const fixed = new Set(query.slice(1).split('&').map((pair) => decoded(pair.split('=', 1)[0] ?? '')));
  const pairs = given.flatMap(({ name, argument, value }) => {
    if (fixed.has(name)) throw invalid(`The argument "${argument}" is fixed in the address that the owner approved.`);
    const values: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value];
    return values.map((item) => `${encoded(name)}=${encoded(scalarText(item))}`);
  });
  return pairs.length === 0 ? url : `${url}${query === '' ? '?' : '&'}${pairs.join('&')}`;
}

/** Is a bought call, `GET /users/7`, one of this endpoint? */
export function isCallOf({ url, method }: { readonly url: string; readonly method: string }, call: string): boolean {
  const wanted = `${method} ${partsOf(url).path}`.split('/');
  const given = call.split('/');
  return wanted.length === given.length && wanted.every((part, index) => slotName(part) !== undefined || part === given[index]);
}

/** Half of a surrogate pair cannot be written in an address; it becomes U+FFFD, as browsers have it. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

function partsOf(url: string): { readonly origin: string; readonly path: string; readonly query: string } {
  const [, origin = '', path = '', query = ''] = /^(https?:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url) ?? [];
  return { origin, path, query: query === '?' ? '' : query };
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

function bodyOf({ bodyType }: EndpointInput, given: readonly Given[]): { readonly bodyText: string; readonly contentType: string } {
  switch (bodyType) {
    case 'json':
      return { bodyText: stringifyJson(new Map(given.map(({ name, value }) => [name, value]))), contentType: 'application/json' };
    case 'form':
      return { bodyText: given.map(({ name, value }) => `${encoded(name)}=${encoded(scalarText(value))}`).join('&'), contentType: 'application/x-www-form-urlencoded' };
    case 'text':
      return { bodyText: given.map(({ value }) => scalarText(value)).join('\n'), contentType: 'text/plain; charset=utf-8' };
    case 'multipart': {
      const fields = given.map(({ name, value }) => ({ name: name.replace(/["\r\n]/g, '_'), text: scalarText(value) }));
      // The same for the same arguments: the call would be another purchase otherwise.
      let boundary = 'bursar-form-field';
      while (fields.some(({ text }) => text.includes(boundary))) boundary += '-x';
      const parts = fields.map(({ name, text }) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`);
      return { bodyText: `${parts.join('')}--${boundary}--\r\n`, contentType: `multipart/form-data; boundary=${boundary}` };
    }
  }
}

function scalarText(value: Json): string {
  if (typeof value === 'string') return value;
  return value instanceof RawNumber ? value.source : stringifyJson(value);
}

const invalid = (message: string) => new BursarError('INPUT_INVALID', message, { hint: 'Call the tool again with arguments that fit its input schema.' });
