import { isBursarError } from '../../shared/errors/errors.ts';
import { isObject, member, parseJson, type Json, type JsonObject } from '../json/json.ts';

/** A result with `isError`. */
export function toolError(rpc: JsonObject | undefined): JsonObject | undefined {
  const result = rpc?.get('result');
  return isObject(result) && result.get('isError') === true ? result : undefined;
}

/** Text of a result whose content is one block of text and nothing else. */
export function onlyText(result: Json | undefined): string | undefined {
  const content = member(result, 'content');
  return Array.isArray(content) && content.length === 1 ? firstText(result) : undefined;
}

/** Message of the JSON-RPC error, or the first text of the error result: what a server says went wrong. Empty where nothing did. */
export function complaint(rpc: JsonObject | undefined): string {
  const message = member(rpc?.get('error'), 'message');
  return typeof message === 'string' ? message : (firstText(toolError(rpc)) ?? '');
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

function firstText(result: Json | undefined): string | undefined {
  const content = member(result, 'content');
  const block = Array.isArray(content) ? (content as readonly Json[])[0] : undefined;
  const words = member(block, 'text');
  return member(block, 'type') === 'text' && typeof words === 'string' ? words : undefined;
}
