import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, member, type Json, type JsonObject } from '../json/json.ts';
import { textOf } from './answer.ts';
import type { Challenge, Offer, Receipt } from './dialect.ts';
import type { Unreadable } from './x402-offer.ts';
import { paymentPayloadV1, readOfferV1, resourceV1 } from './x402-v1.ts';
import { paymentPayloadV2, readOfferV2, resourceV2 } from './x402-v2.ts';

const MAX_OFFERS = 32;

/** True for an object that claims to be an x402 PaymentRequired, readable or not. */
export const claimsPaymentRequired = (value: Json | undefined): value is JsonObject =>
  isObject(value) && value.has('x402Version') && value.has('accepts');

/**
 * Reads an x402 PaymentRequired of version 1 or 2. Single offers that cannot be read are left out and named. Throws
 * `CHALLENGE_MALFORMED`, or the one reason for which all of its offers are none.
 */
export function readPaymentRequired(dialect: string, required: JsonObject, textOnly: boolean): Challenge {
  const version = versionOf(required);
  const accepts = required.get('accepts');
  if (!Array.isArray(accepts) || accepts.length === 0) throw malformed('offers no way to pay');
  if (accepts.length > MAX_OFFERS) throw malformed(`offers more than ${MAX_OFFERS} ways to pay`);

  const offers: Offer[] = [];
  const unreadable: Unreadable[] = [];
  for (const [index, source] of (accepts as readonly Json[]).entries()) {
    const offer = version === 1 ? readOfferV1(source) : readOfferV2(source);
    if ('why' in offer) unreadable.push({ ...offer, why: `offer ${index + 1}: ${offer.why}` });
    else offers.push(offer);
  }
  const reasons = unreadable.map(({ why }) => why);
  const [first] = unreadable;
  if (first && offers.length === 0) {
    const code = unreadable.every((one) => one.code === first.code) ? first.code : 'CHALLENGE_MALFORMED';
    throw new BursarError(code, `The payment request has no offer that can be taken (${reasons.join('; ')}).`);
  }

  const { url, description } = version === 1 ? resourceV1(required) : resourceV2(required);
  return { dialect, offers, unreadable: reasons, resource: url, description, error: textOf(required.get('error')), textOnly, source: required };
}

/** Where the version is left out, the offers tell: each version has a name of its own for the amount. */
function versionOf(required: JsonObject): 1 | 2 {
  const version = required.get('x402Version');
  if (version === 1 || version === 2) return version;
  if (version !== undefined) throw malformed(`uses x402 version ${typeof version === 'number' ? version : 'unknown'}, and this wallet pays versions 1 and 2`);
  const accepts = required.get('accepts');
  return Array.isArray(accepts) && member((accepts as readonly Json[])[0], 'maxAmountRequired') !== undefined ? 1 : 2;
}

const malformed = (why: string): BursarError => new BursarError('CHALLENGE_MALFORMED', `The payment request ${why}.`);

/** The PaymentPayload as JSON text, in the version of the offer. */
export const paymentPayload = (challenge: Challenge, offer: Offer, payloadText: string): string =>
  offer.x402Version === 1 ? paymentPayloadV1(offer, payloadText) : paymentPayloadV2(challenge, offer, payloadText);

/** An x402 SettlementResponse (section 5.3), or undefined where there is none. */
export function readReceipt(source: Json | undefined): Receipt | undefined {
  if (!isObject(source) || typeof source.get('success') !== 'boolean') return undefined;
  return {
    success: source.get('success') === true,
    transaction: textOf(source.get('transaction')).slice(0, 128),
    network: textOf(source.get('network')).slice(0, 128),
    source,
  };
}
