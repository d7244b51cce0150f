import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { ErrorInfo } from '../../shared/errors/errors.ts';

/** The codes in which the tools `x402_…` tell their failures. */
export type AgentErrorCode =
  | 'SETUP_FAILED'
  | 'KEYPAIR_EXISTS'
  | 'NO_DELEGATION'
  | 'DELEGATION_EXPIRED'
  | 'PAY_FAILED'
  | 'NO_REQUIREMENTS'
  | 'INVALID_REQUIREMENT'
  | 'AMOUNT_EXCEEDS_MAX'
  | 'BUDGET_EXCEEDED'
  | 'SETTLEMENT_FAILED'
  | 'FACILITATOR_ERROR'
  | 'CHECK_FAILED'
  | 'HISTORY_FAILED'
  | 'DISCOVER_FAILED'
  | 'ESTIMATE_FAILED';

const PAYING: Readonly<Partial<Record<ErrorCode, AgentErrorCode>>> = {
  TERMS_LOST: 'NO_REQUIREMENTS',
  CHALLENGE_MALFORMED: 'INVALID_REQUIREMENT',
  CHALLENGE_EXPIRED: 'INVALID_REQUIREMENT',
  PROTOCOL_UNSUPPORTED: 'INVALID_REQUIREMENT',
  NO_PAYABLE_OFFER: 'INVALID_REQUIREMENT',
  NETWORK_UNSUPPORTED: 'INVALID_REQUIREMENT',
  ASSET_UNKNOWN: 'INVALID_REQUIREMENT',
  ASSET_MISMATCH: 'INVALID_REQUIREMENT',
  PAYEE_INVALID: 'INVALID_REQUIREMENT',
  FLOW_UNSUPPORTED: 'INVALID_REQUIREMENT',
  LIFETIME_TOO_LONG: 'INVALID_REQUIREMENT',
  BUDGET_EXCEEDED: 'BUDGET_EXCEEDED',
  INSUFFICIENT_BALANCE: 'BUDGET_EXCEEDED',
  SETTLEMENT_FAILED: 'SETTLEMENT_FAILED',
  PAYMENT_REJECTED: 'SETTLEMENT_FAILED',
  NEVER_COLLECTED: 'SETTLEMENT_FAILED',
  FACILITATOR_ERROR: 'FACILITATOR_ERROR',
};

/** What a payment failed of. A call's own maximum is told apart from the owner's limits. */
export const payingError = ({ code, context }: Pick<ErrorInfo, 'code' | 'context'>): AgentErrorCode => (code === 'BUDGET_EXCEEDED' && context['limit'] === 'call' ? 'AMOUNT_EXCEEDS_MAX' : (PAYING[code] ?? 'PAY_FAILED'));

/** The text of an error result: JSON, with Bursar's own code and the payment beside what agents know. */
export const agentError = (error: AgentErrorCode, { code, message, hint }: Pick<ErrorInfo, 'code' | 'message' | 'hint'>, more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ error, message: `${message} ${hint}`.trim(), code, ...more });
