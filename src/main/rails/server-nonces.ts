import { termsDigest, type Terms } from '../../core/payments/terms.ts';
import type { SignedNonces } from '../../core/ports.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** So many are remembered that were signed and perhaps not journaled yet; that takes moments. */
const MOST_NONCES = 1_000;

/**
 * Gives out each nonce that a server set for one payment alone: the chain takes it once, so that a second payment under it could never
 * settle, or would count the first one's transaction as its own. Throws `CHALLENGE_MALFORMED`. A payment that is dead may be made anew.
 */
export function createServerNonces(journaled: SignedNonces): (terms: Terms, nonce: string) => void {
  const signed = new Map<string, string>();
  return (terms, nonce) => {
    const digest = termsDigest(terms);
    const key = `${terms.payer} ${nonce}`;
    const mine = signed.get(key) ?? digest;
    if (mine !== digest || journaled(terms.payer, nonce).some((one) => !one.dead || one.termsDigest !== digest)) {
      throw new BursarError('CHALLENGE_MALFORMED', 'The payment request has the id of an earlier one that was signed already.', { hint: 'Ask the server again, so that it makes a new request.' });
    }
    const [oldest] = signed.keys();
    if (!signed.has(key) && signed.size >= MOST_NONCES && oldest !== undefined) signed.delete(oldest);
    signed.set(key, digest);
  };
}
