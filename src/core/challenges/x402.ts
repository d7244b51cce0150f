import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, member, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import type { NetworkId } from '../registry/networks.ts';
import { textOf } from './answer.ts';
import type { Challenge, Offer, Receipt } from './dialect.ts';

const NETWORK = /^(?:eip155:[1-9]\d{0,15}|solana:[1-9A-HJ-NP-Za-km-z]{32})$/;
const UNITS = /^(?:0|[1-9]\d{0,77})$/;
const MAX_OFFERS = 32;

/** True for an object that claims to be an x402 PaymentRequired, readable or not. */
export const claimsPaymentRequired = (value: Json | undefined): value is JsonObject =>
  isObject(value) && value.has('x402Version') && value.has('accepts');

/**
 * Reads an x402 v2 PaymentRequired (x402 specification v2, section 5.1). Single offers that cannot be read are left out and named.
 * Throws `CHALLENGE_MALFORMED`.
 */
export function readPaymentRequired(dialect: string, required: JsonObject, textOnly: boolean): Challenge {
  const malformed = (why: string) => new BursarError('CHALLENGE_MALFORMED', `The payment request ${why}.`);

  const version = required.get('x402Version');
  if (version !== 2) throw malformed(`uses x402 version ${typeof version === 'number' ? version : 'unknown'}, and this wallet pays version 2`);
  const accepts = required.get('accepts');
  if (!Array.isArray(accepts) || accepts.length === 0) throw malformed('offers no way to pay');
  if (accepts.length > MAX_OFFERS) throw malformed(`offers more than ${MAX_OFFERS} ways to pay`);

  const offers: Offer[] = [];
  const unreadable: string[] = [];
  for (const [index, source] of (accepts as readonly Json[]).entries()) {
    const offer = readOffer(source);
    if (typeof offer === 'string') unreadable.push(`offer ${index + 1}: ${offer}`);
    else offers.push(offer);
  }
  if (offers.length === 0) throw malformed(`has no readable offer (${unreadable.join('; ')})`);

  const resource = required.get('resource');
  return {
    dialect,
    offers,
    unreadable,
    resource: textOf(member(resource, 'url')),
    description: textOf(member(resource, 'description')),
    error: textOf(required.get('error')),
    textOnly,
    source: required,
  };
}

/** One entry of `accepts`, or why it cannot be read. */
function readOffer(source: Json): Offer | string {
  if (!isObject(source)) return 'is not an object';
  const scheme = source.get('scheme');
  const network = source.get('network');
  const asset = source.get('asset');
  const amount = source.get('amount');
  const payee = source.get('payTo');
  const timeout = source.get('maxTimeoutSeconds');
  const extra = source.get('extra') ?? new Map<string, Json>();
  if (typeof scheme !== 'string' || scheme === '') return 'has no scheme';
  if (typeof network !== 'string' || !NETWORK.test(network)) return 'has no CAIP-2 network';
  if (typeof asset !== 'string' || asset === '' || asset.length > 128) return 'has no asset';
  if (typeof amount !== 'string' || !UNITS.test(amount)) return 'has an amount that is not a whole number of base units in a string';
  if (amount === '0') return 'asks for nothing';
  if (typeof payee !== 'string' || payee === '' || payee.length > 128) return 'has no payTo address';
  if (typeof timeout !== 'number' || !Number.isSafeInteger(timeout) || timeout <= 0) return 'has no valid maxTimeoutSeconds';
  if (!isObject(extra)) return 'has an extra that is not an object';
  return {
    scheme,
    network: network as NetworkId,
    asset,
    amount,
    payee,
    maxTimeoutSeconds: timeout,
    x402Version: 2,
    paymentFlow: textOf(extra.get('paymentFlow')) || 'authorization',
    extra,
    source,
  };
}

/** The x402 v2 PaymentPayload as JSON text, with the chosen offer, the resource and the extensions echoed verbatim (section 5.2). */
export function paymentPayload(challenge: Challenge, offer: Offer, payloadText: string): string {
  const echoed = ['resource', 'extensions']
    .filter((key) => isObject(challenge.source.get(key)))
    .map((key) => `${JSON.stringify(key)}:${stringifyJson(challenge.source.get(key)!)},`);
  return `{"x402Version":2,${echoed.join('')}"accepted":${stringifyJson(offer.source)},"payload":${payloadText}}`;
}

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
