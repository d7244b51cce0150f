import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Hex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import { recoverPublicKey, recoverTypedDataAddress, sha256, toHex } from 'viem/utils';
import type { SignedArtifact } from '../../core/challenges/offer-receipt.ts';
import { isObject, type Json, type JsonObject } from '../../core/json/json.ts';
import type { Signatures, Signer } from '../../core/ports.ts';

/** The types that the extension fixes; they are never on the wire. */
const TYPES = {
  Offer: [
    { name: 'version', type: 'uint256' },
    { name: 'resourceUrl', type: 'string' },
    { name: 'scheme', type: 'string' },
    { name: 'network', type: 'string' },
    { name: 'asset', type: 'string' },
    { name: 'payTo', type: 'string' },
    { name: 'amount', type: 'string' },
    { name: 'validUntil', type: 'uint256' },
  ],
  Receipt: [
    { name: 'version', type: 'uint256' },
    { name: 'network', type: 'string' },
    { name: 'resourceUrl', type: 'string' },
    { name: 'payer', type: 'string' },
    { name: 'issuedAt', type: 'uint256' },
    { name: 'transaction', type: 'string' },
  ],
} as const;
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const FALSE: Signer = { state: 'false' };
const unknown = (why: string): Signer => ({ state: 'unknown', why });

/**
 * Checks signed offers and receipts (x402 extension `offer-receipt`): EIP-712, and JWS by ES256K, ES256 or EdDSA where the key is in the
 * header or in a `did:jwk`. Keys that would have to be fetched (`did:web`) are not.
 */
export function createSignatures(): Signatures {
  return { signerOf: (artifact) => (artifact.format === 'eip712' ? typedDataSigner(artifact) : jwsSigner(artifact)) };
}

async function typedDataSigner({ kind, payload, signature }: SignedArtifact): Promise<Signer> {
  const primaryType = kind === 'offer' ? 'Offer' : 'Receipt';
  const message = messageOf(TYPES[primaryType], payload);
  if (!message || !SIGNATURE.test(signature)) return FALSE;
  // Every form-right signature has some signer: another message has another one.
  const address = await recoverTypedDataAddress({
    domain: { name: `x402 ${kind}`, version: '1', chainId: 1 },
    types: { [primaryType]: TYPES[primaryType] },
    primaryType,
    message,
    signature: signature as Hex,
  }).catch(() => undefined);
  return address ? { state: 'signed', name: address, addresses: [address] } : FALSE;
}

/** The fields of the type, and no others; what is optional counts as empty. */
function messageOf(fields: readonly { readonly name: string; readonly type: string }[], payload: JsonObject): Record<string, bigint | string> | undefined {
  const message: Record<string, bigint | string> = {};
  for (const { name, type } of fields) {
    const value = payload.get(name) ?? (name === 'validUntil' ? 0 : name === 'transaction' ? '' : undefined);
    if (type === 'string' && typeof value === 'string') message[name] = value;
    else if (type === 'uint256' && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) message[name] = BigInt(value);
    else return undefined;
  }
  return [...payload.keys()].every((name) => name in message) ? message : undefined;
}

async function jwsSigner({ header, signature }: SignedArtifact): Promise<Signer> {
  const name = header.get('kid');
  const [head = '', body = '', proof = '', ...more] = signature.split('.');
  if (typeof name !== 'string' || more.length > 0) return FALSE;
  const named = didJwk(name);
  const carried = jwkOf(header.get('jwk'));
  // A key that stands in the header must be the one that the header names.
  if (named && carried && (named.x !== carried.x || named.y !== carried.y || named.crv !== carried.crv)) return FALSE;
  const jwk = carried ?? named;
  if (!jwk) return unknown(`its key ${name.slice(0, 100)} would have to be fetched`);

  const signed = Buffer.from(`${head}.${body}`);
  const bytes = Buffer.from(proof, 'base64url');
  switch (header.get('alg')) {
    case 'ES256K':
      return secp256k1Signer(jwk, name, signed, bytes);
    case 'ES256':
      return jwk.crv === 'P-256' && verifies(jwk, 'sha256', signed, bytes) ? { state: 'signed', name, addresses: [] } : FALSE;
    case 'EdDSA':
      return jwk.crv === 'Ed25519' && verifies(jwk, null, signed, bytes) ? { state: 'signed', name, addresses: [base58.encode(Buffer.from(jwk.x ?? '', 'base64url'))] } : FALSE;
    default:
      return unknown('its algorithm is not known');
  }
}

/** By viem and not by `node:crypto`: Electron's lacks this curve. */
async function secp256k1Signer({ crv, x = '', y = '' }: JsonWebKey, name: string, signed: Buffer, bytes: Buffer): Promise<Signer> {
  const key = `0x04${Buffer.from(x, 'base64url').toString('hex')}${Buffer.from(y, 'base64url').toString('hex')}`;
  if (crv !== 'secp256k1' || bytes.length !== 64) return FALSE;
  const hash = sha256(signed);
  const parts = { r: toHex(bytes.subarray(0, 32)), s: toHex(bytes.subarray(32)) };
  for (const yParity of [0, 1]) {
    const recovered = await recoverPublicKey({ hash, signature: { ...parts, yParity } }).catch(() => undefined);
    if (recovered === key) return { state: 'signed', name, addresses: [publicKeyToAddress(recovered)] };
  }
  return FALSE;
}

function verifies(jwk: JsonWebKey, hash: 'sha256' | null, signed: Buffer, bytes: Buffer): boolean {
  try {
    return verify(hash, signed, { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, bytes);
  } catch {
    return false; // not a key of that kind
  }
}

/** The public key in a `did:jwk` (its method specification, section 2). */
function didJwk(kid: string): JsonWebKey | undefined {
  const [, encoded] = /^did:jwk:([A-Za-z0-9_-]+)(?:#.*)?$/.exec(kid) ?? [];
  if (encoded === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    return typeof value === 'object' && value !== null ? publicJwk(new Map(Object.entries(value))) : undefined;
  } catch {
    return undefined;
  }
}

const jwkOf = (value: Json | undefined): JsonWebKey | undefined => (isObject(value) ? publicJwk(value) : undefined);

/** The members that make a public key, and no more: what else a server put there is not handed to a library. */
function publicJwk(members: ReadonlyMap<string, unknown>): JsonWebKey | undefined {
  const text = (name: string) => {
    const value = members.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  const [kty, crv, x, y] = [text('kty'), text('crv'), text('x'), text('y')];
  return kty !== undefined && crv !== undefined && x !== undefined ? { kty, crv, x, ...(y !== undefined && { y }) } : undefined;
}
