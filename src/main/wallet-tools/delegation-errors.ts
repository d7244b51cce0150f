import type { ErrorInfo } from '../../shared/errors/errors.ts';
import type { OwnToolAnswer } from '../bridge/aggregate/own-tools.ts';
import { failed } from './define-tool.ts';

/** The codes in which the tools around delegations tell their failures. */
export type DelegationErrorCode = 'SETUP_FAILED' | 'CHECK_FAILED' | 'KEYPAIR_EXISTS' | 'NO_DELEGATION' | 'DELEGATION_EXPIRED';

/** The text of an error result: JSON, with Bursar's own code beside what agents know. */
export const delegationErrorText = (error: DelegationErrorCode, { code, message, hint }: Pick<ErrorInfo, 'code' | 'message' | 'hint'>): string =>
  JSON.stringify({ error, message: `${message} ${hint}`.trim(), code });

/** An error result for what is no failure of Bursar's. */
export const delegationError = (error: DelegationErrorCode, message: string): OwnToolAnswer => failed(JSON.stringify({ error, message }));
