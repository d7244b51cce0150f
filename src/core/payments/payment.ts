import type { Decision, MoneyState, Service } from '../../shared/contract/payments.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Track } from '../ports.ts';
import type { Terms } from './terms.ts';

/** Why a payment is where it is. The text is for people. */
export interface Reason {
  readonly code: ErrorCode | '';
  readonly text: string;
}

/**
 * One row of the journal (design, "Payment life cycle"). Immutable; a change gives a new one.
 * `service` is `open` while a call is being answered, and `lost` when its answer did not reach the client: the client went away, or
 * the answer never came. A lost payment's answer, or its same proof, serves the next identical call.
 */
export interface Payment {
  readonly id: string;
  readonly createdAt: number;
  readonly updatedAt: number;

  /** Who asked whom for what; known for every row. */
  readonly client: string;
  readonly upstream: string;
  readonly tool: string;
  readonly callKey: string;
  /** JSON text of the call's arguments, as the client sent it. */
  readonly argumentsText: string;
  readonly dialect: string;
  /** The challenge verbatim (JSON text), for evidence: once signed, the one that was answered. */
  readonly challengeText: string;

  /** Absent where no offer could be chosen: such a row has money `none` for ever. */
  readonly terms?: Terms;
  readonly termsDigest: string;
  /** The chosen offer verbatim (JSON text). */
  readonly offerText: string;
  /** Every offer with why it was not taken (`considered.ts`); empty where no offer was looked at. */
  readonly offersText: string;

  readonly decision: Decision;
  readonly money: MoneyState;
  readonly service: Service;
  readonly reason: Reason;
  /** The rule that decided, in words. */
  readonly rule: string;
  readonly policyNumber: number;

  /** What the paid retry carries (`proof-text.ts`), to send the same proof again; empty until signed. */
  readonly proofText: string;
  readonly track?: Track;
  /** Until when the authorization can settle by its own terms (ms), once signed. */
  readonly outstandingUntil?: number;
  /** Transaction id as the chain shows it, or as the receipt claims while the chain does not. */
  readonly transaction: string;
  /** True once the chain's finality has passed over the settlement. */
  readonly final: boolean;
  /** The server's receipt verbatim (JSON text), if it gave one. */
  readonly receiptText: string;
  /** The answer (JSON-RPC response as JSON text), kept from its arrival until it was delivered. */
  readonly answerText: string;
}

export type NewPayment = Omit<Payment, 'createdAt' | 'updatedAt' | 'proofText' | 'track' | 'outstandingUntil' | 'transaction' | 'final' | 'receiptText' | 'answerText'>;

/** The columns that a transition may change; the texts of challenge and offer only the one that signs. */
export type Change = Partial<
  Pick<Payment, 'challengeText' | 'offerText' | 'decision' | 'money' | 'service' | 'reason' | 'rule' | 'proofText' | 'track' | 'outstandingUntil' | 'transaction' | 'final' | 'receiptText' | 'answerText'>
>;

/** One entry of a payment's timeline. */
export interface PaymentEvent {
  /** A short stable word: `challenged`, `approved`, `signed`, `answered`, `observed`, … */
  readonly kind: string;
  readonly detail: string;
}
