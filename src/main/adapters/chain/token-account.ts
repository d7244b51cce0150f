import { address, type Address } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';
import type { Asset } from '../../../core/registry/assets.ts';
import { SPL_TOKEN } from '../../../core/registry/solana-tokens.ts';

const MAX_REMEMBERED = 1_000;
// Deriving takes half a millisecond, and signing needs each account twice: to build and to check.
const known = new Map<string, Address>();

/** The program that owns a token's mint, its accounts and their addresses. */
export const tokenProgramOf = ({ tokenProgram = SPL_TOKEN }: Pick<Asset, 'tokenProgram'>): string => tokenProgram;

/** The associated token account of a wallet for a token. Rejects for what is no address. */
export async function tokenAccountOf(owner: string, asset: Pick<Asset, 'address' | 'tokenProgram'>): Promise<Address> {
  const key = `${owner} ${asset.address}`;
  const found = known.get(key);
  if (found) return found;
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(asset.address), tokenProgram: address(tokenProgramOf(asset)) });
  known.set(key, account);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!);
  return account;
}
