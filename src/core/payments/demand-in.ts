import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import type { ServerAnswer, ToolListing } from '../challenges/answer.ts';
import type { Challenge } from '../challenges/dialect.ts';
import { detectChallenge } from '../challenges/registry.ts';
import { readingOf } from './reading.ts';

/** A longer answer is never parsed to look for a challenge: parsing takes the whole process, and every server may make it do that. */
export const MAX_READ_CHARACTERS = 262_144;

/**
 * The challenge in an answer that nobody paid for; undefined where it asks for nothing. What is too long or no strict JSON is an answer like any
 * other (I8), unless it plainly claims to be a challenge. Throws what `detectChallenge` throws.
 */
export function demandIn(answer: ServerAnswer, known: { readonly listing?: ToolListing; readonly lastDialect?: string }): Challenge | undefined {
  const { text, http, order } = answer;
  if (order) return detectChallenge({ order });
  for (const part of [text, http?.body ?? '']) {
    if (isLong(part) && claimsChallenge(part)) throw new BursarError('CHALLENGE_MALFORMED', `The payment request stands in an answer that is longer than ${MAX_READ_CHARACTERS} characters.`);
  }
  if (isLong(text) && !http) return undefined;
  // Headers ask for money by themselves, whatever stands below them.
  const read = { text: isLong(text) ? '' : text, ...(http && { http: isLong(http.body) ? { ...http, body: '' } : http }) };
  try {
    return detectChallenge(readingOf(read, known));
  } catch (error) {
    if (!isBursarError(error, 'JSON_INVALID')) throw error;
    if (!claimsChallenge(text)) return undefined;
    throw new BursarError('CHALLENGE_MALFORMED', `The payment request cannot be read. ${error.message}`);
  }
}

const isLong = (text: string): boolean => text.length > MAX_READ_CHARACTERS;

/** The names of members that make a challenge, by themselves or in JSON within a text. Linear, and prose that quotes them has no colon. */
const X402 = /x402Version\\{0,8}"\s{0,8}:/;
const ACCEPTS = /accepts\\{0,8}"\s{0,8}:/;
const OTHERS = /(?:mpx\/v1\.challenge|mpxVersion|org\.paymentauth\/payment-required)\\{0,8}"\s{0,8}:/;

const claimsChallenge = (text: string): boolean => (X402.test(text) && ACCEPTS.test(text)) || OTHERS.test(text);
