import type { Payment } from '../../core/payments/payment.ts';
import { paymentStatus } from '../../core/payments/status.ts';
import type { PaymentStatus } from '../../shared/contract/payments.ts';

/** How a payment stands, for the agent that asked for it. */
export interface Standing {
  readonly status: PaymentStatus;
  /** Does the same call go on from here, without a new purchase? */
  readonly resumable: boolean;
  readonly says: string;
  /** What the agent can do now. */
  readonly next: string;
}

const GOES_ON = 'Call payment_resume: the tool is called again for you, it is paid at most once, and its answer comes back.';
const AGAIN = 'Calling the tool again would buy it again.';
const ASK = 'Do not call the tool again without asking the owner.';
const ANEW = 'Nothing was paid. The tool may be called again, which asks anew.';

const WORDS: Readonly<Record<PaymentStatus, Omit<Standing, 'status'>>> = {
  waiting: { resumable: true, says: 'The owner has not decided yet, and nothing was paid.', next: GOES_ON },
  approved: { resumable: true, says: 'The owner approved it, and nothing is paid yet.', next: GOES_ON },
  paying: { resumable: true, says: 'It is being paid, and the server has not answered yet.', next: GOES_ON },
  delivered: { resumable: false, says: 'It was paid, and the answer was given.', next: AGAIN },
  confirming: { resumable: false, says: 'The answer was given, and the chain does not show the money yet.', next: AGAIN },
  'not-charged': { resumable: false, says: 'The answer was given, and the money did not move.', next: AGAIN },
  undelivered: { resumable: false, says: 'The money moved, and no answer came.', next: ASK },
  unknown: { resumable: true, says: 'No answer came, and the money may still move.', next: GOES_ON },
  denied: { resumable: false, says: 'A rule or limit of the owner forbids it, and nothing was paid.', next: ASK },
  rejected: { resumable: false, says: 'The owner rejected it, and nothing was paid.', next: ASK },
  expired: { resumable: false, says: 'The owner did not decide in time, or the call did not come back in time.', next: ANEW },
  cancelled: { resumable: false, says: 'It was called off.', next: ANEW },
  failed: { resumable: false, says: 'No answer came. The money did not move and cannot move any more.', next: ANEW },
};

/** `newest` is the newest signed payment for the same call: where that is a later one, it is what a call would go on from. */
export function standingOf(payment: Payment, newest: Payment | undefined): Standing {
  const status = paymentStatus(payment);
  const words = WORDS[status];
  if (newest !== undefined && newest.id !== payment.id && newest.createdAt >= payment.createdAt) return { ...words, status, resumable: false, next: `A later payment, ${newest.id}, was made for the same call.` };
  // The answer, or the same proof, is kept for the call that comes back.
  if (status === 'undelivered' && payment.service === 'lost') return { ...words, status, resumable: true, next: GOES_ON };
  return { ...words, status };
}
