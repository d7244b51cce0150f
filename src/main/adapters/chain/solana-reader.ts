import { z } from 'zod';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Endpoint } from './endpoint.ts';

const whole = z.number().int().nonnegative().transform(BigInt);
const blockhash = z.object({ context: z.object({ slot: whole }), value: z.object({ blockhash: z.string(), lastValidBlockHeight: whole }) });
const slice = z.object({ value: z.object({ data: z.tuple([z.base64(), z.literal('base64')]) }).nullable() });
// Never left out by a server: a missing `err` must not look like a failure or a success.
const failure = z.union([z.null(), z.string(), z.record(z.string(), z.unknown())]);
const signatures = z.array(
  z.object({ signature: z.string(), slot: whole, err: failure, blockTime: whole.nullish(), confirmationStatus: z.string().nullish() }),
);
const transaction = z.object({ transaction: z.object({ signatures: z.array(z.string()) }) });

export type SolanaSignature = z.infer<typeof signatures>[number];

/** How many signatures a server gives at once. */
export const SIGNATURES_PER_PAGE = 1_000;

/** Blocks for which a blockhash is valid, with some to spare. */
const MOST_BLOCKS_AHEAD = 200n;

/**
 * The newest blockhash whose block is final, as the stock client takes it: every other server knows it already. Throws `CHAIN_UNREACHABLE`
 * where the server names an end that no blockhash has: what is signed under it would hold its budget until then (I5).
 */
export async function readLatestBlockhash(endpoint: Endpoint, signal: AbortSignal): Promise<{ blockhash: string; lastValidBlockHeight: bigint; slot: bigint }> {
  const { context, value } = await endpoint.ask('getLatestBlockhash', [{ commitment: 'finalized' }], blockhash, signal);
  // A block is never higher than its slot.
  if (value.lastValidBlockHeight > context.slot + MOST_BLOCKS_AHEAD) {
    throw new BursarError('CHAIN_UNREACHABLE', `A Solana server says that its newest blockhash ends at block ${value.lastValidBlockHeight}, and it is at slot ${context.slot}.`);
  }
  return { ...value, slot: context.slot };
}

/** Base units in a token account; 0 where there is no such account. */
export async function readTokenAmount(endpoint: Endpoint, tokenAccount: string, signal: AbortSignal): Promise<bigint> {
  // The amount is a u64 at offset 64 of a token account (SPL Token, `Account`).
  const config = { commitment: 'confirmed', encoding: 'base64', dataSlice: { offset: 64, length: 8 } };
  const { value } = await endpoint.ask('getAccountInfo', [tokenAccount, config], slice, signal);
  const bytes = Buffer.from(value?.data[0] ?? '', 'base64');
  return bytes.length === 8 ? bytes.readBigUInt64LE() : 0n;
}

const statuses = z.object({
  context: z.object({ slot: whole }),
  value: z.tuple([z.object({ err: failure, confirmationStatus: z.string().nullish() }).nullable()]),
});

/** Lamports of an account. */
export const readLamports = async (endpoint: Endpoint, account: string, signal: AbortSignal): Promise<bigint> =>
  (await endpoint.ask('getBalance', [account, { commitment: 'confirmed' }], z.object({ value: whole }), signal)).value;

/** What came of a transaction, and the slot that the server had come to; `found` is absent where it does not know it. */
export async function readStatus(endpoint: Endpoint, signature: string, signal: AbortSignal) {
  const { context, value } = await endpoint.ask('getSignatureStatuses', [[signature], { searchTransactionHistory: true }], statuses, signal);
  return { slot: context.slot, found: value[0] ?? undefined };
}

/** Height and slot of the newest final block. */
export async function readFinalized(endpoint: Endpoint, signal: AbortSignal): Promise<{ height: bigint; slot: bigint }> {
  const info = await endpoint.ask('getEpochInfo', [{ commitment: 'finalized' }], z.object({ absoluteSlot: whole, blockHeight: whole }), signal);
  return { height: info.blockHeight, slot: info.absoluteSlot };
}

/** Transactions that touch an account, newest first, from a server that has come to `minContextSlot`. */
export const readSignatures = (endpoint: Endpoint, account: string, page: { before?: string; minContextSlot: bigint }, signal: AbortSignal): Promise<SolanaSignature[]> => {
  const config = { commitment: 'confirmed', limit: SIGNATURES_PER_PAGE, minContextSlot: Number(page.minContextSlot), ...(page.before && { before: page.before }) };
  return endpoint.ask('getSignaturesForAddress', [account, config], signatures, signal);
};

/** Everyone's signatures (base58) of a landed transaction. Throws `CHAIN_UNREACHABLE` where the server does not hold it. */
export async function readSigners(endpoint: Endpoint, signature: string, signal: AbortSignal): Promise<readonly string[]> {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  return (await endpoint.ask('getTransaction', [signature, config], transaction, signal)).transaction.signatures;
}

/** The oldest slot whose transactions the server still holds. */
export const readFirstAvailableSlot = (endpoint: Endpoint, signal: AbortSignal): Promise<bigint> => endpoint.ask('getFirstAvailableBlock', [], whole, signal);

/** True while a transaction with this blockhash may still land. */
export async function readBlockhashValid(endpoint: Endpoint, hash: string, minContextSlot: bigint, signal: AbortSignal): Promise<boolean> {
  const config = { commitment: 'confirmed', minContextSlot: Number(minContextSlot) };
  return (await endpoint.ask('isBlockhashValid', [hash, config], z.object({ value: z.boolean() }), signal)).value;
}
