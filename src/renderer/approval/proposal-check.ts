import type { RuleProposal } from '../../shared/contract/standing-rules.ts';
import { isRecord } from '../client/link.ts';

// By hand, as in approval-check.ts: the contract's schemas need the whole of zod. A test holds both against each other.

const UNITS = /^(0|[1-9]\d{0,77})$/;
const KINDS: readonly unknown[] = ['allow-tool', 'block-server'] satisfies RuleProposal['kind'][];
const NAMES = ['upstream', 'tool', 'payee', 'client', 'account', 'asset', 'network', 'dialect'] as const;

const isText = (value: unknown): value is string => typeof value === 'string';
const isUnits = (value: unknown): boolean => isText(value) && UNITS.test(value);
const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isAbsentOr = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value);
const hasNames = (value: Record<string, unknown>): boolean => NAMES.every((name) => isAbsentOr(value[name], isText));

const isRange = (value: unknown): boolean => isRecord(value) && isAbsentOr(value['atLeast'], isText) && isAbsentOr(value['atMost'], isText) && isText(value['unit']);

const isRule = (value: unknown): boolean =>
  isRecord(value) && isRecord(value['when']) && hasNames(value['when']) && isAbsentOr(value['when']['amount'], isRange) && (value['verdict'] === 'allow' || value['verdict'] === 'deny') && isAbsentOr(value['note'], isText);

const isAsset = (value: unknown): boolean =>
  isRecord(value) && ['network', 'networkName', 'address', 'symbol'].every((name) => isText(value[name])) && isCount(value['decimals']) && Number(value['decimals']) <= 77;

const isCap = (value: unknown): boolean =>
  isRecord(value) &&
  isRecord(value['cap']) &&
  isRecord(value['cap']['over']) &&
  hasNames(value['cap']['over']) &&
  isText(value['label']) &&
  isAsset(value['asset']) &&
  isUnits(value['limitUnits']) &&
  isUnits(value['usedUnits']) &&
  isAbsentOr(value['limitUsdUnits'], isUnits) &&
  isAbsentOr(value['replacesUnits'], isUnits);

/** True when every member that the page shows has the form of the contract. A rule for a tool has its limit with it. */
export const isRuleProposal = (value: unknown): value is RuleProposal =>
  isRecord(value) &&
  isText(value['id']) &&
  KINDS.includes(value['kind']) &&
  isRule(value['rule']) &&
  isText(value['ruleText']) &&
  isCount(value['place']) &&
  isCount(value['rules']) &&
  (value['kind'] === 'allow-tool' ? isCap(value['cap']) : value['cap'] === undefined) &&
  isCount(value['ends']) &&
  isCount(value['answerableAt']);
