import { getBase58Decoder, type EncodedAccount } from '@solana/kit';
import { decimalsOf, readMint, readTokenAccount, TOKEN_2022_PROGRAM, uiTokenAmount, type Accounts } from './token-accounts.ts';

/** How the caller wants the bytes of an account. */
export interface AccountEncoding {
  readonly encoding?: string | undefined;
  readonly dataSlice?: { readonly offset: number; readonly length: number } | undefined;
}

const RENT_EPOCH_NEVER = 18_446_744_073_709_551_615n;

/** An account as the RPC shows it: `jsonParsed` for token accounts and mints, otherwise bytes in base64 or base58. */
export function encodeAccount(accounts: Accounts, account: EncodedAccount | undefined, options: AccountEncoding = {}): object | null {
  if (!account) return null;
  const parsed = options.encoding === 'jsonParsed' ? parseTokenData(accounts, account) : undefined;
  return {
    data: parsed ?? encodeBytes(account, options),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.programAddress,
    rentEpoch: RENT_EPOCH_NEVER,
    space: account.data.length,
  };
}

function encodeBytes({ data }: EncodedAccount, { encoding, dataSlice }: AccountEncoding): string | [string, string] {
  const bytes = dataSlice ? data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  const base58 = () => getBase58Decoder().decode(bytes);
  if (encoding === undefined) return base58();
  return encoding === 'base58' ? [base58(), 'base58'] : [Buffer.from(bytes).toString('base64'), 'base64'];
}

function parseTokenData(accounts: Accounts, account: EncodedAccount): object | undefined {
  const program = account.programAddress === TOKEN_2022_PROGRAM ? 'spl-token-2022' : 'spl-token';
  const space = account.data.length;
  const token = readTokenAccount(account);
  if (token) {
    const { mint, owner, state, amount, delegate, delegatedAmount } = token;
    const decimals = decimalsOf(accounts, mint);
    const delegation = delegate === null ? {} : { delegate, delegatedAmount: uiTokenAmount(delegatedAmount, decimals) };
    const info = { isNative: false, mint, owner, state, tokenAmount: uiTokenAmount(amount, decimals), ...delegation };
    return { program, space, parsed: { type: 'account', info } };
  }
  const mint = readMint(account);
  return mint && { program, space, parsed: { type: 'mint', info: { ...mint, supply: mint.supply.toString() } } };
}
