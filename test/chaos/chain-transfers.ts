import { address, createSolanaRpc, getBase58Decoder, getBase64Encoder, getTransactionDecoder, signature } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { createPublicClient, http, parseAbiItem, type Address } from 'viem';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Money that left an account, as a chain shows it. */
export interface Transfer {
  readonly network: string;
  readonly transaction: string;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  /** What identifies the authorization: the EIP-3009 nonce, or every signature of the Solana transaction. */
  readonly marks: readonly string[];
  /** Chain time (s). */
  readonly at: number;
}

const USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** Every USDC transfer out of an EVM account, with the nonces that its transaction used. */
export async function evmTransfers({ evm }: Sandbox, owner: string): Promise<Transfer[]> {
  const client = createPublicClient({ transport: http(evm.rpcUrl) });
  const range = { address: evm.usdc as Address, fromBlock: 0n, toBlock: 'latest' } as const;
  const [transfers, used] = await Promise.all([
    client.getLogs({ ...range, event: TRANSFER, args: { from: owner as Address } }),
    client.getLogs({ ...range, event: USED, args: { authorizer: owner as Address } }),
  ]);
  return Promise.all(
    transfers.map(async ({ transactionHash, blockNumber, args }) => ({
      network: evm.network,
      transaction: transactionHash,
      from: owner,
      to: args.to ?? '',
      units: args.value ?? 0n,
      marks: used.filter((log) => log.transactionHash === transactionHash).map((log) => log.args.nonce ?? ''),
      at: Number((await client.getBlock({ blockNumber })).timestamp),
    })),
  );
}

interface TokenBalance {
  readonly mint: string;
  readonly owner?: string;
  readonly uiTokenAmount: { readonly amount: string };
}

/** Every USDC transfer out of a Solana account, read from what the transactions did to the balances. */
export async function solanaTransfers({ solana }: Sandbox, owner: string): Promise<Transfer[]> {
  const rpc = createSolanaRpc(solana.rpcUrl);
  const [source] = await findAssociatedTokenPda({ owner: address(owner), mint: address(solana.usdc), tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const transfers: Transfer[] = [];
  let before: string | undefined;
  for (;;) {
    const page = await rpc.getSignaturesForAddress(source, { limit: 1000, ...(before !== undefined && { before: signature(before) }) }).send();
    for (const landed of page) {
      if (landed.err !== null) continue;
      const found = await rpc.getTransaction(landed.signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }).send();
      if (!found?.meta) throw new Error(`the transaction ${landed.signature} cannot be read`);
      const moved = movedBy(found.meta, solana.usdc);
      const lost = moved.get(owner) ?? 0n;
      if (lost >= 0n) continue;
      transfers.push({
        network: solana.network,
        transaction: landed.signature,
        from: owner,
        to: [...moved].find(([, units]) => units === -lost)?.[0] ?? '',
        units: -lost,
        marks: signaturesOf(found.transaction[0]),
        at: Number(landed.blockTime ?? 0),
      });
    }
    before = page.at(-1)?.signature;
    if (page.length < 1000) return transfers;
  }
}

/** The signatures of a Solana transaction that are there (base58), from its wire form in base64. */
export function signaturesOf(wire: string): string[] {
  const { signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
  return Object.values(signatures).flatMap((bytes) => (bytes ? [getBase58Decoder().decode(bytes)] : []));
}

interface Balances {
  readonly preTokenBalances?: readonly TokenBalance[];
  readonly postTokenBalances?: readonly TokenBalance[];
}

function movedBy({ preTokenBalances = [], postTokenBalances = [] }: Balances, mint: string): Map<string, bigint> {
  const moved = new Map<string, bigint>();
  const add = (balances: readonly TokenBalance[], sign: bigint): void => {
    for (const { mint: token, owner = '', uiTokenAmount } of balances) {
      if (token === mint) moved.set(owner, (moved.get(owner) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
    }
  };
  add(preTokenBalances, -1n);
  add(postTokenBalances, 1n);
  return moved;
}
