import type { Hex } from 'viem';
import { BursarError } from '../../shared/errors/errors.ts';
import { isObject, parseJson, type Json, type JsonObject } from '../../core/json/json.ts';
import type { Terms } from '../../core/payments/terms.ts';
import { REGISTERED, type Assets } from '../../core/registry/assets.ts';
import { evmChainId } from '../../core/registry/networks.ts';
import { authorizationHash, MAX_LIFETIME_S } from './eip3009.ts';
import { requireFacts } from './offer-terms.ts';
import { isSignedBy } from './signed-by.ts';

/** Half of secp256k1's order: a larger `s` is the malleable twin, which tokens refuse (EIP-2). */
const MAX_LOW_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const DIGITS = /^(?:0|[1-9]\d{0,77})$/;
const NONCE = /^0x[0-9a-f]{64}$/;
const SIGNATURE = /^0x[0-9a-f]{128}(?:1b|1c)$/;
const MEMBERS = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const;

/** What belongs to one signing and not to the terms. Times are in seconds. */
export interface EvmInstance {
  readonly signedAt: number;
  readonly nonce: string;
  /** 0 unless the proof follows x402 v1. */
  readonly validAfter: number;
  /** The end that the offer sets, where it sets one. */
  readonly notAfter?: number;
}

/**
 * I2 for EIP-3009: reads the text that will leave, checks its signer over a domain built from the registry, and compares all with
 * the terms. Throws `PROOF_MISMATCH`.
 */
export async function verifyExactEvm(payloadText: string, terms: Terms, instance: EvmInstance, assets: Assets = REGISTERED): Promise<void> {
  const { signature, authorization } = readPayload(payloadText);
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const expiry = DIGITS.test(validBefore) ? BigInt(validBefore) : 0n;
  requireFacts({
    payer: from === terms.payer,
    payee: to === terms.payee,
    amount: value === terms.amount.toString(),
    start: validAfter === String(instance.validAfter),
    lifetime: expiry > BigInt(instance.signedAt) && expiry <= BigInt(Math.min(instance.signedAt + MAX_LIFETIME_S, instance.notAfter ?? Number.MAX_SAFE_INTEGER)),
    nonce: NONCE.test(nonce) && nonce === instance.nonce,
    'signature form': SIGNATURE.test(signature) && BigInt(`0x${signature.slice(66, 130)}`) <= MAX_LOW_S,
  });

  const hash = authorizationHash(domainOf(terms, assets), { from, to, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: expiry, nonce });
  requireFacts({ signer: await isSignedBy(terms.payer, hash, signature as Hex) });
}

/** The token's domain by the registry and the owner's policy alone: what the caller holds as asset is not asked. Throws `PROOF_MISMATCH`. */
export function domainOf({ network, asset: address }: Terms, assets: Assets) {
  const asset = assets.find(network, address);
  if (!asset?.eip712 || asset.address !== address) throw new BursarError('PROOF_MISMATCH', `The token ${address} is not in the registry as one that is paid by signature.`);
  return { ...asset.eip712, chainId: evmChainId(network), verifyingContract: address as Hex };
}

type Authorization = Readonly<Record<(typeof MEMBERS)[number], string>>;

/** The payload's texts. Members beyond the known ones are refused: nothing leaves that was not looked at. */
function readPayload(payloadText: string): { signature: string; authorization: Authorization } {
  const payload = object(parse(payloadText), ['signature', 'authorization']);
  const authorization = object(payload.get('authorization'), MEMBERS);
  return {
    signature: text(payload, 'signature'),
    authorization: Object.fromEntries(MEMBERS.map((key) => [key, text(authorization, key)])) as Authorization,
  };
}

function parse(payloadText: string): Json {
  try {
    return parseJson(payloadText);
  } catch (cause) {
    throw new BursarError('PROOF_MISMATCH', 'What was about to be sent is not JSON.', { cause });
  }
}

function object(value: Json | undefined, keys: readonly string[]): JsonObject {
  if (isObject(value) && value.size === keys.length && keys.every((key) => value.has(key))) return value;
  throw new BursarError('PROOF_MISMATCH', `What was about to be sent does not have exactly the members ${keys.join(', ')}.`);
}

function text(source: JsonObject, key: string): string {
  const value = source.get(key);
  if (typeof value === 'string') return value;
  throw new BursarError('PROOF_MISMATCH', `What was about to be sent has a ${key} that is not a text.`);
}
