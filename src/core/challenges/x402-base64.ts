import { base64, base64nopad } from '@scure/base';
import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson, type JsonObject } from '../json/json.ts';

/** More than any HTTP server takes or sends in a header. */
const MAX_CHARACTERS = 65_536;

/** JSON text as x402 carries it in headers: standard base64, padded, of UTF-8. */
export const toBase64 = (text: string): string => base64.encode(new TextEncoder().encode(text));

/**
 * The object in a header. Only standard base64 is read, padded or not, as x402's own decoders do: base64url and raw JSON are refused.
 * Throws `JSON_INVALID`.
 */
export function fromBase64(text: string): JsonObject {
  const invalid = (why: string) => new BursarError('JSON_INVALID', `The value ${why}.`);
  if (text.length > MAX_CHARACTERS) throw invalid('is too long');
  const letters = text.trim().replace(/={0,2}$/, '');
  let bytes: Uint8Array;
  try {
    bytes = base64nopad.decode(letters);
  } catch {
    throw invalid('is not standard base64');
  }
  const value = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(value)) throw invalid('holds no JSON object');
  return value;
}

/** Like {@link fromBase64}; undefined for what cannot be read. */
export function tryBase64(text: string): JsonObject | undefined {
  try {
    return fromBase64(text);
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}
