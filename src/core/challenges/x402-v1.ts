import { member, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { NETWORKS } from '../registry/networks.ts';
import { textOf } from './answer.ts';
import type { Offer } from './dialect.ts';
import { caip2, readOffer, type OfferRules, type Unreadable } from './x402-offer.ts';

/** Names in use beside those of the network registry. */
const ALIASES: Readonly<Record<string, string>> = { 'solana-mainnet': 'solana' };

const RULES: OfferRules = {
  version: 1,
  amountKey: 'maxAmountRequired',
  network(name) {
    const v1Name = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
    const known = NETWORKS.find((network) => network.v1Name === v1Name)?.id ?? caip2(name);
    return known ?? (/^[a-z][-a-z0-9]{0,39}$/.test(name) ? 'unknown' : undefined);
  },
  // Servers of version 1 leave it out, although its specification wants it; this is the value of its examples.
  defaultTimeoutSeconds: 60,
};

/** One entry of `accepts` by the rules of x402 version 1: `maxAmountRequired`, and networks by short names. */
export const readOfferV1 = (source: Json): Offer | Unreadable => readOffer(source, RULES);

/** What is bought: version 1 says it in each offer. */
export function resourceV1(required: JsonObject): { readonly url: string; readonly description: string } {
  const accepts = required.get('accepts');
  const first = Array.isArray(accepts) ? (accepts as readonly Json[])[0] : undefined;
  return { url: textOf(member(first, 'resource')), description: textOf(member(first, 'description')) };
}

/** The version 1 PaymentPayload as JSON text, with the network by the name that the server used. */
export const paymentPayloadV1 = (offer: Offer, payloadText: string): string =>
  `{"x402Version":1,"scheme":${JSON.stringify(offer.scheme)},"network":${stringifyJson(member(offer.source, 'network') ?? offer.network)},"payload":${payloadText}}`;
