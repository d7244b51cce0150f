import { BursarError, isBursarError } from '../../shared/errors/errors.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { member, type Json } from '../json/json.ts';
import type { Reading } from '../challenges/answer.ts';
import { detectChallenge } from '../challenges/registry.ts';
import { sameAddress } from '../policy/scope.ts';
import type { JournalTransaction } from '../ports.ts';
import type { Terms } from './terms.ts';

/** So many payments in a row without an answer, and an upstream is asked about again whatever the rules say. */
export const UNDELIVERED_LIMIT = 3;

/** A proof with less life than this is not sent again: it could expire on its way. */
export const RESEND_MARGIN_MS = 8_000;

/** True where a tool result says that it holds nothing. A result of another form is not judged. */
export function isEmpty(result: Json | undefined): boolean {
  const content = member(result, 'content');
  if (!Array.isArray(content) || member(result, 'structuredContent') !== undefined) return false;
  return (content as readonly Json[]).every((block) => {
    const text = member(block, 'text');
    return member(block, 'type') === 'text' && typeof text === 'string' && text.trim() === '';
  });
}

/** Why an upstream that was paid and did not deliver is asked about; empty while it may be trusted. */
export function distrust(tx: JournalTransaction, upstream: string): string {
  // An order has no server that could keep its answer back.
  const count = upstream === OWN_NAME ? 0 : tx.undeliveredInRow(upstream);
  return count < UNDELIVERED_LIMIT ? '' : `Asks because the last ${count} payments to this server got no answer`;
}

/** What is known against a server that was given a payment and did not answer the call. */
export function failure(words: string, settled: boolean, code: 'PAYMENT_REJECTED' | 'SETTLEMENT_FAILED' | 'SECOND_CHALLENGE' | 'TOOL_FAILED' = 'PAYMENT_REJECTED'): BursarError {
  return settled ? new BursarError('PAID_NOT_DELIVERED', `The money moved, but there is no answer for it. ${words}`) : new BursarError(code, words);
}

/** True where an answer to a paid call asks for money under other terms than were paid: not a refused proof, but a second demand. */
export function asksForMore(reading: Reading, { network, asset, amount, payee }: Terms): boolean {
  try {
    const challenge = detectChallenge(reading);
    const isSame = (offer: { network: string; asset: string; amount: string; payee: string }) =>
      offer.network === network && offer.amount === amount.toString() && sameAddress(offer.asset, asset) && sameAddress(offer.payee, payee);
    return challenge !== undefined && !challenge.offers.some(isSame);
  } catch (error) {
    if (isBursarError(error)) return false; // what cannot be read is no offer to pay
    throw error;
  }
}
