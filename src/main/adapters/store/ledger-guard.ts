import type { PolicyHead } from './policy-chain.ts';
import type { UseRow } from './row-digest.ts';

/** Watches over the writes of journal and policy, and signs them off. `committed` and what follows it are called outside of the write transaction. */
export interface LedgerGuard {
  /** Before anything else: looks whether somebody else wrote the file. */
  begin(): void;
  /** A use of budget goes from one amount to another. */
  moved(use: Pick<UseRow, 'use' | 'at'>, before: bigint, after: bigint): void;
  /** Returns the way to forget what moved since, for a write that is undone. */
  mark(): () => void;
  /** Before new budget is held. Throws `LEDGER_TAMPERED`. */
  requireReserve(): void;
  /** Before a signed proof is journaled. Throws `LEDGER_TAMPERED`, and `WALLET_LOCKED` while the ledger was not verified. */
  requireSpend(): void;
  /** After the money of a payment changed. Throws `WALLET_LOCKED` where the ledger was not verified yet and the payment is older than this run. */
  requireMove(paymentId: string): void;
  /** A new version of the policy is written. */
  policySaved(head: PolicyHead): void;
  /** After everything else: writes the checkpoint. */
  sign(): void;
  /** The transaction is durable. */
  committed(): void;
  /** Before a policy is changed. Throws `LEDGER_TAMPERED`, `WALLET_LOCKED`. */
  requirePolicyChange(): void;
  /** Something was found that Bursar did not write: spending stops. */
  raise(finding: string): void;
}
