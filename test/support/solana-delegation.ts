import { address, createSolanaRpc } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { z } from 'zod';

const Parsed = z.object({ value: z.object({ data: z.object({ parsed: z.object({ info: z.object({ delegate: z.string().optional(), delegatedAmount: z.object({ amount: z.string() }).optional() }) }) }) }) });

/** What the chain lets somebody else spend of an owner's USDC, and how many transactions touched the token account; from its own RPC. */
export async function delegationOnChain({ rpcUrl, usdc }: { readonly rpcUrl: string; readonly usdc: string }, owner: string): Promise<{ readonly delegate: string; readonly delegated: bigint; readonly touched: number }> {
  const rpc = createSolanaRpc(rpcUrl);
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const { value } = Parsed.parse(await rpc.getAccountInfo(account, { encoding: 'jsonParsed' }).send());
  const { delegate = '', delegatedAmount } = value.data.parsed.info;
  return { delegate, delegated: BigInt(delegatedAmount?.amount ?? 0), touched: (await rpc.getSignaturesForAddress(account).send()).length };
}
