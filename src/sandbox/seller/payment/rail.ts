import type { Challenge, Price, Product, RailOffer } from './terms.ts';

/** What an offer is made for. */
export interface OfferRequest {
  readonly product: Product;
  readonly price: Price;
  readonly challengeId: string;
}

/** What a rail says about a proof. */
export type Verdict = { readonly valid: true; readonly payer: string } | { readonly valid: false; readonly reason: string };

/**
 * One kind of payment. A rail makes offers and tells whether a proof commits the money; it never moves any: that is the
 * {@link Settlement}'s, which the seller injects.
 */
export interface PaymentRail {
  readonly id: string;
  /** Throws where the rail cannot be paid by now; it is then left out. */
  offer(request: OfferRequest): Promise<RailOffer>;
  /** Proves that the money is committed and moves nothing. Throws where nobody can tell now. */
  verify(proof: unknown, offer: RailOffer, challenge: Challenge): Promise<Verdict>;
  /** Brings loosely written authorization into the rail's payload; undefined where it is none of this rail. */
  coerce?(raw: Readonly<Record<string, unknown>>): unknown;
  /** What can be spent once only, as a key. Undefined where the challenge alone is. */
  spendingKey?(proof: unknown): string | undefined;
  /** How to pay, for a reader without `_meta`. */
  retryText(offer: RailOffer): string;
  /** The proof as a log may show it: no signature, no secret. */
  redact(proof: unknown): Readonly<Record<string, string>>;
}

/** A payment that was verified. */
export interface VerifiedPayment {
  readonly rail: string;
  readonly offer: RailOffer;
  readonly challenge: Challenge;
  readonly proof: unknown;
  readonly payer: string;
}

/** What became of the money. */
export interface Settled {
  readonly success: boolean;
  readonly errorReason?: string | undefined;
  /** The transaction, or the payment's name where there is none. */
  readonly transaction: string;
  readonly network: string;
  readonly payer?: string | undefined;
  readonly [member: string]: unknown;
}

/** Moves the money of a verified payment, by its rail. Throws where the outcome is unknown. */
export type Settlement = (payment: VerifiedPayment) => Promise<Settled>;

/** Settlements by rail, as one. */
export const settleBy =
  (settlements: Readonly<Record<string, Settlement>>): Settlement =>
  (payment) => {
    const settle = settlements[payment.rail];
    if (!settle) throw new Error(`nobody settles ${payment.rail}`);
    return settle(payment);
  };
