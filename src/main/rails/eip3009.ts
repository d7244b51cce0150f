import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Hex } from 'viem';

/** Typed data of EIP-3009's cancellation (EIP-3009, "cancelAuthorization"). */
export const CANCEL_AUTHORIZATION = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Seconds that an authorization may live at most: while it lives it holds budget (design, "Slow humans"). */
export const MAX_LIFETIME_S = 600;

/** The EIP-712 domain of a token. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Hex;
}

/** A transfer that its payer signs. Times are seconds since the epoch; the nonce is 32 bytes in hex. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: string;
}

const hashOf = (...parts: readonly Uint8Array[]): Uint8Array => keccak_256(Buffer.concat(parts));
const DOMAIN_TYPE = hashOf(Buffer.from('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'));
/** As the token's contract has it (EIP-3009, "transferWithAuthorization"). */
const TRANSFER_TYPE = hashOf(Buffer.from('TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'));

/** The hash that the payer signs (EIP-712, "Definition of hashTypedData"). Throws a RangeError for a member that is not of its type. */
export function authorizationHash(domain: TokenDomain, { from, to, value, validAfter, validBefore, nonce }: Authorization): Uint8Array {
  const struct = hashOf(TRANSFER_TYPE, word(from, 20), word(to, 20), number(value), number(validAfter), number(validBefore), word(nonce, 32));
  return hashOf(Buffer.of(0x19, 0x01), separatorOf(domain), struct);
}

function word(hex: string, bytes: number): Buffer {
  const given = Buffer.from(hex.slice(2), 'hex');
  if (!hex.startsWith('0x') || hex.length !== 2 + 2 * bytes || given.length !== bytes) throw new RangeError(`${hex.slice(0, 80)} does not have ${bytes} bytes.`);
  return bytes === 32 ? given : Buffer.concat([Buffer.alloc(32 - bytes), given]);
}

function number(value: bigint): Buffer {
  if (value < 0n || value >> 256n !== 0n) throw new RangeError(`${value} is no uint256.`);
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

/** Tokens whose domain is kept: a wallet pays with few, and the hash of one takes longer than that of what is signed. */
const MOST_DOMAINS = 64;
const separators = new Map<string, Uint8Array>();

function separatorOf(domain: TokenDomain): Uint8Array {
  const { name, version, chainId, verifyingContract } = domain;
  const key = JSON.stringify([name, version, chainId, verifyingContract]);
  const known = separators.get(key);
  if (known) return known;
  const separator = hashOf(DOMAIN_TYPE, hashOf(Buffer.from(name)), hashOf(Buffer.from(version)), number(BigInt(chainId)), word(verifyingContract, 20));
  if (separators.size >= MOST_DOMAINS) separators.clear();
  separators.set(key, separator);
  return separator;
}
