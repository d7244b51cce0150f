import { Cap, Policy } from '../../../shared/policy/policy.ts';
import { parseUnits } from '../../../shared/money/money.ts';
import { budgetTexts } from '../../texts/dashboard.ts';
import type { BudgetDraft, LimitsDraft } from './budget-draft.ts';

const { problems } = budgetTexts;
const CAP_DECIMALS = 6;
const DECIMAL = /^(0|[1-9]\d{0,77})(\.\d+)?$/;

/** What is wrong with a limit as typed; nothing for an empty one. */
export function amountProblem(text: string): string | undefined {
  if (text === '' || Cap.safeParse({ window: 'day', unit: 'USD', amount: text }).success) return undefined;
  return DECIMAL.test(text) ? problems.decimals : problems.amount;
}

/** What is wrong with a time zone. */
export const timeZoneProblem = (name: string): string | undefined => (Policy.shape.timeZone.safeParse(name).success ? undefined : problems.timeZone);

/** A limit per call that the limit per day makes useless. */
export function callRemark({ call, day }: LimitsDraft): string | undefined {
  if (call === '' || day === '' || amountProblem(call) || amountProblem(day)) return undefined;
  return parseUnits(call, CAP_DECIMALS) > parseUnits(day, CAP_DECIMALS) ? problems.callAboveDay : undefined;
}

/** True when nothing in the draft keeps it from being saved. */
export const isSavable = (draft: BudgetDraft): boolean =>
  timeZoneProblem(draft.timeZone) === undefined && [draft, ...draft.servers].every(({ call, day }) => amountProblem(call) === undefined && amountProblem(day) === undefined);
