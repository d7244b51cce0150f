import { BursarError } from '../../shared/errors/errors.ts';
import { member, type Json } from '../json/json.ts';
import type { JournalTransaction } from '../ports.ts';

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
  const count = tx.undeliveredInRow(upstream);
  return count < UNDELIVERED_LIMIT ? '' : `Asks because the last ${count} payments to this server got no answer`;
}

/** What is known against a server that was given a payment and did not answer the call. */
export function failure(words: string, settled: boolean, code: 'PAYMENT_REJECTED' | 'SETTLEMENT_FAILED' = 'PAYMENT_REJECTED'): BursarError {
  return settled ? new BursarError('PAID_NOT_DELIVERED', `The money moved, but there is no answer for it. ${words}`) : new BursarError(code, words);
}
