import type { Failpoint } from '../../src/core/failpoint.ts';

/** What goes wrong with one call on the seller's side: at its facilitator or in the seller itself. Strikes the first paid attempt. */
export const SELLER_FAULTS = [
  'verify-500',
  'verify-timeout',
  'verify-lie',
  'settle-500',
  'settle-timeout',
  'settle-lie',
  'settle-then-500',
  'settle-then-hang',
  'dies-before-verify',
  'dies-after-verify',
  'dies-after-settle',
  'garbage',
  'never-answers',
  'error-before-settle',
  'error-after-settle',
  'second-challenge',
  'payee-changed',
] as const;

/** What the Solana RPC does to the facilitator of one call. */
export const SOLANA_FAULTS = ['solana-503', 'solana-hang', 'solana-landed-503', 'solana-landed-hang', 'solana-expired', 'solana-hidden'] as const;

/** What the agent does with one call. */
export const AGENT_FAULTS = ['cancel-unsigned', 'cancel-waiting', 'cancel-paid', 'connection-dropped', 'burst-of-50'] as const;

/** What the EVM chain does, to every call of a phase. */
export const CHAIN_FAULTS = ['evm-no-blocks', 'evm-frozen', 'evm-reorg'] as const;

/** What the application's own RPC servers do for a while. */
export const APP_FAULTS = ['app-evm-down', 'app-evm-stale', 'app-evm-hang', 'app-solana-down', 'app-solana-stale', 'app-solana-hang'] as const;

/** Where the application is killed with SIGKILL. */
export const FAILPOINTS = [
  'budget-reserved',
  'owner-answered',
  'proof-signed',
  'journal-committed',
  'payment-submitted',
  'answer-read',
  'answer-journaled',
  'answer-written',
  'chain-read',
  'row-recovering',
] as const satisfies readonly Failpoint[];
export const KILLS = ['kill-after-settle', 'kill-any-moment', ...FAILPOINTS.map((name) => `kill-${name}` as const)] as const;

export type SellerFault = (typeof SELLER_FAULTS)[number];
export type SolanaFault = (typeof SOLANA_FAULTS)[number];
export type AgentFault = (typeof AGENT_FAULTS)[number];
export type ChainFault = (typeof CHAIN_FAULTS)[number];
export type AppFault = (typeof APP_FAULTS)[number];
export type Kill = (typeof KILLS)[number];
export type CallFault = SellerFault | SolanaFault | AgentFault;
export type Fault = CallFault | ChainFault | AppFault | Kill;

/** The whole matrix. */
export const ALL_FAULTS: readonly Fault[] = [...SELLER_FAULTS, ...SOLANA_FAULTS, ...AGENT_FAULTS, ...CHAIN_FAULTS, ...APP_FAULTS, ...KILLS];

export const isSolanaFault = (fault: Fault | undefined): fault is SolanaFault => SOLANA_FAULTS.includes(fault as SolanaFault);
export const isChainFault = (fault: Fault): fault is ChainFault => CHAIN_FAULTS.includes(fault as ChainFault);
export const isAppFault = (fault: Fault): fault is AppFault => APP_FAULTS.includes(fault as AppFault);
export const isKill = (fault: Fault): fault is Kill => KILLS.includes(fault as Kill);
