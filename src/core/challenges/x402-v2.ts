import { isObject, member, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { textOf } from './answer.ts';
import type { Challenge, Offer } from './dialect.ts';
import { withPaymentIdentifier } from './payment-identifier.ts';
import { caip2, readOffer, type OfferRules, type Unreadable } from './x402-offer.ts';

const RULES: OfferRules = { version: 2, amountKey: 'amount', network: caip2 };

/** One entry of `accepts` by the rules of x402 version 2 (specification v2, section 5.1): `amount`, and networks by CAIP-2 ids. */
export const readOfferV2 = (source: Json): Offer | Unreadable => readOffer(source, RULES);

/** What is bought: version 2 says it once. */
export function resourceV2(required: JsonObject): { readonly url: string; readonly description: string } {
  const resource = required.get('resource');
  return { url: textOf(member(resource, 'url')) || textOf(resource), description: textOf(member(resource, 'description')) };
}

/**
 * The version 2 PaymentPayload as JSON text: the chosen offer, the resource and the extensions echoed verbatim (specification v2,
 * section 5.2), but for the identifier of the payment where the server takes one.
 */
export function paymentPayloadV2(challenge: Challenge, offer: Offer, payloadText: string): string {
  const resource = challenge.source.get('resource');
  const extensions = challenge.source.get('extensions');
  const echoed = [
    ...(isObject(resource) ? [`"resource":${stringifyJson(resource)},`] : []),
    ...(isObject(extensions) ? [`"extensions":${stringifyJson(withPaymentIdentifier(extensions, payloadText))},`] : []),
  ];
  return `{"x402Version":2,${echoed.join('')}"accepted":${stringifyJson(offer.source)},"payload":${payloadText}}`;
}
