import { address, type Address } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';
import { TOKEN_PROGRAM } from './spl-transfer.ts';

const MAX_REMEMBERED = 1_000;
// Deriving takes half a millisecond, and signing needs each account twice: to build and to check.
const known = new Map<string, Address>();

/** The associated token account of a wallet for a mint of the SPL Token program. Rejects for what is no address. */
export async function tokenAccountOf(owner: string, mint: string): Promise<Address> {
  const key = `${owner} ${mint}`;
  const found = known.get(key);
  if (found) return found;
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(mint), tokenProgram: address(TOKEN_PROGRAM) });
  known.set(key, account);
  if (known.size > MAX_REMEMBERED) known.delete(known.keys().next().value!);
  return account;
}
