import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isObject, type Json, type JsonObject } from '../json/json.ts';

const NAME = 'payment-identifier';

/**
 * The extensions of a challenge as they go back, with an `id` where the server takes one (x402 extension `payment-identifier`: 16 to 128
 * of `[A-Za-z0-9_-]`). It is derived from the signed payload: another payload has another id, and the same one, sent again, the same.
 */
export function withPaymentIdentifier(extensions: JsonObject, payloadText: string): JsonObject {
  const offered = extensions.get(NAME);
  if (!isObject(offered)) return extensions;
  const info = offered.get('info');
  const id = `pay_${bytesToHex(sha256(utf8ToBytes(payloadText))).slice(0, 32)}`;
  const filled = new Map<string, Json>([...offered, ['info', new Map<string, Json>([...(isObject(info) ? info : []), ['id', id]])]]);
  return new Map<string, Json>([...extensions, [NAME, filled]]);
}
