import { BursarError } from '../../shared/errors/errors.ts';
import type { Asset } from '../../core/registry/assets.ts';
import type { SolanaAccounts } from '../adapters/chain/solana-accounts.ts';

/**
 * Throws `FLOW_UNSUPPORTED` where a Token-2022 mint does more on a transfer than move the amount: take a fee from it, call another
 * program, or stand still. A fee that its issuer could set and has not set is none.
 */
export async function requirePlainMint(accounts: SolanaAccounts, { network, address, symbol }: Asset, signal: AbortSignal): Promise<void> {
  const { transferFee, transferHook, paused } = await accounts.mint(network, address, signal);
  const refused = (why: string) => new BursarError('FLOW_UNSUPPORTED', `The token ${symbol} ${why}, and this wallet pays exact amounts alone.`);
  if (transferFee) throw refused('takes a fee from each transfer');
  if (transferHook) throw refused('calls another program on each transfer');
  if (paused) throw refused('is paused by its issuer');
}
