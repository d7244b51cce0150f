import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import type { Answer } from './approvals.ts';
import type { Outcome } from './call.ts';
import type { Payment, Reason } from './payment.ts';

/** A reason quotes servers, and stands beside what Bursar itself says. */
const MAX_REASON_CHARACTERS = 2000;

/** The journal's form of an error. */
export function reasonOf(error: unknown): Reason {
  const { code, message } = toErrorInfo(error);
  return { code, text: cleanText(message, 500) };
}

/** What the agent gets instead of an answer: the reason, with server and tool named where there was one. */
export function refusal(call: { readonly upstream: string; readonly tool: string }, error: unknown, paymentId: string): Outcome {
  const info = toErrorInfo(error);
  const about = call.upstream === OWN_NAME ? '' : `Payment to server "${call.upstream}" for tool "${call.tool}": `;
  const message = cleanText(about + info.message, MAX_REASON_CHARACTERS);
  return { kind: 'refusal', error: { ...info, message }, paymentId };
}

/** Why a call is not paid that the owner did not approve. `reason` is the word of whoever cancelled it. */
export function unapproved(answer: Exclude<Answer, 'approved'>, reason?: unknown): BursarError {
  if (answer === 'cancelled' && reason instanceof BursarError) return reason;
  switch (answer) {
    case 'rejected':
      return new BursarError('APPROVAL_REJECTED', 'The owner rejected it.');
    case 'expired':
      return new BursarError('APPROVAL_EXPIRED', 'The owner did not decide in time.');
    case 'cancelled':
      return new BursarError('APPROVAL_CANCELLED', 'The call was cancelled before the owner decided.');
  }
}

/** Why a call is not paid that the policy denied. */
export const denied = (payment: Payment): BursarError => new BursarError(payment.reason.code || 'POLICY_DENIED', payment.reason.text);

/** A reason that was written down before anybody could be told. */
export const writtenDown = ({ reason }: Payment): BursarError => new BursarError(reason.code || 'INTERNAL', reason.text);
