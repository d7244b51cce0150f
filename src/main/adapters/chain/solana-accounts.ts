import { address, getAddressDecoder } from '@solana/kit';
import { z } from 'zod';
import type { NetworkId } from '../../../core/registry/networks.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Pool } from './pool.ts';

/** What a mint does on a transfer besides moving the amount. */
export interface MintFacts {
  readonly transferFee: boolean;
  readonly transferHook: boolean;
  readonly paused: boolean;
}

/** What a token account says of itself. */
export interface TokenAccountFacts {
  /** The program that owns it. */
  readonly program: string;
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  /** Who may spend `delegated` of it besides its owner. */
  readonly delegate?: string;
  readonly delegated: bigint;
  readonly frozen: boolean;
}

/** Accounts on Solana, at `confirmed`. All throw `CHAIN_UNREACHABLE`. */
export interface SolanaAccounts {
  mint(network: NetworkId, mint: string, signal: AbortSignal): Promise<MintFacts>;
  /** Base units that `by` can spend from a token account: what it owns, or what is left of an approval; 0 for a stranger and where there is no account. */
  spendable(network: NetworkId, of: { readonly tokenAccount: string; readonly by: string }, signal: AbortSignal): Promise<bigint>;
  /** Token accounts, a hundred to a question; undefined where there is no account, or one of another kind. */
  tokenAccounts(network: NetworkId, accounts: readonly string[], signal: AbortSignal): Promise<readonly (TokenAccountFacts | undefined)[]>;
  /** The program that owns an account; undefined where there is no account. */
  programOf(network: NetworkId, account: string, signal: AbortSignal): Promise<string | undefined>;
  lamports(network: NetworkId, account: string, signal: AbortSignal): Promise<bigint>;
  /** Lamports that an account of this many bytes has to hold. */
  rent(network: NetworkId, bytes: number, signal: AbortSignal): Promise<bigint>;
  /** Lamports that a transaction with this message (base64) costs. */
  fee(network: NetworkId, message: string, signal: AbortSignal): Promise<bigint>;
}

const whole = z.number().int().nonnegative().transform(BigInt);
const found = z.object({ value: z.object({ owner: z.string(), lamports: whole, data: z.tuple([z.base64(), z.literal('base64')]) }).nullable() });

/** Where the base of a token account ends, and the kind of a Token-2022 account and its extensions begin (Token-2022, `StateWithExtensions`). */
const BASE_BYTES = 165;
const TRANSFER_FEE_CONFIG = 1;
const TRANSFER_HOOK = 14;
const PAUSABLE = 26;

const several = z.object({ value: z.array(found.shape.value) });
/** How many accounts a server shows at once. */
const MOST_AT_ONCE = 100;

/** One balance that is asked for: lamports of `account`, or what `by` can spend from the token account. */
export type BalanceAt = { readonly account: string; readonly by?: string };

/** Accounts by their addresses, a hundred to a question. */
async function readAccounts(endpoint: Endpoint, addresses: readonly string[], signal: AbortSignal) {
  const unique = [...new Set(addresses)];
  const parts = Array.from({ length: Math.ceil(unique.length / MOST_AT_ONCE) }, (_, at) => unique.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE));
  const read = await Promise.all(parts.map(async (part) => (await endpoint.ask('getMultipleAccounts', [part, { commitment: 'confirmed', encoding: 'base64' }], several, signal)).value));
  return new Map(unique.map((account, at) => [account, read.flat()[at] ?? undefined]));
}

/** Balances of many accounts. */
export async function readBalancesAt(endpoint: Endpoint, wanted: readonly BalanceAt[], signal: AbortSignal): Promise<readonly bigint[]> {
  const byAccount = await readAccounts(endpoint, wanted.map(({ account }) => account), signal);
  return wanted.map(({ account, by }) => {
    const shown = byAccount.get(account);
    if (!shown) return 0n;
    return by === undefined ? shown.lamports : spendableBy(Buffer.from(shown.data[0], 'base64'), by);
  });
}

export function createSolanaAccounts(pool: (network: NetworkId) => Pool): SolanaAccounts {
  const read = (network: NetworkId, account: string, signal: AbortSignal) => pool(network).first((endpoint) => readAccount(endpoint, account, signal));
  return {
    async mint(network, mint, signal) {
      const account = await read(network, mint, signal);
      if (!account) throw new BursarError('CHAIN_UNREACHABLE', `The RPC server does not show the mint ${mint}.`);
      return mintFacts(account.data);
    },
    async spendable(network, { tokenAccount, by }, signal) {
      const account = await read(network, tokenAccount, signal);
      return account ? spendableBy(account.data, by) : 0n;
    },
    async tokenAccounts(network, accounts, signal) {
      const byAccount = await pool(network).first((endpoint) => readAccounts(endpoint, accounts, signal));
      return accounts.map((account) => {
        const shown = byAccount.get(account);
        return shown && tokenAccountFacts(shown.owner, Buffer.from(shown.data[0], 'base64'));
      });
    },
    programOf: async (network, account, signal) => (await read(network, account, signal))?.program,
    lamports: async (network, account, signal) => (await read(network, account, signal))?.lamports ?? 0n,
    fee: async (network, message, signal) => (await pool(network).first((endpoint) => endpoint.ask('getFeeForMessage', [message, { commitment: 'confirmed' }], z.object({ value: whole }), signal))).value,
    rent: (network, bytes, signal) => pool(network).first((endpoint) => endpoint.ask('getMinimumBalanceForRentExemption', [bytes], whole, signal)),
  };
}

async function readAccount(endpoint: Endpoint, account: string, signal: AbortSignal) {
  const { value } = await endpoint.ask('getAccountInfo', [account, { commitment: 'confirmed', encoding: 'base64' }], found, signal);
  return value ? { program: value.owner, lamports: value.lamports, data: Buffer.from(value.data[0], 'base64') } : undefined;
}

const INITIALIZED = 1;
const FROZEN = 2;

/** SPL Token, `Account`: mint at 0, owner at 32, amount at 64, delegate (an option) at 72, state at 108, delegated amount at 121. */
function tokenAccountFacts(program: string, data: Buffer): TokenAccountFacts | undefined {
  const state = data[108];
  if (data.length < BASE_BYTES || (state !== INITIALIZED && state !== FROZEN)) return undefined;
  const isDelegated = data.readUInt32LE(72) === 1;
  return {
    program,
    mint: addressAt(data, 0),
    owner: addressAt(data, 32),
    amount: data.readBigUInt64LE(64),
    ...(isDelegated && { delegate: addressAt(data, 76) }),
    delegated: isDelegated ? data.readBigUInt64LE(121) : 0n,
    frozen: state === FROZEN,
  };
}

function spendableBy(data: Buffer, by: string): bigint {
  const facts = tokenAccountFacts('', data);
  if (!facts || facts.frozen) return 0n;
  const { owner, amount, delegate, delegated } = facts;
  if (owner === by) return amount;
  if (delegate !== by) return 0n;
  return delegated < amount ? delegated : amount;
}

/** What the extensions of a Token-2022 mint say; a plain mint has none. */
function mintFacts(data: Buffer): MintFacts {
  const extensions = new Map<number, Buffer>();
  for (let at = BASE_BYTES + 1; at + 4 <= data.length; ) {
    const kind = data.readUInt16LE(at);
    const length = data.readUInt16LE(at + 2);
    if (kind !== 0) extensions.set(kind, data.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const fee = extensions.get(TRANSFER_FEE_CONFIG);
  const hook = extensions.get(TRANSFER_HOOK);
  return {
    // Basis points of the fee in force and of the one that follows it.
    transferFee: fee !== undefined && (fee.length < 108 || fee.readUInt16LE(88) !== 0 || fee.readUInt16LE(106) !== 0),
    transferHook: hook !== undefined && (hook.length < 64 || hook.subarray(32, 64).some((byte) => byte !== 0)),
    paused: extensions.get(PAUSABLE)?.[32] === 1,
  };
}

const addressAt = (data: Buffer, offset: number): string => address(getAddressDecoder().decode(data.subarray(offset, offset + 32)));
