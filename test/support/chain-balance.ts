import { createSolanaRpc, address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { createPublicClient, erc20Abi, http, type Address } from 'viem';

/** Where a sandbox's chains are reached, as its ready line says. */
export interface SandboxReady {
  readonly evm: { readonly network: string; readonly rpcUrl: string; readonly usdc: string };
  readonly solana: { readonly network: string; readonly rpcUrl: string; readonly usdc: string };
  readonly seller: { readonly payTo: { readonly evm: string; readonly solana: string } };
}

/** USDC in base units, read from the chain itself and not from Bursar. */
export async function usdcBalance(ready: SandboxReady, network: string, owner: string): Promise<bigint> {
  if (network === ready.evm.network) {
    const client = createPublicClient({ transport: http(ready.evm.rpcUrl) });
    return client.readContract({ address: ready.evm.usdc as Address, abi: erc20Abi, functionName: 'balanceOf', args: [owner as Address] });
  }
  const [account] = await findAssociatedTokenPda({ owner: address(owner), mint: address(ready.solana.usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const rpc = createSolanaRpc(ready.solana.rpcUrl);
  // Nobody has paid them yet.
  if ((await rpc.getAccountInfo(account, { encoding: 'base64' }).send()).value === null) return 0n;
  const { value } = await rpc.getTokenAccountBalance(account).send();
  return BigInt(value.amount);
}
