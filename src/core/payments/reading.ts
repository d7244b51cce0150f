import type { Reading, ServerAnswer, ToolListing } from '../challenges/answer.ts';
import { isObject, parseJson, type Json, type JsonObject } from '../json/json.ts';

/** An answer as dialects read it. Throws `JSON_INVALID` for a text that a strict reader refuses. */
export function readingOf({ text, http, order }: ServerAnswer, known: { readonly listing?: ToolListing; readonly lastDialect?: string } = {}): Reading {
  const { listing, lastDialect } = known;
  const parsed = text === '' ? undefined : parseJson(text);
  return {
    ...(isRpc(parsed) && { rpc: parsed }),
    ...(http && { http }),
    ...(order && { order }),
    ...(listing && { listing }),
    ...(lastDialect !== undefined && { lastDialect }),
  };
}

/** A purchased HTTP answer has none of these members. */
const isRpc = (value: Json | undefined): value is JsonObject => isObject(value) && ['jsonrpc', 'result', 'error'].some((name) => value.has(name));
