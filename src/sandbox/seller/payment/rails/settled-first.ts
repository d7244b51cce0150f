import { createSolanaRpc, getBase64Encoder, getTransactionDecoder, signature as asSignature } from '@solana/kit';
import { createPublicClient, http, parseEventLogs, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { USDC_ABI } from '../../../evm/contracts.ts';
import { EVM_NETWORK, EVM_USDC } from '../../../networks.ts';
import { usdcAccountOf } from '../../../solana/faucet.ts';
import type { PaymentRail, Settled, Settlement } from '../rail.ts';
import type { RailOffer } from '../terms.ts';

const LOOK_BACK_BLOCKS = 5_000n;
const LOOK_BACK_TRANSACTIONS = 100;

const evmSchema = z.looseObject({ payload: z.looseObject({ authorization: z.looseObject({ from: z.string(), nonce: z.string() }) }) });
const svmSchema = z.looseObject({ payload: z.looseObject({ transaction: z.string() }) });

/** Finds the transaction in which an x402 payment was settled already, and who paid. */
export type FindSettled = (proof: unknown, offer: RailOffer) => Promise<{ readonly transaction: string; readonly payer: string } | undefined>;

/** A rail whose buyers may have had the payment settled before they call: then the chain's word is enough. */
export const settledFirst = (rail: PaymentRail, find: FindSettled): PaymentRail => ({
  ...rail,
  verify: async (proof, offer, challenge) => {
    const found = await find(proof, offer);
    return found ? { valid: true, payer: found.payer } : rail.verify(proof, offer, challenge);
  },
});

/** Settles what is not settled yet. */
export const settleUnlessSettled =
  (settle: Settlement, find: FindSettled): Settlement =>
  async (payment) => {
    const found = await find(payment.proof, payment.offer);
    if (!found) return settle(payment);
    return { success: true, transaction: found.transaction, network: payment.offer.network, payer: found.payer } satisfies Settled;
  };

/** Looks for settlements on the sandbox's two chains. */
export function findSettled({ evmRpcUrl, solanaRpcUrl }: { readonly evmRpcUrl: string; readonly solanaRpcUrl: string }): FindSettled {
  return (proof, offer) => (offer.network === EVM_NETWORK ? findOnEvm(evmRpcUrl, proof, offer) : findOnSolana(solanaRpcUrl, proof, offer));
}

async function findOnEvm(rpcUrl: string, proof: unknown, { payTo, terms }: RailOffer): ReturnType<FindSettled> {
  const parsed = evmSchema.safeParse(proof);
  if (!parsed.success) return undefined;
  const { from, nonce } = parsed.data.payload.authorization;
  const client = createPublicClient({ transport: http(rpcUrl) });
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const fromBlock = head > LOOK_BACK_BLOCKS ? head - LOOK_BACK_BLOCKS : 0n;
  const used = await client.getContractEvents({ address: EVM_USDC, abi: USDC_ABI, eventName: 'AuthorizationUsed', args: { authorizer: from as Address, nonce: nonce as Hex }, fromBlock });
  const transaction = used[0]?.transactionHash;
  if (!transaction) return undefined;
  const receipt = await client.getTransactionReceipt({ hash: transaction });
  const transfers = parseEventLogs({ abi: USDC_ABI, eventName: 'Transfer', logs: receipt.logs });
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  const paid = transfers.some(({ address, args }) => same(address, EVM_USDC) && same(args.from, from) && same(args.to, payTo) && args.value >= BigInt(String(terms['amount'])));
  return paid ? { transaction, payer: from } : undefined;
}

/** The fee payer's signature is not the buyer's to know, so that the bytes that both signed are compared. */
async function findOnSolana(rpcUrl: string, proof: unknown, { payTo, terms }: RailOffer): ReturnType<FindSettled> {
  const parsed = svmSchema.safeParse(proof);
  if (!parsed.success) return undefined;
  const messageOf = (wire: string) => Buffer.from(getTransactionDecoder().decode(getBase64Encoder().encode(wire)).messageBytes);
  const wanted = messageOf(parsed.data.payload.transaction);
  const rpc = createSolanaRpc(rpcUrl);
  const recent = await rpc.getSignaturesForAddress(await usdcAccountOf(payTo), { limit: LOOK_BACK_TRANSACTIONS, commitment: 'confirmed' }).send();
  for (const { signature, err } of recent) {
    if (err !== null) continue;
    const landed = await rpc.getTransaction(asSignature(signature), { encoding: 'base64', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }).send();
    if (!landed || !wanted.equals(messageOf(landed.transaction[0]))) continue;
    const { preTokenBalances = [], postTokenBalances = [] } = landed.meta ?? {};
    const held = (balances: typeof preTokenBalances) =>
      balances.filter(({ owner, mint }) => owner === payTo && mint === terms['asset']).reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
    if (held(postTokenBalances) - held(preTokenBalances) < BigInt(String(terms['amount']))) return undefined;
    const payer = preTokenBalances.find(({ owner }) => owner !== undefined && owner !== payTo)?.owner ?? '';
    return { transaction: signature, payer };
  }
  return undefined;
}
