import { base64urlnopad } from '@scure/base';
import { isBursarError } from '../../shared/errors/errors.ts';
import { isObject, member, parseJson, type Json, type JsonObject } from '../json/json.ts';
import { textOf } from './answer.ts';
import type { Challenge, Offer } from './dialect.ts';

const NAME = 'offer-receipt';
const MAX_ARTIFACTS = 32;
const MAX_CHARACTERS = 16_384;

/** What a server signed (x402 extension `offer-receipt`, version 1): an offer, or a receipt. Unverified. */
export interface SignedArtifact {
  readonly kind: 'offer' | 'receipt';
  readonly format: 'eip712' | 'jws';
  /** The signed fields: `payload` as it came, or the payload of the JWS. */
  readonly payload: JsonObject;
  /** `0x…` of 65 bytes, or a JWS in compact form. */
  readonly signature: string;
  /** Header of the JWS; empty for EIP-712. */
  readonly header: JsonObject;
}

/** The signed offers of a PaymentRequired; `unreadable` counts those that are none. */
export function signedOffers(required: JsonObject): { readonly artifacts: readonly SignedArtifact[]; readonly unreadable: number } {
  const offers = member(member(member(required.get('extensions'), NAME), 'info'), 'offers');
  const written = Array.isArray(offers) ? (offers as readonly Json[]).slice(0, MAX_ARTIFACTS) : [];
  const artifacts = written.map((source) => readArtifact('offer', source)).filter((artifact) => artifact !== undefined);
  return { artifacts, unreadable: written.length - artifacts.length };
}

/** The signed receipt in a SettlementResponse; `unreadable` for one that is none. */
export function signedReceipt(settlement: Json): SignedArtifact | 'unreadable' | undefined {
  const receipt = member(member(member(member(settlement, 'extensions'), NAME), 'info'), 'receipt');
  return receipt === undefined ? undefined : (readArtifact('receipt', receipt) ?? 'unreadable');
}

/** True where the signed fields are the terms of this offer. Where it stands in the list says nothing: that is not signed. */
export function signsOffer({ payload }: SignedArtifact, offer: Offer, challenge: Challenge): boolean {
  const same = (key: string, value: string) => textOf(payload.get(key)) === value;
  return (
    same('scheme', offer.scheme) &&
    same('network', offer.network) &&
    sameAddress(textOf(payload.get('asset')), offer.asset) &&
    sameAddress(textOf(payload.get('payTo')), offer.payee) &&
    same('amount', offer.amount) &&
    (challenge.resource === '' || same('resourceUrl', challenge.resource))
  );
}

/** Addresses of EVM chains compared without case, all others as they are. */
export const sameAddress = (one: string, other: string): boolean => one === other || (/^0x[0-9a-fA-F]{40}$/.test(one) && one.toLowerCase() === other.toLowerCase());

function readArtifact(kind: SignedArtifact['kind'], source: Json): SignedArtifact | undefined {
  const format = member(source, 'format');
  const signature = member(source, 'signature');
  if (typeof signature !== 'string' || signature.length > MAX_CHARACTERS) return undefined;
  if (format === 'eip712') {
    const payload = member(source, 'payload');
    return isObject(payload) && payload.get('version') === 1 ? { kind, format, payload, signature, header: new Map() } : undefined;
  }
  if (format !== 'jws') return undefined;
  const [header, payload] = signature.split('.').map(jsonPart);
  return header && payload?.get('version') === 1 ? { kind, format, payload, signature, header } : undefined;
}

/** A part of a JWS that is base64url of a JSON object. */
function jsonPart(part: string): JsonObject | undefined {
  let bytes: Uint8Array;
  try {
    bytes = base64urlnopad.decode(part);
  } catch {
    return undefined;
  }
  try {
    const value = parseJson(new TextDecoder().decode(bytes));
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (isBursarError(error, 'JSON_INVALID')) return undefined;
    throw error;
  }
}
