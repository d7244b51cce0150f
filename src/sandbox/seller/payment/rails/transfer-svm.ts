import { z } from 'zod';
import { BursarError } from '../../../../shared/errors/errors.ts';
import { SOLANA_NETWORK, SOLANA_USDC } from '../../../networks.ts';
import type { PaymentRail, Settlement, Verdict } from '../rail.ts';

/** Id of the rail. */
export const TRANSFER_SVM = 'transfer-svm';

const proofSchema = z.looseObject({ signature: z.string().min(64).max(90), timestamp: z.string(), amount: z.string().regex(/^\d{1,20}$/), from: z.string() });
const balanceSchema = z.looseObject({ mint: z.string(), owner: z.string(), uiTokenAmount: z.looseObject({ amount: z.string().regex(/^\d+$/) }) });
const transactionSchema = z.looseObject({
  blockTime: z.number().nullable(),
  meta: z.looseObject({ err: z.unknown(), preTokenBalances: z.array(balanceSchema), postTokenBalances: z.array(balanceSchema) }),
});
type Landed = z.infer<typeof transactionSchema>;

export interface TransferOptions {
  readonly rpcUrl: string;
  readonly payTo: string;
  /** A transfer older than this pays for nothing any more. */
  readonly maxAgeMs: number;
  readonly now: () => number;
}

/** A transfer of USDC that the buyer sent by itself. Signature, amount, payee, payer and age are read from the chain. */
export const transferRail = (options: TransferOptions): PaymentRail => ({
  id: TRANSFER_SVM,
  offer: async ({ price, product }) => ({
    rail: TRANSFER_SVM,
    network: SOLANA_NETWORK,
    payTo: options.payTo,
    terms: { amount: price.units.toString(), mint: SOLANA_USDC, description: product.description, currency: price.currency },
  }),
  verify: (proof, offer) => verifyTransfer(options, proof, BigInt(String(offer.terms['amount']))),
  spendingKey: (proof) => {
    const parsed = proofSchema.safeParse(proof);
    return parsed.success ? `transfer:${parsed.data.signature}` : undefined;
  },
  retryText: ({ terms }) => `Send ${String(terms['amount'])} base units of USDC to ${options.payTo} and name the transaction in _payment.`,
  redact: (proof) => {
    const parsed = proofSchema.safeParse(proof);
    return parsed.success ? { signature: parsed.data.signature, from: parsed.data.from } : { payment: 'unreadable' };
  },
});

/** The money moved before the call. */
export const prepaidSettlement: Settlement = async ({ proof, payer }) => ({ success: true, transaction: proofSchema.parse(proof).signature, network: SOLANA_NETWORK, payer });

async function verifyTransfer({ rpcUrl, payTo, maxAgeMs, now }: TransferOptions, proof: unknown, asked: bigint): Promise<Verdict> {
  const refuse = (reason: string): Verdict => ({ valid: false, reason });
  const parsed = proofSchema.safeParse(proof);
  if (!parsed.success) return refuse('the payment needs signature, timestamp, amount and from');
  const { signature, from, amount } = parsed.data;
  if (BigInt(amount) < asked) return refuse(`${amount} was paid and ${asked} is asked`);
  const landed = await transactionOf(rpcUrl, signature);
  if (!landed) return refuse('the transaction is not on the chain');
  if (landed.meta.err !== null) return refuse('the transaction failed');
  // The chain's own time: the buyer's timestamp is only a claim.
  if (landed.blockTime === null || now() - landed.blockTime * 1000 > maxAgeMs) return refuse('the transaction is too old');
  const received = change(landed, payTo);
  if (received < asked) return refuse(`the payee got ${received} and ${asked} is asked`);
  if (change(landed, from) > -asked) return refuse('the money did not come from the payer that is named');
  return { valid: true, payer: from };
}

/** What an owner's USDC changed by in a transaction. */
function change({ meta }: Landed, owner: string): bigint {
  const sum = (balances: readonly z.infer<typeof balanceSchema>[]) =>
    balances.filter((balance) => balance.mint === SOLANA_USDC && balance.owner === owner).reduce((total, { uiTokenAmount }) => total + BigInt(uiTokenAmount.amount), 0n);
  return sum(meta.postTokenBalances) - sum(meta.preTokenBalances);
}

async function transactionOf(rpcUrl: string, signature: string): Promise<Landed | undefined> {
  const params = [signature, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 }];
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTransaction', params }),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = z.object({ result: transactionSchema.nullish(), error: z.looseObject({ code: z.number(), message: z.string() }).optional() }).parse(await response.json());
  // -32602: what was named is no signature at all.
  if (answer.error && answer.error.code !== -32602) throw new BursarError('CHAIN_UNREACHABLE', `The chain cannot be asked: ${answer.error.message}`);
  return answer.result ?? undefined;
}
