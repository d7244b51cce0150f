import type { Bank, Commitment } from './bank.ts';

/** One JSON-RPC method. Throws `RpcError` for what a node answers with an error. */
export type RpcMethod = (params: readonly unknown[]) => unknown;
/** Methods by name. */
export type RpcMethods = Readonly<Record<string, RpcMethod>>;

/** A node answers at `finalized` where the caller names no commitment. */
export const DEFAULT_COMMITMENT: Commitment = 'finalized';

/** Wraps a value with the slot at which it holds. */
export const withContext = (bank: Bank, commitment: Commitment | undefined, value: unknown): object => ({
  context: { apiVersion: '3.0.0', slot: bank.slotAt(commitment ?? DEFAULT_COMMITMENT) },
  value,
});
