import { isAddress as isSolanaAddress, isOffCurveAddress } from '@solana/kit';
import { getAddress, isAddress as isEvmAddress } from 'viem/utils';
import { EVM_COIN } from '../../core/registry/coins.ts';
import type { Asset } from '../../core/registry/assets.ts';
import type { KeyNamespace } from '../../core/registry/networks.ts';
import { SPL_TOKEN, TOKEN_2022 } from '../../core/registry/solana-tokens.ts';
import { BursarError } from '../../shared/errors/errors.ts';

/** An address that money may be sent to, as its chain writes it. */
export interface CheckedAddress {
  readonly namespace: KeyNamespace;
  readonly address: string;
}

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** Nobody has a key of these. */
const BURNS: readonly string[] = ['0x000000000000000000000000000000000000dead', '0xdead000000000000000042069420694206942069', '1nc1nerator11111111111111111111111111111111'];
const PROGRAMS: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'the System Program',
  [SPL_TOKEN]: 'the Token Program',
  [TOKEN_2022]: 'the Token-2022 Program',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'the Associated Token Program',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'the Memo Program',
  ComputeBudget111111111111111111111111111111: 'the Compute Budget Program',
};

/** Reads an address and tells its kind by its form. `assets` are the tokens whose own addresses nobody can be paid at. Throws `ADDRESS_INVALID`. */
export function checkAddress(text: string, assets: readonly Asset[]): CheckedAddress {
  const given = text.trim();
  const checked = /^0x/i.test(given) ? checkEvm(given) : checkSolana(given);
  const { namespace, address } = checked;
  const token = assets.find((asset) => asset.network.startsWith(`${namespace}:`) && asset.address === address);
  if (token) throw invalid(address, `is the address of the token ${token.symbol} itself. What is sent there is lost`);
  return checked;
}

function checkEvm(given: string): CheckedAddress {
  const digits = given.slice(2);
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw invalid(given, 'holds characters that an address of an EVM network cannot have');
  if (digits.length !== 40) throw invalid(given, `has ${digits.length} digits after 0x, and an address of an EVM network has 40`);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  const address = getAddress(`0x${digits.toLowerCase()}`);
  if (!isOneCase && !isEvmAddress(given)) throw invalid(given, 'has a wrong checksum, so that at least one of its characters is not the right one');
  if (address === ZERO_ADDRESS || address === EVM_COIN) throw invalid(address, 'is an address that nobody has. What is sent there is lost');
  if (BigInt(address) <= 0x1ffn) throw invalid(address, 'is an address of the network itself. What is sent there is lost');
  return { namespace: 'eip155', address };
}

function checkSolana(given: string): CheckedAddress {
  if (/^[^\s@]+\.(?:eth|sol|xyz|com)$/i.test(given)) throw invalid(given, 'is a name, and Bursar looks no names up: whoever answers for the name could put another address there');
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(given) || !isSolanaAddress(given)) throw invalid(given, 'is neither an address of an EVM network (0x and 40 digits) nor one of Solana (32 bytes in base58)');
  const program = PROGRAMS[given];
  if (program !== undefined) throw invalid(given, `is ${program} and no wallet. What is sent there is lost`);
  return { namespace: 'solana', address: given };
}

/** What the owner should know of an address before money goes there; it can be sent all the same. Words that follow "because" or stand alone. */
export function addressWarnings({ address }: CheckedAddress, known: readonly { readonly name: string; readonly address: string }[]): readonly string[] {
  const isSame = (other: string) => other.toLowerCase() === address.toLowerCase();
  const lookalike = known.some((one) => isSame(one.address)) ? undefined : known.find((one) => ends(one.address) === ends(address));
  return [
    ...(BURNS.some(isSame) ? ['nobody has the key of this address: what is sent there is lost'] : []),
    ...(isSolanaAddress(address) && isOffCurveAddress(address) ? ['this address belongs to a program and not to a key: money may be lost there'] : []),
    ...(lookalike ? [`the address looks like that of ${lookalike.name}, and is another one`] : []),
  ];
}

/** What people look at of an address. */
const ends = (address: string): string => (address.startsWith('0x') ? `${address.slice(2, 6)}${address.slice(-4)}`.toLowerCase() : `${address.slice(0, 4)}${address.slice(-4)}`);

const invalid = (given: string, why: string) => new BursarError('ADDRESS_INVALID', `${given.slice(0, 80) || 'The empty text'} ${why}.`);
