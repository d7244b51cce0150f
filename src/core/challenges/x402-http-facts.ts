import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson, type Json, type JsonObject } from '../json/json.ts';
import type { HttpFacts } from './answer.ts';
import type { Receipt } from './dialect.ts';
import { fromBase64, tryBase64 } from './x402-base64.ts';
import { anywhere } from './x402-places.ts';
import { claimsPaymentRequired, readReceipt } from './x402.ts';

/** Headers that hold a PaymentRequired: x402's own name first, then the one that early servers used. */
const REQUIRED_HEADERS = ['payment-required', 'x-payment-required'] as const;
const RECEIPT_HEADERS = ['payment-response', 'x-payment-response'];

/**
 * The PaymentRequired in the headers of an answer with status 402; undefined where none has such a header. Throws `CHALLENGE_MALFORMED`
 * for one that cannot be read, and for two that differ.
 */
export function requiredInHeaders(http: HttpFacts): JsonObject | undefined {
  const values = new Set(REQUIRED_HEADERS.flatMap((name) => http.headers[name] ?? []));
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.size > 1) throw new BursarError('CHALLENGE_MALFORMED', 'The answer has two payment requests that differ in its headers.');
  try {
    return fromBase64(value);
  } catch (error) {
    if (!isBursarError(error, 'JSON_INVALID')) throw error;
    throw new BursarError('CHALLENGE_MALFORMED', `The payment request in the header cannot be read. ${error.message}`);
  }
}

/** The PaymentRequired in a body, by itself or within a JSON-RPC message. Throws `CHALLENGE_MALFORMED` for one that is no strict JSON. */
export function requiredInBody({ body }: HttpFacts): JsonObject | undefined {
  if (!body.includes('"accepts"')) return undefined;
  let parsed: Json;
  try {
    parsed = parseJson(body);
  } catch (error) {
    if (!isBursarError(error, 'JSON_INVALID')) throw error;
    // A page may speak of x402; only what begins as an object could have been meant as a request.
    if (!/^\s*\{/.test(body) || !body.includes('"x402Version"')) return undefined;
    throw new BursarError('CHALLENGE_MALFORMED', `The payment request in the body cannot be read. ${error.message}`);
  }
  if (claimsPaymentRequired(parsed)) return parsed;
  return isObject(parsed) && parsed.has('jsonrpc') ? anywhere(parsed) : undefined;
}

/** The SettlementResponse in the headers of an answer, under any of its names. */
export function receiptInHeaders(http: HttpFacts | undefined): Receipt | undefined {
  for (const name of RECEIPT_HEADERS) {
    for (const value of http?.headers[name] ?? []) {
      const receipt = readReceipt(tryBase64(value));
      if (receipt) return receipt;
    }
  }
  return undefined;
}
