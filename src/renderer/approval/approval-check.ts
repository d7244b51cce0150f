import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { isRecord } from '../client/link.ts';

// Kept by hand: the contract's schemas need the whole of zod, ten times the size of this page. A test holds both against each other.

const TEXTS = [
  'paymentId', 'termsDigest', 'nonce', 'client', 'upstream', 'upstreamAddress', 'tool', 'argumentsText',
  'description', 'resource', 'payee', 'payer', 'payerLabel', 'dialect', 'rule',
] as const satisfies readonly (keyof ApprovalView)[];

const ASSET_TEXTS = ['network', 'networkName', 'address', 'symbol'] as const satisfies readonly (keyof ApprovalView['money']['asset'])[];
const UNITS = /^(0|[1-9]\d{0,77})$/;
const FLOWS: readonly unknown[] = ['authorize', 'prepay', 'hold'] satisfies ApprovalView['flow'][];

const isText = (value: unknown): value is string => typeof value === 'string';
/** Budget figures are plain strings in the contract; the page calculates with them, so they have to be whole numbers. */
const isUnits = (value: unknown): boolean => isText(value) && UNITS.test(value);
const isTimestamp = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isDecimals = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 77;

const isMoney = (value: unknown): boolean =>
  isRecord(value) && isUnits(value['units']) && isRecord(value['asset']) && allTexts(value['asset'], ASSET_TEXTS) && isDecimals(value['asset']['decimals']);

const isBudget = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value['label']) &&
  (value['window'] === 'call' || value['window'] === 'day') &&
  value['unit'] === 'USD' &&
  [value['usedUnits'], value['thisUnits'], value['limitUnits']].every(isUnits);

const allTexts = (value: Record<string, unknown>, names: readonly string[]): boolean => names.every((name) => isText(value[name]));

/** True when every member that the page shows or sends back has the form of the contract. */
export const isApprovalView = (value: unknown): value is ApprovalView =>
  isRecord(value) &&
  allTexts(value, TEXTS) &&
  isTimestamp(value['createdAt']) &&
  isTimestamp(value['expiresAt']) &&
  isMoney(value['money']) &&
  FLOWS.includes(value['flow']) &&
  Array.isArray(value['budgets']) &&
  value['budgets'].every(isBudget) &&
  typeof value['locked'] === 'boolean';
