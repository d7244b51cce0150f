import { isObject, member, type Json, type JsonObject } from '../json/json.ts';
import { jsonOf, onlyText, toolError } from './tool-result.ts';
import { claimsPaymentRequired } from './x402.ts';

/** Where in a JSON-RPC response servers put an x402 PaymentRequired (wire-formats section 2). Each finder looks at one place. */

const PAYMENT_CODES: readonly (Json | undefined)[] = [402, -32_042];

/** In `result.structuredContent` of a tool error: the official form. */
export function inStructuredContent(rpc: JsonObject | undefined): JsonObject | undefined {
  const structured = member(toolError(rpc), 'structuredContent');
  return claimsPaymentRequired(structured) ? structured : undefined;
}

/** In `result._meta["x402/error"]` of a tool error. The version may be left out there. */
export function inErrorMeta(rpc: JsonObject | undefined): JsonObject | undefined {
  const required = member(member(toolError(rpc), '_meta'), 'x402/error');
  return isObject(required) && isFilled(required.get('accepts')) ? required : undefined;
}

/** In `error.data` or `error.data.x402` of a JSON-RPC error 402 or -32042. */
export function inErrorData(rpc: JsonObject | undefined): JsonObject | undefined {
  const error = rpc?.get('error');
  if (!PAYMENT_CODES.includes(member(error, 'code'))) return undefined;
  const data = member(error, 'data');
  return [data, member(data, 'x402')].filter(claimsPaymentRequired).find((required) => isFilled(required.get('accepts')));
}

/** In `result.error.data` under the code 402. */
export function inInnerError(rpc: JsonObject | undefined): JsonObject | undefined {
  const error = member(rpc?.get('result'), 'error');
  const data = member(error, 'data');
  return member(error, 'code') === 402 && isObject(data) && isFilled(data.get('accepts')) ? data : undefined;
}

/** As the whole text of a tool error. `wrapped` where that is `{"x402/error":{"code":402,"data":…}}`, and not the request itself. */
export function inText(rpc: JsonObject | undefined): { readonly required: JsonObject; readonly wrapped: boolean } | undefined {
  const words = onlyText(toolError(rpc))?.trim();
  if (!words?.startsWith('{') || !words.endsWith('}') || !words.includes('"x402')) return undefined;
  const parsed = jsonOf(words);
  if (claimsPaymentRequired(parsed)) return { required: parsed, wrapped: false };
  const error = isObject(parsed) && parsed.size === 1 ? parsed.get('x402/error') : undefined;
  const data = member(error, 'data');
  return member(error, 'code') === 402 && claimsPaymentRequired(data) ? { required: data, wrapped: true } : undefined;
}

/** In any of these places. */
export const anywhere = (rpc: JsonObject | undefined): JsonObject | undefined =>
  inErrorData(rpc) ?? inErrorMeta(rpc) ?? inStructuredContent(rpc) ?? inInnerError(rpc) ?? inText(rpc)?.required;

const isFilled = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0;
