import type { ErrorCode } from '../../shared/errors/codes.ts';
import { isObject, type Json } from '../json/json.ts';
import type { NetworkId } from '../registry/networks.ts';
import { textOf } from './answer.ts';
import type { Offer } from './dialect.ts';
import { unpayableScheme } from './unsupported.ts';

const UNITS = /^(?:0|[1-9]\d{0,77})$/;
const PAYABLE_NETWORK = /^(?:eip155:[1-9]\d{0,15}|solana:[1-9A-HJ-NP-Za-km-z]{32})$/;
const MAX_TIMEOUT_S = 4_000_000_000;

/** Why an entry of `accepts` is no offer, in words that follow "offer 1: ". */
export interface Unreadable {
  readonly code: Extract<ErrorCode, 'CHALLENGE_MALFORMED' | 'NETWORK_UNSUPPORTED' | 'NO_PAYABLE_OFFER'>;
  readonly why: string;
}

/** In what the entries of `accepts` differ between versions of x402. */
export interface OfferRules {
  readonly version: 1 | 2;
  readonly amountKey: 'amount' | 'maxAmountRequired';
  /** What a network of this name is; undefined for a name that no network can have. `unknown` for one that exists elsewhere. */
  network(name: string): NetworkId | 'unknown' | undefined;
  /** Seconds, where the entry names none. Undefined where it must. */
  readonly defaultTimeoutSeconds?: number;
}

/** A CAIP-2 id: one that Bursar could pay on, or `unknown` for another chain's. */
export function caip2(name: string): NetworkId | 'unknown' | undefined {
  if (PAYABLE_NETWORK.test(name)) return name as NetworkId;
  return /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/.test(name) ? 'unknown' : undefined;
}

/** One entry of `accepts`. */
export function readOffer(source: Json, rules: OfferRules): Offer | Unreadable {
  if (!isObject(source)) return malformed('is not an object');
  const scheme = source.get('scheme');
  if (typeof scheme !== 'string' || scheme === '') return malformed('has no scheme');

  const offer = readTerms(source, scheme, rules);
  // The fields of other schemes differ; what is wrong with such an offer is its scheme.
  const unpayable = 'why' in offer ? unpayableScheme(scheme) : undefined;
  return unpayable === undefined ? offer : { code: 'NO_PAYABLE_OFFER', why: `wants ${unpayable}` };
}

function readTerms(source: ReadonlyMap<string, Json>, scheme: string, rules: OfferRules): Offer | Unreadable {
  const named = source.get('network');
  const network = typeof named === 'string' ? rules.network(named) : undefined;
  const asset = source.get('asset');
  const amount = source.get(rules.amountKey);
  const otherAmount = source.get(rules.amountKey === 'amount' ? 'maxAmountRequired' : 'amount');
  const payee = source.get('payTo');
  const timeout = source.get('maxTimeoutSeconds') ?? rules.defaultTimeoutSeconds;
  const extra = source.get('extra') ?? new Map<string, Json>();

  if (network === undefined) return malformed(rules.version === 1 ? 'has no network' : 'has no CAIP-2 network');
  if (network === 'unknown') return { code: 'NETWORK_UNSUPPORTED', why: `is on the network "${textOf(named).slice(0, 60)}", which this wallet does not know` };
  if (typeof asset !== 'string' || asset === '' || asset.length > 128) return malformed('has no asset');
  if (typeof amount !== 'string' || !UNITS.test(amount)) return malformed(`has no ${rules.amountKey} that is a whole number of base units in a string`);
  if (otherAmount !== undefined && otherAmount !== amount) return malformed('names two amounts');
  if (amount === '0') return malformed('asks for nothing');
  if (typeof payee !== 'string' || payee === '' || payee.length > 128) return malformed('has no payTo address');
  if (typeof timeout !== 'number' || !Number.isSafeInteger(timeout) || timeout <= 0 || timeout > MAX_TIMEOUT_S) return malformed('has no valid maxTimeoutSeconds');
  if (!isObject(extra)) return malformed('has an extra that is not an object');
  const flow = extra.get('paymentFlow') ?? 'authorization';
  if (typeof flow !== 'string') return malformed('has a paymentFlow that is not a text');
  return { scheme, network, asset, amount, payee, maxTimeoutSeconds: timeout, x402Version: rules.version, paymentFlow: flow, extra, source };
}

const malformed = (why: string): Unreadable => ({ code: 'CHALLENGE_MALFORMED', why });
