import { isBursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson, stringifyJson, type Json } from '../json/json.ts';

const MASK = '(masked)';
const SECRET_NAME = /secret/i;
/** Stripe's client secrets, e.g. `pi_3N…_secret_9x…`, wherever they stand. */
const CLIENT_SECRET = /\b([a-z]{2,10}_[A-Za-z0-9]+_secret_)[A-Za-z0-9]+/g;

/** A server's JSON text without what is secret in it: members whose names say so, also within texts that are JSON. Any other text is the same. */
export function maskSecrets(text: string): string {
  const value = jsonOf(text);
  const masked = value === undefined ? undefined : masking(value);
  const safe = masked === undefined || masked === value ? text : stringifyJson(masked);
  return safe.replace(CLIENT_SECRET, `$1${MASK}`);
}

/** The same for words that a JSON text may follow, as in a payment's timeline. */
export function maskBehindWords(text: string): string {
  const start = text.search(/[[{]/);
  return start < 0 ? maskSecrets(text) : maskSecrets(text.slice(0, start)) + maskSecrets(text.slice(start));
}

/** The very same value where there is nothing to mask. */
function masking(value: Json): Json {
  if (typeof value === 'string') return value.includes('{') ? maskSecrets(value) : value;
  if (isObject(value)) {
    const entries = [...value].map(([name, member]) => [name, SECRET_NAME.test(name) && member !== null ? MASK : masking(member)] as const);
    return entries.every(([name, member]) => member === value.get(name)) ? value : new Map(entries);
  }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map(masking);
    return items.every((item, index) => item === (value as readonly Json[])[index]) ? value : items;
  }
  return value;
}

function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}
