import type { Json, JsonObject } from '../json/json.ts';
import type { NetworkId } from '../registry/networks.ts';
import type { Reading, RetryEdit } from './answer.ts';

/** One way to pay that a challenge offers, as far as every dialect has it. */
export interface Offer {
  readonly scheme: string;
  readonly network: NetworkId;
  /** As the server wrote it; the registry decides what it is. */
  readonly asset: string;
  /** Base units, digits only. */
  readonly amount: string;
  readonly payee: string;
  /** Seconds that the authorization may live. */
  readonly maxTimeoutSeconds: number;
  /** Time after which the server takes no payment any more (ms), where the challenge names one. */
  readonly expiresAt?: number;
  /** 32 bytes as `0x…` that the authorization has to carry, where the dialect derives it from the challenge. */
  readonly nonce?: string;
  /** `client`: whoever pays settles the proof with a facilitator, before the retry. */
  readonly settlement?: 'client';
  /** Version of x402 whose rules the proof follows. */
  readonly x402Version: 1 | 2;
  /** `authorization` (default), `upfront` or `escrow` (x402 `extra.paymentFlow`). */
  readonly paymentFlow: string;
  readonly extra: JsonObject;
  /** The offer verbatim, to be echoed. */
  readonly source: Json;
}

/** What Bursar itself knows of an order that it wrote: none of it is the word of a server or an agent. */
export interface OrderFacts {
  /** Who gets the money, in Bursar's words: `contact 3 (Ada)`. */
  readonly recipient: string;
  /** The owner named this recipient, as a contact. */
  readonly known: boolean;
  /** The owner ordered it, and no agent. */
  readonly byOwner: boolean;
  /** What speaks against sending it, for the owner to read; each is a reason to ask. */
  readonly warnings: readonly string[];
  /** The one account that may pay it. */
  readonly payer?: string;
  /** It goes into an escrow: the recipient takes it with a link, and reads the memo there. */
  readonly byLink?: boolean;
}

/** A request for money, read. */
export interface Challenge {
  readonly dialect: string;
  readonly offers: readonly Offer[];
  /** Offers that could not be read, with the reason, so that the journal and the refusal can name them. */
  readonly unreadable: readonly string[];
  /** What is bought, in the server's words. Untrusted. */
  readonly resource: string;
  readonly description: string;
  /** The server's `error` text. Untrusted. */
  readonly error: string;
  /** True where it stood in plain text only, which a fetched page could have written too: such a challenge never auto-approves. */
  readonly textOnly: boolean;
  /** The server's id of this one request for money, where the dialect has one. Under one id the terms never change. */
  readonly instance?: string;
  /** How the proof stands in an argument besides `_meta`, where the server may not be reached by that (MPX). */
  readonly argumentForm?: 'text' | 'object';
  /** Set for Bursar's own orders alone. */
  readonly order?: OrderFacts;
  /** The challenge verbatim. */
  readonly source: JsonObject;
}

/** What a proof was given for, as the journal keeps it: JSON of the challenge and of the offer, both verbatim. */
export interface Bought {
  readonly challengeText: string;
  readonly offerText: string;
}

/** What a server's answer to a paid call says. HTTP status and receipt prove nothing about the money (wire-formats section 0.6). */
export type PaidAnswer =
  | { readonly kind: 'served'; readonly receipt?: Receipt }
  | { readonly kind: 'refused'; readonly message: string; readonly settlementFailed: boolean; readonly receipt?: Receipt }
  | { readonly kind: 'failed'; readonly message: string; readonly receipt?: Receipt };

/** The server's word that money moved. */
export interface Receipt {
  readonly success: boolean;
  readonly transaction: string;
  readonly network: string;
  /** Verbatim, for evidence. */
  readonly source: Json;
}

/** One form in which servers ask for money. Detection looks at data only, never at an error code alone. */
export interface Dialect {
  readonly id: string;
  /** True where the same proof may be sent again while it lives: it can settle once, however often it is sent. */
  readonly resendable: boolean;
  /** The challenge in an answer, or undefined where this is none of this dialect. Throws `CHALLENGE_MALFORMED` where it plainly is, but cannot be read. */
  detect(reading: Reading): Challenge | undefined;
  /** What carries the proof on the retry. */
  attach(challenge: Challenge, offer: Offer, payloadText: string): RetryEdit;
  /** Reads the answer to a call that carried a proof for `bought`. A receipt for anything else is no success. */
  readAnswer(reading: Reading, bought?: Bought): PaidAnswer;
}
