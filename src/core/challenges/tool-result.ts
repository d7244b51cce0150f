import { isBursarError } from '../../shared/errors/errors.ts';
import { member, parseJson, type Json, type JsonObject } from '../json/json.ts';
import type { Reading } from './answer.ts';

/** A tool result that says of itself that it is an error. */
export function errorResult({ rpc }: Reading): Json | undefined {
  const result = rpc?.get('result');
  return member(result, 'isError') === true ? result : undefined;
}

/** Text of the one text block of a tool result. Undefined where there are none or several. */
export function onlyText(result: Json | undefined): string | undefined {
  const content = member(result, 'content');
  if (!Array.isArray(content)) return undefined;
  const texts = (content as readonly Json[]).filter((block) => member(block, 'type') === 'text');
  const words = member(texts[0], 'text');
  return texts.length === 1 && typeof words === 'string' ? words : undefined;
}

/** A text as JSON; undefined where it is none, because a text that only mentions payments is still only a text. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}

/** Message of the JSON-RPC error, or text of the error result: what a server says went wrong. Empty where nothing did. */
export function complaint(rpc: JsonObject | undefined): string {
  const message = member(rpc?.get('error'), 'message');
  if (typeof message === 'string') return message;
  const result = rpc?.get('result');
  return member(result, 'isError') === true ? (onlyText(result) ?? '') : '';
}
