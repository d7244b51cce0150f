import type { NetworkId } from '../../core/registry/networks.ts';

/** What an approval or its end says: the whole of it, and nothing besides is signed (I2). */
export interface DelegationTerms {
  readonly kind: 'approve' | 'revoke';
  readonly network: NetworkId;
  /** The mint. */
  readonly asset: string;
  /** Whose associated token account it is; signs and pays the fee. */
  readonly owner: string;
  /** Who may spend from it; for `revoke`, who could. */
  readonly delegate: string;
  /** Base units that the delegate may spend from then on, all together; 0 for `revoke`. */
  readonly amount: bigint;
}

/** Approving takes some 5,000 units and the memo some more; with the price they bound the priority fee to one lamport. */
export const DELEGATION_UNITS = 60_000;
/** One signature, and the priority fee rounded up. */
export const DELEGATION_FEE_LAMPORTS = 5_001n;
