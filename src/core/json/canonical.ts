import { isLongInteger, isObject, parseJson, RawNumber, type Json } from './json.ts';

/**
 * Canonical JSON: keys in UTF-16 order and ECMAScript number form (RFC 8785), but an integer beyond 2^53 keeps its digits, so that
 * two calls that differ only there do not look the same. Throws `JSON_INVALID`.
 */
export const canonicalJson = (text: string): string => write(parseJson(text));

function write(value: Json): string {
  if (value instanceof RawNumber) return canonicalNumber(value.source);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (isObject(value)) {
    const keys = [...value.keys()].toSorted();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value.get(key)!)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

function canonicalNumber(source: string): string {
  const number = Number(source);
  return isLongInteger(source) || !Number.isFinite(number) ? source : JSON.stringify(number);
}
