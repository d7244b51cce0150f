import { base64urlnopad } from '@scure/base';
import { jsonOf } from './tool-result.ts';
import type { Json } from '../json/json.ts';

/** JSON text as unpadded base64url (RFC 4648, section 5). */
export const toBase64Url = (text: string): string => base64urlnopad.encode(new TextEncoder().encode(text));

/** The JSON value of a base64url text, padded or not; undefined where it is none. */
export function jsonOfBase64Url(encoded: string): Json | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base64urlnopad.decode(encoded.replace(/={0,2}$/, ''));
  } catch {
    return undefined; // the library's own error says no more than this
  }
  return jsonOf(new TextDecoder().decode(bytes));
}
