import { baseUnits, formatUnits, parseUnits, rescaleUp, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap, Policy, Rule, Scope, Verdict } from '../../shared/policy/policy.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Terms } from '../payments/terms.ts';
import type { BudgetUse, Counter } from '../ports.ts';
import type { Asset } from '../registry/assets.ts';
import { calendarDay, dayCounter, upstreamDayCounter } from './windows.ts';

/** Budgets are counted in millionths of a US dollar. */
export const USD_DECIMALS = 6;

/** A cap as it stands before this payment, in millionths of a US dollar. */
export interface BudgetLine {
  readonly label: string;
  readonly window: Cap['window'];
  readonly used: BaseUnits;
  readonly limit: BaseUnits;
}

/** What the policy says of a payment. */
export interface Assessment {
  readonly verdict: Verdict;
  /** The rule or cap that decided, in words that owner and agent read. */
  readonly rule: string;
  /** Set where the verdict is `deny`. */
  readonly code: ErrorCode | '';
  readonly budgets: readonly BudgetLine[];
  /** What this payment uses of every window that is counted, whether or not a cap looks at it now. */
  readonly uses: readonly BudgetUse[];
  /** This payment in millionths of a US dollar. */
  readonly units: BaseUnits;
}

export interface AssessRequest {
  readonly policy: Policy;
  readonly terms: Terms;
  readonly asset: Asset;
  /** Not before any time that was ever journaled (I3). */
  readonly now: number;
  readonly used: (counter: Counter) => BaseUnits;
  /** Why this payment may not be allowed without asking, whatever the rules say; empty where it may. */
  readonly mustAsk: string;
}

/** Evaluates caps, then rules (first match wins), then the default. Pure. */
export function assess({ policy, terms, asset, now, used, mustAsk }: AssessRequest): Assessment {
  const units = rescaleUp(terms.amount, asset.decimals, USD_DECIMALS);
  const day = calendarDay(now, policy.timeZone);
  const uses = [
    { counter: dayCounter(day, policy.timeZone), units },
    { counter: upstreamDayCounter(day, policy.timeZone, terms.upstream), units },
  ];
  const counterOf = (over: Scope) =>
    over.upstream === undefined ? dayCounter(day, policy.timeZone) : upstreamDayCounter(day, policy.timeZone, over.upstream);

  const budgets = policy.caps
    .filter((cap) => covers(cap.over, terms))
    .map((cap) => ({
      label: capLabel(cap),
      window: cap.window,
      used: cap.window === 'call' ? baseUnits(0n) : used(counterOf(cap.over)),
      limit: parseUnits(cap.amount, USD_DECIMALS),
    }));
  const result = (verdict: Verdict, rule: string, code: ErrorCode | '' = ''): Assessment => ({ verdict, rule, code, budgets, uses, units });

  const exceeded = budgets.find((line) => line.used + units > line.limit);
  if (exceeded) {
    const spent = exceeded.window === 'call' ? '' : ` ${usd(exceeded.used)} of it is used or held.`;
    return result('deny', `${usd(units)} is above the limit of ${usd(exceeded.limit)} (${exceeded.label}).${spent}`, 'BUDGET_EXCEEDED');
  }

  const rule = policy.rules.find((candidate) => covers(candidate.when, terms));
  const verdict = rule?.verdict ?? policy.otherwise;
  const words = rule ? ruleLabel(rule) : `Default: ${policy.otherwise}`;
  if (verdict === 'deny') return result('deny', words, 'POLICY_DENIED');
  if (mustAsk) return result('ask', mustAsk);
  return result(verdict, words);
}

const covers = (scope: Scope, terms: Terms): boolean => scope.upstream === undefined || scope.upstream === terms.upstream;

const usd = (units: bigint): string => `$${formatUnits(units, USD_DECIMALS, 2)}`;

const capLabel = (cap: Cap): string =>
  `${cap.window === 'call' ? 'per call' : 'per day'}${cap.over.upstream === undefined ? '' : `, server ${cap.over.upstream}`}`;

const ruleLabel = (rule: Rule): string =>
  `Rule: ${rule.verdict}${rule.when.upstream === undefined ? '' : ` server ${rule.when.upstream}`}${rule.note ? ` (${rule.note})` : ''}`;
