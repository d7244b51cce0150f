import { BursarError } from '../../shared/errors/errors.ts';
import type { Reading } from './answer.ts';
import type { Challenge, Dialect } from './dialect.ts';
import { x402Mcp } from './x402-mcp.ts';

/** Words of which every challenge in a JSON-RPC message has at least one; a message without any is not even parsed. */
const MARKS = /x402|mpx\/v1\.|paymentauth|"accepts"|"challenges"|"payment|Payment required|:\s*(?:402|-3200[12]|-3204[23])\b/i;

/** Cheap and linear: may this JSON-RPC message concern a payment? True for some that do not. */
export const mayAskForMoney = (text: string): boolean => MARKS.test(text);

/** Every dialect, in detection order (wire-formats section 7). A new one is a file beside this and a line here. */
const DIALECTS: readonly Dialect[] = [x402Mcp];

/** The first dialect's challenge that matches. Throws `CHALLENGE_MALFORMED` where a dialect knows its own but cannot read it. */
export function detectChallenge(reading: Reading): Challenge | undefined {
  for (const dialect of DIALECTS) {
    const challenge = dialect.detect(reading);
    if (challenge) return challenge;
  }
  return undefined;
}

/** The dialect of a challenge or of a journal row. Throws `INTERNAL` for an id that no registry ever had. */
export function requireDialect(id: string): Dialect {
  const dialect = DIALECTS.find((candidate) => candidate.id === id);
  if (!dialect) throw new BursarError('INTERNAL', `There is no payment dialect "${id}".`);
  return dialect;
}
