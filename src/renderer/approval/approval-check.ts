import type { ApprovalView } from '../../shared/contract/approvals.ts';
import { isRecord } from '../client/link.ts';

// Kept by hand: the contract's schemas need the whole of zod, ten times the size of this page. A test holds both against each other.

const TEXTS = [
  'paymentId', 'termsDigest', 'nonce', 'client', 'upstream', 'upstreamAddress', 'tool', 'argumentsText',
  'description', 'resource', 'memo', 'feePayer', 'payee', 'payer', 'payerLabel', 'dialect', 'rule', 'notForDays',
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
  isText(value['unit']) &&
  isDecimals(value['decimals']) &&
  [value['usedUnits'], value['thisUnits'], value['limitUnits']].every(isUnits);

const CHANGES: readonly unknown[] = ['payee', 'asset', 'network', 'price'] satisfies ApprovalView['changes'][number]['what'][];
const ORIGINS: readonly unknown[] = ['payee', 'resource', 'arguments'] satisfies ApprovalView['origins'][number]['what'][];

const isChange = (value: unknown): boolean => isRecord(value) && CHANGES.includes(value['what']) && allTexts(value, ['before', 'now']);
const isOrigin = (value: unknown): boolean => isRecord(value) && ORIGINS.includes(value['what']) && allTexts(value, ['value', 'where']) && typeof value['own'] === 'boolean';
const CAUTIONS: readonly unknown[] = ['unverified', 'plain-text'] satisfies ApprovalView['cautions'];
const isCaution = (value: unknown): boolean => CAUTIONS.includes(value);

const isOrder = (value: unknown): boolean =>
  isRecord(value) && allTexts(value, ['recipient', 'memo']) && typeof value['byOwner'] === 'boolean' && ['boolean', 'undefined'].includes(typeof value['byLink']) && isListOf(value['warnings'], isText);

const isContact = (value: unknown): boolean => isRecord(value) && Number.isSafeInteger(value['number']) && isText(value['name']);

const isListOf = (value: unknown, isEntry: (entry: unknown) => boolean): boolean => Array.isArray(value) && value.every(isEntry);

const allTexts = (value: Record<string, unknown>, names: readonly string[]): boolean => names.every((name) => isText(value[name]));

/** True when every member that the page shows or sends back has the form of the contract. */
export const isApprovalView = (value: unknown): value is ApprovalView =>
  isRecord(value) &&
  allTexts(value, TEXTS) &&
  isTimestamp(value['createdAt']) &&
  isTimestamp(value['expiresAt']) &&
  isMoney(value['money']) &&
  isListOf(value['fees'], (fee) => isMoney(fee) && isRecord(fee) && (fee['rentUnits'] === undefined || isUnits(fee['rentUnits']))) &&
  FLOWS.includes(value['flow']) &&
  (value['order'] === undefined || isOrder(value['order'])) &&
  (value['contact'] === undefined || isContact(value['contact'])) &&
  typeof value['firstPayment'] === 'boolean' &&
  typeof value['upfront'] === 'boolean' &&
  (value['usdUnits'] === undefined || isUnits(value['usdUnits'])) &&
  isListOf(value['cautions'], isCaution) &&
  isListOf(value['changes'], isChange) &&
  isListOf(value['origins'], isOrigin) &&
  isListOf(value['budgets'], isBudget) &&
  typeof value['locked'] === 'boolean';
