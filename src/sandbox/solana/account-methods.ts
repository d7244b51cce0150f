import type { EncodedAccount } from '@solana/kit';
import type { Bank } from './bank.ts';
import { encodeAccount, type AccountEncoding } from './encode-account.ts';
import { invalidParams } from './rpc-error.ts';
import { withContext, type RpcMethods } from './rpc-context.ts';
import { addressAt, configAt, textsAt, wholeAt, type RpcConfig } from './rpc-params.ts';
import { decimalsOf, readMint, readTokenAccount, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, uiTokenAmount, type TokenAccount } from './token-accounts.ts';

/** The methods that read accounts. State is that of the head: it equals the finalized state once two slots have passed. */
export function accountMethods(bank: Bank): RpcMethods {
  return {
    getBalance: (params) => withContext(bank, configAt(params, 1).commitment, bank.account(addressAt(params, 0))?.lamports ?? 0n),
    getMinimumBalanceForRentExemption: (params) => bank.svm.minimumBalanceForRentExemption(wholeAt(params, 0)),
    getAccountInfo: (params) => {
      const config = configAt(params, 1);
      return withContext(bank, config.commitment, encodeAccount(bank, bank.account(addressAt(params, 0)), encodingOf(config)));
    },
    getMultipleAccounts: (params) => {
      const config = configAt(params, 1);
      const encoding = { ...encodingOf(config), encoding: config.encoding ?? 'base64' };
      const accounts = textsAt(params, 0).map((_, index, list) => encodeAccount(bank, bank.account(addressAt(list, index)), encoding));
      return withContext(bank, config.commitment, accounts);
    },
    getTokenAccountBalance: (params) => {
      const account = bank.account(addressAt(params, 0));
      const token = account && readTokenAccount(account);
      if (!token) throw invalidParams('could not find account');
      return withContext(bank, configAt(params, 1).commitment, uiTokenAmount(token.amount, decimalsOf(bank, token.mint)));
    },
    getTokenSupply: (params) => {
      const account = bank.account(addressAt(params, 0));
      const mint = account && readMint(account);
      if (!mint) throw invalidParams('not a Token mint');
      return withContext(bank, configAt(params, 1).commitment, uiTokenAmount(mint.supply, mint.decimals));
    },
    getTokenAccountsByOwner: (params) => tokenAccounts(bank, params, (token) => token.owner),
    getTokenAccountsByDelegate: (params) => tokenAccounts(bank, params, (token) => token.delegate),
  };
}

function tokenAccounts(bank: Bank, params: readonly unknown[], holderOf: (token: TokenAccount) => string | null): object {
  const holder = addressAt(params, 0);
  const { mint, programId } = configAt(params, 1).fields;
  if (typeof mint !== 'string' && typeof programId !== 'string') throw invalidParams('expected a mint or a programId');
  const programs = typeof programId === 'string' ? [addressAt([programId], 0)] : [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
  const config = configAt(params, 2);
  const held = (account: EncodedAccount): boolean => {
    const token = readTokenAccount(account);
    return token !== undefined && holderOf(token) === holder && (typeof mint !== 'string' || token.mint === mint);
  };
  const found = programs.flatMap((program) => bank.svm.getProgramAccounts(program)).filter(held);
  const value = found.map((account) => ({ pubkey: account.address, account: encodeAccount(bank, account, encodingOf(config)) }));
  return withContext(bank, config.commitment, value);
}

function encodingOf({ encoding, fields }: RpcConfig): AccountEncoding {
  const slice = fields['dataSlice'];
  if (slice === undefined || slice === null) return { encoding };
  const { offset, length } = configAt([slice], 0).fields;
  if (typeof offset !== 'number' || typeof length !== 'number') throw invalidParams('dataSlice needs offset and length');
  return { encoding, dataSlice: { offset, length } };
}
