import { z } from 'zod';
import { route } from './route.ts';
import { DecimalText, Empty, MoneyView, Timestamp } from './values.ts';

const Address = z.string().trim().min(1).max(100);
const Act = z.string().regex(/^[0-9a-f]{32}$/, 'name an act that was quoted');

export const DelegationKind = z.enum(['approve', 'topUp', 'revoke']);
export type DelegationKind = z.infer<typeof DelegationKind>;

const Order = z.object({
  /** `topUp`: the amount is added to what is left of the approval in force. */
  kind: DelegationKind,
  /** Whose token account it is; where only one can be meant, it may be left out. */
  owner: Address.optional(),
  /** Who may spend from it. */
  delegate: Address.optional(),
  /** Whole tokens; none for `revoke`. */
  amount: DecimalText.optional(),
  /** Symbol or mint; USDC without it. */
  token: z.string().min(1).max(50).optional(),
  /** By its CAIP-2 id or its name; the one that is enabled without it. */
  network: z.string().min(1).max(64).optional(),
});

const TermsView = z.object({
  kind: DelegationKind,
  /** What the delegate may spend from then on, all together. */
  money: MoneyView,
  tokenAccount: z.string(),
  owner: z.string(),
  /** The owner's label of an account of this wallet; empty for another one. */
  ownerLabel: z.string(),
  delegate: z.string(),
  delegateLabel: z.string(),
  /** What the token account holds. */
  balance: MoneyView,
  /** The approval in force, which this act ends: who may still spend how much. */
  replaces: z.object({ delegate: z.string(), money: MoneyView }).optional(),
  /** What the owner should know before, in sentences. */
  warnings: z.array(z.string()),
});

export const DelegationQuote = TermsView.extend({
  /** Names the act: for whatever is repeated under it, one transaction is made. */
  act: Act,
  expiresAt: Timestamp,
  /** The network's fee, at most; the owner's account pays it. */
  fee: MoneyView,
});
export type DelegationQuote = z.infer<typeof DelegationQuote>;

export const ExternalDelegation = TermsView.extend({
  /** The unsigned transaction (base64). */
  transaction: z.string(),
  /** What it says, one line each. */
  description: z.array(z.string()),
  /** For Solana's command-line wallet. */
  command: z.string(),
  /** What to do, in order. */
  steps: z.array(z.string()),
});
export type ExternalDelegation = z.infer<typeof ExternalDelegation>;

export const DelegationView = z.object({
  tokenAccount: z.string(),
  owner: z.string(),
  ownerLabel: z.string(),
  delegate: z.string(),
  /** Empty where the delegate is no account of this wallet: it spends without asking Bursar. */
  delegateLabel: z.string(),
  /** `ended`: used up, or taken back elsewhere. */
  state: z.enum(['active', 'revoked', 'ended']),
  remaining: MoneyView,
  /** What was approved, where Bursar signed it. */
  approved: MoneyView.optional(),
  balance: MoneyView,
  frozen: z.boolean(),
  /** The delegate pays from this token account: what it may spend there is the budget that the chain enforces. */
  pays: z.boolean(),
});
export type DelegationView = z.infer<typeof DelegationView>;

/** A transaction that Bursar signed for an approval or its end. */
export const DelegationAct = z.object({
  act: z.string(),
  kind: z.enum(['approve', 'revoke']),
  money: MoneyView,
  owner: z.string(),
  delegate: z.string(),
  /** `signed`: it may still land; `dead`: it never will. */
  state: z.enum(['signed', 'confirmed', 'final', 'dead']),
  why: z.string(),
  transaction: z.string(),
  createdAt: Timestamp,
});
export type DelegationAct = z.infer<typeof DelegationAct>;

const Perform = z.object({ act: Act });

/** Spending limits that Solana itself enforces: an owner's account approves that another account spends so much of its tokens. */
export const delegationRoutes = {
  /** As the chains show it now; `unreachable` names the networks that did not answer. */
  'delegations.list': route('read', Empty, z.object({ delegations: z.array(DelegationView), acts: z.array(DelegationAct), unreachable: z.array(z.string()) })),
  /**
   * The exact terms of an approval or its end, as the chain is now; signs nothing. Throws `DELEGATION_MISSING`, `ACCOUNT_MISSING`, `AMOUNT_INVALID`,
   * `ADDRESS_INVALID`, `INPUT_INVALID`, `ASSET_UNKNOWN`, `NETWORK_UNSUPPORTED`, `CHAIN_UNREACHABLE`.
   */
  'delegations.quote': route('owner', Order, DelegationQuote),
  /**
   * Signs exactly what was quoted and sends it; answers once that is final, or with what is known after 20 s. Throws `APPROVAL_STALE` where the chain
   * changed since, `DELEGATION_BUSY`, `INSUFFICIENT_BALANCE`, `WALLET_LOCKED`, `LEDGER_TAMPERED`, `CHAIN_UNREACHABLE`.
   */
  'delegations.approve': route('owner', Perform, DelegationAct),
  'delegations.topUp': route('owner', Perform, DelegationAct),
  'delegations.revoke': route('owner', Perform, DelegationAct),
  /** The transaction for an owner whose key lies elsewhere: what to sign there. Throws as `delegations.quote` does. */
  'delegations.external': route('owner', Order, ExternalDelegation),
} as const;
