import { BursarError } from '../../shared/errors/errors.ts';
import { member } from '../json/json.ts';
import { textOf, type Reading } from './answer.ts';
import { onlyText, toolError } from './tool-result.ts';

/** Codes under which servers ask for money. Under each of them other things are said too, so it takes the words as well. */
const CODES: ReadonlySet<unknown> = new Set([402, -32_042, -32_001]);
const ASKS = /^Payment required\b/i;
/** What an SDK makes of such an error that a tool throws: a text, with the terms dropped. The first code has no other meaning. */
const FLATTENED = /^MCP error (?:402: |-32042: Payment required\b|-32001: Payment required\b)/i;
const NOTHING_ELSE = /^Payment required[.!]?$/i;

/**
 * Throws `TERMS_LOST` for an answer that asks for money without saying how much or to whom: an HTTP 402, an error without data, or the text
 * that an SDK leaves of one. Known forms only: a tool error that merely speaks of payment is an answer like any other (I8).
 */
export function requireTerms({ rpc, http }: Reading): void {
  const error = rpc?.get('error');
  const isBare = CODES.has(member(error, 'code')) && (member(error, 'data') ?? null) === null && ASKS.test(textOf(member(error, 'message')).replace(/^MCP error -?\d+: /, ''));
  const words = onlyText(toolError(rpc))?.trim() ?? '';
  if (!isBare && !FLATTENED.test(words) && !NOTHING_ELSE.test(words) && http?.status !== 402) return;
  throw new BursarError('TERMS_LOST', 'The server lost its payment terms: it asks for money, and not for how much or to whom.');
}
