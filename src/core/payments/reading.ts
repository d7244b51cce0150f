import type { Reading, ServerAnswer, ToolListing } from '../challenges/answer.ts';
import { isObject, parseJson } from '../json/json.ts';

/** An answer as dialects read it. Throws `JSON_INVALID` for a text that a strict reader refuses. */
export function readingOf({ text, http }: ServerAnswer, known: { readonly listing?: ToolListing; readonly lastDialect?: string } = {}): Reading {
  const { listing, lastDialect } = known;
  const rpc = text === '' ? undefined : parseJson(text);
  return {
    ...(isObject(rpc) && { rpc }),
    ...(http && { http }),
    ...(listing && { listing }),
    ...(lastDialect !== undefined && { lastDialect }),
  };
}
