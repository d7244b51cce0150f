import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, member, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { findNetwork } from '../registry/networks.ts';
import { textOf, type Reading, type ToolListing } from './answer.ts';
import type { Bought, Challenge, Dialect, Offer, PaidAnswer, Receipt } from './dialect.ts';
import { readAmount, readMpxOffer } from './mpx-terms.ts';
import { timeOf } from './time.ts';
import { complaint, toolError, jsonOf, onlyText } from './tool-result.ts';

const CHALLENGE = 'mpx/v1.challenge';
const AUTHORIZATION = 'mpx/v1.authorization';
const RECEIPT = 'mpx/v1.receipt';
const ARGUMENT = 'payment_authorization';
const MAX_OFFERS = 32;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * MPX, the MCP Payments Extension, version 1 (wire-formats section 5): challenge, authorization and receipt stand in `_meta`.
 * A handler that fails opens the same request again, so the same proof may be sent until the request expires.
 */
export const mpx: Dialect = {
  id: 'mpx',
  resendable: true,

  detect(reading) {
    const found = challengeOf(reading);
    return found && readChallenge(found.challenge, found.textOnly, reading.listing);
  },

  attach(challenge, offer, payloadText) {
    const rail = textOf(member(offer.source, 'rail'));
    const payload = rail === 'x402-evm-exact' ? x402Payload(offer, payloadText) : payloadText;
    const id = stringifyJson(challenge.source.get('paymentRequestId') ?? '');
    const authorization = `{"mpxVersion":1,"paymentRequestId":${id},"rail":${JSON.stringify(rail)},"payload":${payload}}`;
    const { argumentForm } = challenge;
    return {
      meta: { [AUTHORIZATION]: authorization },
      ...(argumentForm && { arguments: { [ARGUMENT]: argumentForm === 'text' ? JSON.stringify(authorization) : authorization } }),
    };
  },

  readAnswer(reading, bought): PaidAnswer {
    const receipt = readReceipt(member(member(reading.rpc?.get('result'), '_meta'), RECEIPT), bought);
    const withReceipt = receipt && { receipt };
    const words = complaint(reading.rpc);
    const rejected = /^\s*payment_(?:error|required):\s*/i.exec(words);
    if (rejected || challengeOf(reading)) return { kind: 'refused', message: words.slice(rejected?.[0].length ?? 0), settlementFailed: false, ...withReceipt };
    if (toolError(reading.rpc) || !reading.rpc?.has('result')) return { kind: 'failed', message: words, ...withReceipt };
    return { kind: 'served', ...withReceipt };
  },
};

/** The challenge in an error result: in `_meta`, or as the JSON of its one text block. */
function challengeOf(reading: Reading): { challenge: Json; textOnly: boolean } | undefined {
  const result = toolError(reading.rpc);
  const inMeta = member(member(result, '_meta'), CHALLENGE);
  if (inMeta !== undefined) return { challenge: inMeta, textOnly: false };

  const words = onlyText(result);
  if (words === undefined || !/"mpx(?:\/v1\.challenge|Version)"/.test(words)) return undefined;
  const json = jsonOf(words);
  const wrapped = member(json, CHALLENGE) ?? member(member(json, '_meta'), CHALLENGE);
  if (wrapped !== undefined) return { challenge: wrapped, textOnly: true };
  return isObject(json) && json.has('mpxVersion') && json.has('accepts') ? { challenge: json, textOnly: true } : undefined;
}

/** Throws `CHALLENGE_MALFORMED`. */
function readChallenge(source: Json, textOnly: boolean, listing: ToolListing | undefined): Challenge {
  const malformed = (why: string) => new BursarError('CHALLENGE_MALFORMED', `The payment request ${why}.`);

  if (!isObject(source)) throw malformed('is not an object');
  if (source.get('mpxVersion') !== 1) throw malformed('is of an unknown version of MPX, and this wallet pays version 1');
  const id = source.get('paymentRequestId');
  if (typeof id !== 'string' || !UUID.test(id)) throw malformed('has no paymentRequestId');
  const expiresAt = timeOf(source.get('expiresAt'));
  if (expiresAt === undefined) throw malformed('has an expiry that is no time');
  const reason = source.get('reason');
  if (typeof member(reason, 'tool') !== 'string' || typeof member(reason, 'description') !== 'string') throw malformed('does not say what is bought');
  const amount = readAmount(source.get('amount'));
  if (!amount) throw malformed('has no exact amount');
  if (amount.units === 0n) throw malformed('asks for nothing');
  const accepts = source.get('accepts');
  if (!Array.isArray(accepts) || accepts.length === 0) throw malformed('offers no way to pay');
  if (accepts.length > MAX_OFFERS) throw malformed(`offers more than ${MAX_OFFERS} ways to pay`);

  const offers: Offer[] = [];
  const unreadable: string[] = [];
  for (const [index, entry] of (accepts as readonly Json[]).entries()) {
    const offer = readMpxOffer(entry, amount, expiresAt);
    if (typeof offer === 'string') unreadable.push(`offer ${index + 1}: ${offer}`);
    else offers.push(offer);
  }
  if (offers.length === 0) throw malformed(`has no readable offer (${unreadable.join('; ')})`);

  const argumentForm = formOfArgument(listing, textOnly);
  return {
    dialect: 'mpx',
    offers,
    unreadable,
    resource: textOf(member(reason, 'tool')),
    description: textOf(member(reason, 'description')),
    error: '',
    textOnly,
    instance: id,
    ...(argumentForm && { argumentForm }),
    source,
  };
}

/**
 * A server that lists the argument, or whose `_meta` was lost on the way to us, may not get ours either: it takes the authorization as
 * an argument too, as JSON text unless its schema wants an object. One that reads both takes `_meta`.
 */
function formOfArgument(listing: ToolListing | undefined, textOnly: boolean): Challenge['argumentForm'] {
  const schema = member(member(listing?.get('inputSchema'), 'properties'), ARGUMENT);
  if (schema === undefined && !textOnly) return undefined;
  return member(schema, 'type') === 'object' ? 'object' : 'text';
}

/** The x402 v1 payment that the rail expects, decoded (section 5). */
function x402Payload({ source, network }: Offer, payloadText: string): string {
  const named = textOf(member(member(source, 'requirements'), 'network')) || (findNetwork(network)?.v1Name ?? network);
  return `{"x402Version":1,"scheme":"exact","network":${JSON.stringify(named)},"payload":${payloadText}}`;
}

/** The server's receipt; one for another request, rail or amount than was paid is kept as evidence and is no success. */
function readReceipt(source: Json | undefined, bought: Bought | undefined): Receipt | undefined {
  if (!isObject(source)) return undefined;
  const success = source.get('mpxVersion') === 1 && typeof source.get('settlementRef') === 'string' && bought !== undefined && isFor(source, bought);
  return { success, transaction: textOf(source.get('settlementRef')).slice(0, 128), network: '', source };
}

function isFor(receipt: JsonObject, { challengeText, offerText }: Bought): boolean {
  const challenge = jsonOf(challengeText);
  const [asked, settled] = [readAmount(member(challenge, 'amount')), readAmount(receipt.get('amount'))];
  return (
    receipt.get('paymentRequestId') === member(challenge, 'paymentRequestId') &&
    receipt.get('rail') === member(jsonOf(offerText), 'rail') &&
    asked !== undefined &&
    settled !== undefined &&
    asked.currency === settled.currency &&
    asked.units * 10n ** BigInt(settled.decimals) === settled.units * 10n ** BigInt(asked.decimals)
  );
}
