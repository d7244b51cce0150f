import { address, getAddressDecoder, type Address, type EncodedAccount } from '@solana/kit';
import { formatUnits } from '../../shared/money/money.ts';

/** SPL Token. */
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
/** Token-2022 (Token Extensions). */
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

const TOKEN_ACCOUNT_SIZE = 165;
const MINT_SIZE = 82;
const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

/** An amount as the RPC shows it. `uiAmount` is for display only, as on a real node. */
export interface UiTokenAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number;
  readonly uiAmountString: string;
}

/** A token balance in a transaction, `accountIndex` being its place among the addresses. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: UiTokenAmount;
}

/** The base fields of a token account. */
export interface TokenAccount {
  readonly mint: Address;
  readonly owner: string;
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly delegatedAmount: bigint;
  readonly state: (typeof STATES)[number];
}

/** The base fields of a mint. */
export interface Mint {
  readonly decimals: number;
  readonly supply: bigint;
  readonly isInitialized: boolean;
  readonly mintAuthority: string | null;
  readonly freezeAuthority: string | null;
}

/** The part of a bank that reading accounts needs. */
export interface Accounts {
  account(address: Address): EncodedAccount | undefined;
}

/** Reads a token account of either token program; undefined where the account is something else. */
export function readTokenAccount({ data, programAddress }: EncodedAccount): TokenAccount | undefined {
  if (!isOfTokenProgram(programAddress) || !hasKind(data, TOKEN_ACCOUNT_SIZE, 2)) return undefined;
  const view = viewOf(data);
  return {
    mint: addressAt(data, 0),
    owner: addressAt(data, 32),
    amount: view.getBigUint64(64, true),
    delegate: optionalAddressAt(data, 72),
    state: STATES[data[108] ?? 0] ?? 'uninitialized',
    delegatedAmount: view.getBigUint64(121, true),
  };
}

/** Reads a mint of either token program; undefined where the account is something else. */
export function readMint({ data, programAddress }: EncodedAccount): Mint | undefined {
  if (!isOfTokenProgram(programAddress) || !hasKind(data, MINT_SIZE, 1)) return undefined;
  return {
    mintAuthority: optionalAddressAt(data, 0),
    supply: viewOf(data).getBigUint64(36, true),
    decimals: data[44] ?? 0,
    isInitialized: data[45] === 1,
    freezeAuthority: optionalAddressAt(data, 46),
  };
}

/** The decimals of a mint, 0 where it does not exist. */
export function decimalsOf(accounts: Accounts, mint: Address): number {
  const account = accounts.account(mint);
  return (account && readMint(account)?.decimals) ?? 0;
}

/** Base units in the form in which the RPC shows them. */
export function uiTokenAmount(amount: bigint, decimals: number): UiTokenAmount {
  const uiAmountString = formatUnits(amount, decimals);
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

/** The token balances among a transaction's accounts, by their index in it. */
export function tokenBalancesOf(accounts: Accounts, addresses: readonly Address[]): TokenBalance[] {
  return addresses.flatMap((holder, accountIndex) => {
    const account = accounts.account(holder);
    const token = account && readTokenAccount(account);
    if (!account || !token) return [];
    const { mint, owner, amount } = token;
    return [{ accountIndex, mint, owner, programId: account.programAddress, uiTokenAmount: uiTokenAmount(amount, decimalsOf(accounts, mint)) }];
  });
}

type Bytes = EncodedAccount['data'];

const isOfTokenProgram = (program: string): boolean => program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM;
// Token-2022 pads an extended account and writes its kind (1 mint, 2 account) behind the base of 165 bytes.
const hasKind = (data: Bytes, size: number, kind: number): boolean =>
  data.length === size || (data.length > TOKEN_ACCOUNT_SIZE && data[TOKEN_ACCOUNT_SIZE] === kind);
const viewOf = (data: Bytes): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength);
const addressAt = (data: Bytes, offset: number): Address => getAddressDecoder().decode(data.subarray(offset, offset + 32));
const optionalAddressAt = (data: Bytes, offset: number): string | null =>
  viewOf(data).getUint32(offset, true) === 1 ? addressAt(data, offset + 4) : null;
