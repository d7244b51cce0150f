import type { Call, Reply } from './call.ts';
import type { PaymentRail, Settled, Verdict } from './rail.ts';
import type { Challenge, PayTo, Price, RailOffer } from './terms.ts';

/** Why money is (still) asked for. `settled` is the settlement that failed, where it said how. */
export type Demand =
  | { readonly kind: 'required' }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unverified'; readonly reason: string }
  | { readonly kind: 'unsettled'; readonly reason: string; readonly settled?: Settled };

/** A payment that came with a call. */
export interface SentPayment {
  /** Set where the dialect's buyers name the challenge that they pay. */
  readonly challengeId?: string;
  readonly proof: unknown;
  /** Whether it accepts this offer, given in the dialect's words. */
  accepts(offer: RailOffer): boolean;
}

/** See {@link SellingDialect.listing}. */
export interface ToolListing {
  readonly members?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly arguments?: Readonly<Record<string, object>>;
}

/** One form in which a seller asks for money and is given it. */
export interface SellingDialect {
  readonly id: string;
  /** True where a challenge is stored, expires and pays for one call; false where the terms alone come back. */
  readonly storesChallenges: boolean;
  /** Arguments that carry a payment and are none of the product's. */
  readonly paymentArguments?: readonly string[];
  /** What `tools/list` says about the price: members of the tool's entry, and JSON Schemas of the payment arguments. */
  listing?(price: Price, payTo: PayTo): ToolListing;
  /** The payment in a call, undefined where there is none, or why it cannot be read. */
  read(call: Call, rails: readonly PaymentRail[]): SentPayment | { readonly unreadable: string } | undefined;
  /** An offer in this dialect's words, where they differ from the rail's. */
  word?(offer: RailOffer, challenge: Challenge): RailOffer;
  /** The challenge, or the refusal of a payment. */
  ask(challenge: Challenge, demand: Demand, rails: readonly PaymentRail[]): Reply;
  /** The goods with their receipt. */
  hand(reply: Reply, sale: FinishedSale): Reply;
}

/** A sale whose money was settled, or only verified. */
export interface FinishedSale {
  readonly challenge: Challenge;
  readonly offer: RailOffer;
  readonly settled: Settled;
  readonly verdict: Extract<Verdict, { valid: true }>;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The reason of a demand as x402 sellers word it. */
export function demandText(demand: Demand, required: string): string {
  switch (demand.kind) {
    case 'required':
      return required;
    case 'invalid':
      return `Payment invalid: ${demand.reason}`;
    case 'unverified':
      return `Payment verification failed: ${demand.reason}`;
    case 'unsettled':
      return `Payment settlement failed: ${demand.reason}`;
  }
}
