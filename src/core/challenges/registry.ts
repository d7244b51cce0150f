import { BursarError } from '../../shared/errors/errors.ts';
import type { Reading } from './answer.ts';
import type { Challenge, Dialect } from './dialect.ts';
import { isUrlElicitation } from './elicitation.ts';
import { mpp } from './mpp.ts';
import { mppHttp } from './mpp-http.ts';
import { mpx } from './mpx.ts';
import { transferProof } from './transfer-proof.ts';
import { refuseUnpayable } from './unpayable.ts';
import { x402Mcp } from './x402-mcp.ts';

/** Words of which every challenge in a JSON-RPC message has at least one; a message without any is not even parsed. */
const MARKS = /x402|mpx\/v1\.|mpxVersion|paymentauth|"accepts"|"challenges"|"payment|Payment required|:\s*(?:402|-3200[123]|-3204[23])\b/i;

/** Cheap and linear: may this JSON-RPC message concern a payment? True for some that do not. */
export const mayAskForMoney = (text: string): boolean => MARKS.test(text);

/** Every dialect, in detection order (wire-formats section 7). A new one is a file beside this and a line here. */
const DIALECTS: readonly Dialect[] = [mppHttp, mpp, transferProof, mpx, x402Mcp];

/**
 * The first dialect's challenge that matches. Throws `CHALLENGE_MALFORMED` where a dialect knows its own but cannot read it, and
 * `PROTOCOL_UNSUPPORTED` for what is known by name and cannot be paid. A page that the person shall open is none of these.
 */
export function detectChallenge(reading: Reading): Challenge | undefined {
  if (isUrlElicitation(reading)) return undefined;
  refuseUnpayable(reading);
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
