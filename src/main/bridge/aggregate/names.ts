import { createHash } from 'node:crypto';

/** Stands where the name of a server would: all of them together. No server can have it. */
export const AGGREGATE = '';

/** What every MCP client takes for a tool's name. */
const MAX_CHARACTERS = 64;
const PLAIN = /^[\w-]+$/;
const SEPARATOR = '__';
const HASH_DIGITS = 16;
const HASHED = new RegExp(`_[\\da-f]{${HASH_DIGITS}}$`);

/**
 * The name under which clients see a tool or a prompt of a server: `upstream__name`. Where that is too long, has other characters than
 * letters, digits, `_` and `-`, or could be read as another's, it ends in a hash instead. A pure function of both names, so it is stable, and no two
 * tools ever share one (but for a collision of 64 bits of SHA-256).
 */
export function shownName(upstream: string, name: string): string {
  const plain = `${upstream}${SEPARATOR}${name}`;
  const isUnambiguous = plain.indexOf(SEPARATOR) === upstream.length && !HASHED.test(plain);
  if (isUnambiguous && plain.length <= MAX_CHARACTERS && PLAIN.test(plain)) return plain;
  const hash = createHash('sha256').update(JSON.stringify([upstream, name])).digest('hex').slice(0, HASH_DIGITS);
  return `${plain.replace(/[^\w-]/g, '_').slice(0, MAX_CHARACTERS - HASH_DIGITS - 1)}_${hash}`;
}

/** What a name without a hash stands for; undefined for any other. */
export function readShownName(shown: string): { readonly upstream: string; readonly name: string } | undefined {
  const at = shown.indexOf(SEPARATOR);
  if (at < 1) return undefined;
  const upstream = shown.slice(0, at);
  const name = shown.slice(at + SEPARATOR.length);
  return shownName(upstream, name) === shown ? { upstream, name } : undefined;
}

const OWN_SCHEME = 'bursar://';

/** The address of a resource that names its server: for one that another server has too. */
export const explicitUri = (upstream: string, uri: string): string => `${OWN_SCHEME}${upstream}/${uri}`;

/** Reads what {@link explicitUri} gives. */
export function readExplicitUri(shown: string): { readonly upstream: string; readonly uri: string } | undefined {
  const slash = shown.indexOf('/', OWN_SCHEME.length);
  if (!shown.startsWith(OWN_SCHEME) || slash < 0) return undefined;
  return { upstream: shown.slice(OWN_SCHEME.length, slash), uri: shown.slice(slash + 1) };
}

/** A server must not list addresses that look like those of another. */
export const looksExplicit = (uri: string): boolean => uri.startsWith(OWN_SCHEME);
