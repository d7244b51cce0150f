import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, member, parseJson, stringifyJson, type Json, type JsonObject } from '../json/json.ts';
import { findAsset } from '../registry/assets.ts';
import { textOf } from './answer.ts';
import type { Challenge, Offer, Receipt } from './dialect.ts';
import { timeOf } from './time.ts';

const MAX_CHALLENGES = 32;
const UNITS = /^(?:0|[1-9]\d{0,77})$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Life of a proof for a challenge without an expiry, as payers of MPP give it. */
const DEFAULT_TIMEOUT_S = 300;
const LONGEST_TIMEOUT_S = 600;

/** One challenge of MPP on either transport. */
export interface MppEntry {
  /** The challenge as it goes back to the server, verbatim. */
  readonly source: JsonObject;
  /** The method's own terms, decoded. */
  readonly request: JsonObject;
}

/** What makes an object a challenge of MPP; its `request` is checked by whoever decodes it. */
export const isMppChallenge = (value: Json | undefined): value is JsonObject =>
  isObject(value) && ['id', 'realm', 'method', 'intent'].every((key) => textOf(value.get(key)) !== '') && value.has('request');

/**
 * The offers in the challenges of one answer (wire-formats section 6). One challenge is one offer. Throws `CHALLENGE_MALFORMED`, and
 * `NO_PAYABLE_OFFER` where all are of methods that this wallet does not have.
 */
export function readMppChallenges(dialect: string, entries: readonly MppEntry[], error: string, source: JsonObject): Challenge {
  if (entries.length > MAX_CHALLENGES) throw new BursarError('CHALLENGE_MALFORMED', `The payment request offers more than ${MAX_CHALLENGES} ways to pay.`);
  const offers: Offer[] = [];
  const unreadable: string[] = [];
  let unknownMethods = 0;
  for (const [index, entry] of entries.entries()) {
    const method = `${textOf(entry.source.get('method'))}/${textOf(entry.source.get('intent'))}`;
    const isKnown = method === 'evm/charge';
    const offer = isKnown ? readCharge(entry) : `wants to be paid by "${method.slice(0, 60)}", which this wallet does not have`;
    if (!isKnown) unknownMethods++;
    if (typeof offer === 'string') unreadable.push(`offer ${index + 1}: ${offer}`);
    else offers.push(offer);
  }
  if (offers.length === 0) {
    const why = unreadable.join('; ');
    throw unknownMethods === entries.length
      ? new BursarError('NO_PAYABLE_OFFER', `The payment request can be paid in no way that this wallet has (${why}).`)
      : new BursarError('CHALLENGE_MALFORMED', `The payment request has no readable offer (${why}).`);
  }
  const [first] = entries;
  const text = (key: string) => textOf(first?.source.get(key));
  return {
    dialect,
    offers,
    unreadable,
    resource: text('realm'),
    description: text('description') || textOf(first?.request.get('description')),
    error,
    textOnly: false,
    instance: entries.map((entry) => nonceOf(entry)).join(' '),
    source,
  };
}

/** An `evm`/`charge`: EIP-3009 with a nonce and an expiry that the challenge gives. Or why it cannot be read. */
function readCharge({ source, request }: MppEntry): Offer | string {
  const amount = request.get('amount');
  const asset = request.get('currency');
  const payee = request.get('recipient');
  const details = request.get('methodDetails');
  const chainId = member(details, 'chainId');
  const types = member(details, 'credentialTypes') ?? ['authorization'];
  const splits = member(details, 'splits') ?? [];
  const decimals = member(details, 'decimals');
  if (typeof amount !== 'string' || !UNITS.test(amount)) return 'has an amount that is not a whole number of base units in a string';
  if (amount === '0') return 'asks for nothing';
  if (typeof asset !== 'string' || !ADDRESS.test(asset)) return 'has no currency address';
  if (typeof payee !== 'string' || !ADDRESS.test(payee)) return 'has no recipient address';
  if (typeof chainId !== 'number' || !Number.isSafeInteger(chainId) || chainId <= 0) return 'has no chain id';
  if (!Array.isArray(types) || !(types as readonly Json[]).includes('authorization')) return 'takes no EIP-3009 authorization';
  if (!Array.isArray(splits) || splits.length > 0) return 'splits the payment among several payees';
  const network = `eip155:${chainId}` as const;
  const known = findAsset(network, asset);
  if (known && decimals !== undefined && decimals !== known.decimals) return `counts ${known.symbol} in ${stringifyJson(decimals).slice(0, 20)} decimals, and it has ${known.decimals}`;

  const expires = source.get('expires');
  const expiresAt = timeOf(expires);
  if (expires !== undefined && expiresAt === undefined) return 'has an expiry that is no time';
  return {
    scheme: 'exact',
    network,
    asset,
    amount,
    payee,
    maxTimeoutSeconds: expiresAt === undefined ? DEFAULT_TIMEOUT_S : LONGEST_TIMEOUT_S,
    ...(expiresAt !== undefined && { expiresAt }),
    nonce: nonceOf({ source }),
    x402Version: 2,
    paymentFlow: 'authorization',
    extra: new Map(),
    source,
  };
}

/** keccak-256 of the UTF-8 bytes of id and realm, one behind the other: it binds the authorization to this challenge. */
export const challengeNonce = (id: string, realm: string): string => `0x${bytesToHex(keccak_256(utf8ToBytes(`${id}${realm}`)))}`;

const nonceOf = ({ source }: Pick<MppEntry, 'source'>): string => challengeNonce(textOf(source.get('id')), textOf(source.get('realm')));

/** The credential for an offer as JSON text, from the payload of the EIP-3009 rail: `{challenge, payload, source}`. Throws `INTERNAL`. */
export function mppCredential({ source, network }: Offer, payloadText: string): string {
  const proof = parseJson(payloadText);
  const authorization = member(proof, 'authorization');
  const from = member(authorization, 'from');
  if (!isObject(authorization) || typeof from !== 'string') throw new BursarError('INTERNAL', 'The proof is no EIP-3009 authorization.');
  const payload = new Map<string, Json>([['type', 'authorization'], ...authorization, ['signature', member(proof, 'signature') ?? null]]);
  const payer = `did:pkh:${network}:${from}`;
  return stringifyJson(new Map<string, Json>([['challenge', source], ['payload', payload], ['source', payer]]));
}

/** A receipt of MPP; one that names another challenge than was paid is kept as evidence and is no success. */
export function readMppReceipt(source: Json | undefined, paidId: string | undefined): Receipt | undefined {
  if (!isObject(source)) return undefined;
  const about = source.get('challengeId');
  const success = source.get('status') === 'success' && textOf(source.get('reference')) !== '' && (about === undefined || about === paidId);
  return { success, transaction: textOf(source.get('reference')).slice(0, 128), network: '', source };
}
