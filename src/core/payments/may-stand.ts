import { isUnverified } from '../policy/unverified.ts';
import { unnameable } from '../policy/standing-rules.ts';
import type { Waiting } from './approvals.ts';

/**
 * Why the owner is not offered to allow a tool for more than the request on screen; empty where they are. What always asks would ask under any
 * rule, and a request with something odd about it is no ground for one.
 */
export function whyNotForDays({ payment, challenge, assessment }: Waiting): string {
  const { changes, origins, use } = assessment;
  if (challenge.order) return 'What Bursar itself sends is asked about each time.';
  if (isUnverified(payment.client)) return 'The client did not prove its name, so each of its payments is asked about.';
  if (changes.length > 0) return 'The terms changed since the last payment. Approve this one first, if you expected it.';
  if (origins.some(({ where }) => !isOfServer(where, payment.upstream))) return 'Another server brought this payment up. Approve this one first, if you expected it.';
  if (challenge.textOnly) return 'A price in plain text is asked about each time.';
  if (payment.terms?.flow !== 'authorize' || paysUpFront(payment.offerText)) return 'The money moves before the server answers, which is asked about each time.';
  return unnameable(use);
}

/** Whether a sighting was in the words of that very server. */
export const isOfServer = (where: string, upstream: string): boolean => where.endsWith(` of server "${upstream}"`);

/** The server takes the money before it answers and keeps it if it then fails (x402 `extra.paymentFlow`: `upfront`). */
export function paysUpFront(offerText: string): boolean {
  const { extra } = JSON.parse(offerText) as { readonly extra?: { readonly paymentFlow?: unknown } | null };
  const flow = extra?.paymentFlow;
  return flow !== undefined && flow !== 'authorization';
}
