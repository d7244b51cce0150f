import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 as keccak } from '@noble/hashes/sha3.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { BursarError } from '../../shared/errors/errors.ts';
import type { ClaimLink } from '../../shared/escrow/claim-link.ts';
import { bytesOf, concat, hexOf, word } from './bytes.ts';

/** Typed data of EIP-3009's transfer and of its domain (EIP-712). */
const TRANSFER = keccak(utf8ToBytes('TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)'));
const DOMAIN = keccak(utf8ToBytes('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'));

/** The address in the form with a checksum (EIP-55). Throws `ADDRESS_INVALID`. */
export function checkEvmAddress(text: string): string {
  const given = text.trim();
  const digits = given.slice(2);
  if (!/^0x[0-9a-fA-F]{40}$/.test(given)) throw invalid(`An address of this network is 0x and 40 digits; this one ${given.length === 42 ? 'holds other characters' : `has ${Math.max(0, given.length)} characters in all`}.`);
  const address = checksummed(digits.toLowerCase());
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!isOneCase && given !== address) throw invalid('The address has a wrong checksum: at least one of its characters is not the right one.');
  if (BigInt(given) <= 0xffffn) throw invalid('Nobody has this address. What is sent there is lost.');
  return address;
}

function checksummed(lower: string): string {
  const hash = hexOf(keccak(utf8ToBytes(lower)));
  return `0x${Array.from(lower, (character, at) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? character.toUpperCase() : character)).join('')}`;
}

export function evmAddressOf(secret: string): string {
  const publicKey = secp256k1.getPublicKey(bytesOf(secret), false);
  return checksummed(hexOf(keccak(publicKey.slice(1)).slice(12)));
}

/** The payload of x402 `exact` (EIP-3009): moves the whole amount to `to`, until `validBefore` (s). */
export function signEvmClaim({ network, token, units, secret }: ClaimLink, { to, validBefore, nonce }: { readonly to: string; readonly validBefore: number; readonly nonce: Uint8Array }): object {
  const { eip712, address: contract } = token;
  if (!eip712) throw new BursarError('CLAIM_LINK_INVALID', 'The claim link does not say how its token is moved.');
  const from = evmAddressOf(secret);
  const padded = (address: string) => word(BigInt(address));
  const domain = keccak(concat(DOMAIN, keccak(utf8ToBytes(eip712.name)), keccak(utf8ToBytes(eip712.version)), word(BigInt(network.slice('eip155:'.length))), padded(contract)));
  const message = keccak(concat(TRANSFER, padded(from), padded(to), word(BigInt(units)), word(0n), word(BigInt(validBefore)), nonce));
  const hash = keccak(concat(Uint8Array.of(0x19, 0x01), domain, message));
  const [recovery = 0, ...rs] = secp256k1.sign(hash, bytesOf(secret), { prehash: false, format: 'recovered' });
  return {
    signature: `0x${hexOf(Uint8Array.from(rs))}${(27 + recovery).toString(16)}`,
    authorization: { from, to, value: units, validAfter: '0', validBefore: String(validBefore), nonce: `0x${hexOf(nonce)}` },
  };
}

const invalid = (message: string) => new BursarError('ADDRESS_INVALID', message);
