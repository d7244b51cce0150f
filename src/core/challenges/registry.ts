import { BursarError } from '../../shared/errors/errors.ts';
import type { Reading } from './answer.ts';
import type { Challenge, Dialect } from './dialect.ts';
import { isUrlElicitation } from './elicitation.ts';
import { mpp } from './mpp.ts';
import { mppHttp } from './mpp-http.ts';
import { mpx } from './mpx.ts';
import { order } from './order.ts';
import { requireTerms } from './terms-lost.ts';
import { transferProof } from './transfer-proof.ts';
import { refuseUnpayable } from './unpayable.ts';
import { x402Error } from './x402-error.ts';
import { x402ErrorMeta } from './x402-error-meta.ts';
import { x402Http, x402HttpPrefixed } from './x402-http.ts';
import { x402Mcp } from './x402-mcp.ts';
import { x402Paymcp } from './x402-paymcp.ts';
import { x402SplitHeaders } from './x402-split-headers.ts';
import { x402Text } from './x402-text.ts';
import { x402V1Http } from './x402-v1-http.ts';
import { x402Vercel } from './x402-vercel.ts';

/** Words of which every challenge in a JSON-RPC message has at least one; a message without any is not even parsed. */
const MARKS = /x402|mpx\/v1\.|mpxVersion|paymentauth|"accepts"|"challenges"|"payment|Payment required|MCP error (?:402|-320)|:\s*(?:402|-3200[123]|-3204[23])\b/i;

/** Cheap and linear: may this JSON-RPC message concern a payment? True for some that do not. */
export const mayAskForMoney = (text: string): boolean => MARKS.test(text);

/** Every dialect, in detection order (wire-formats section 7). A new one is a file beside this and a line here. */
export const DIALECTS: readonly Dialect[] = [
  // Bursar's own, which no answer leads to
  order,
  // HTTP 402
  mppHttp,
  x402HttpPrefixed,
  x402Http,
  x402V1Http,
  x402SplitHeaders,
  // JSON-RPC errors
  mpp,
  x402Error,
  transferProof,
  // results
  mpx,
  x402ErrorMeta,
  x402Vercel,
  x402Mcp,
  x402Paymcp,
  // what stands in a text alone
  x402Text,
];

/**
 * The first dialect's challenge that matches. A page that the person shall open is none (wire-formats section 7, E1). Throws
 * `CHALLENGE_MALFORMED` where a dialect knows its own but cannot read it, `PROTOCOL_UNSUPPORTED` for what is known by name and cannot be
 * paid, and `TERMS_LOST` where money is asked for without terms.
 */
export function detectChallenge(reading: Reading): Challenge | undefined {
  if (isUrlElicitation(reading)) return undefined;
  try {
    for (const dialect of DIALECTS) {
      const challenge = dialect.detect(reading);
      if (challenge) return challenge;
    }
  } catch (error) {
    refuseUnpayable(reading); // a name says more than what could not be read
    throw error;
  }
  refuseUnpayable(reading);
  requireTerms(reading);
  return undefined;
}

/** The dialect of a challenge or of a journal row. Throws `INTERNAL` for an id that no registry ever had. */
export function requireDialect(id: string): Dialect {
  const dialect = DIALECTS.find((candidate) => candidate.id === id);
  if (!dialect) throw new BursarError('INTERNAL', `There is no payment dialect "${id}".`);
  return dialect;
}
