import type { Cap, Policy, Rule, RuleMatch, Scope, Verdict } from '../../../shared/policy/policy.ts';
import { parseUnits } from '../../../shared/money/money.ts';

/** The windows that the page edits. */
type Window = 'call' | 'day';

/** Two limits as typed; empty is none. */
export interface LimitsDraft {
  readonly call: string;
  readonly day: string;
}

export interface ServerDraft extends LimitsDraft {
  readonly upstream: string;
  /** `inherit`: no rule of its own, what holds for all decides. */
  readonly verdict: Verdict | 'inherit';
}

/** The part of a policy that the Budgets page edits, as typed. */
export interface BudgetDraft extends LimitsDraft {
  readonly timeZone: string;
  /** What happens to a payment that no rule of a server decides. */
  readonly otherwise: Verdict;
  readonly servers: readonly ServerDraft[];
}

const CAP_DECIMALS = 6;

const keysOf = (scope: RuleMatch): string[] => Object.entries(scope).flatMap(([key, value]) => (value === undefined ? [] : [key]));

/** True for the scope of all servers (no name), or of that one server and nothing narrower. */
function isScopeOf(scope: RuleMatch, upstream: string | undefined): boolean {
  const keys = keysOf(scope);
  return upstream === undefined ? keys.length === 0 : keys.length === 1 && scope.upstream === upstream;
}

const scopeOf = (upstream: string | undefined): Scope => (upstream === undefined ? {} : { upstream });

/** True for a limit in dollars of that window and scope, which is what the page's fields stand for. */
const isLimitOf = (cap: Cap, upstream: string | undefined, window: Window): boolean => cap.window === window && cap.unit === 'USD' && isScopeOf(cap.over, upstream);

/** The limit that holds for a scope: all of them do, so the tightest. */
function limitOf(policy: Policy, upstream: string | undefined, window: Window): string {
  const amounts = policy.caps.filter((cap) => isLimitOf(cap, upstream, window)).map(({ amount }) => amount);
  return amounts.reduce((tightest, amount) => (tightest === '' || parseUnits(amount, CAP_DECIMALS) < parseUnits(tightest, CAP_DECIMALS) ? amount : tightest), '');
}

const catchAllAt = (rules: readonly Rule[]): number => rules.findIndex(({ when }) => keysOf(when).length === 0);

function verdictOf({ rules }: Policy, upstream: string): Verdict | 'inherit' {
  const first = rules.find(({ when }) => isScopeOf(when, undefined) || isScopeOf(when, upstream));
  return first && isScopeOf(first.when, upstream) ? first.verdict : 'inherit';
}

/** What the page shows for a policy, one row per server that is connected or that the policy names. */
export function draftOf(policy: Policy, upstreams: readonly string[]): BudgetDraft {
  const named = [...policy.caps.map(({ over }) => over.upstream), ...policy.rules.map(({ when }) => when.upstream)].filter((name) => name !== undefined);
  const all = [...new Set([...upstreams, ...named])];
  return {
    timeZone: policy.timeZone,
    otherwise: policy.rules[catchAllAt(policy.rules)]?.verdict ?? policy.otherwise,
    call: limitOf(policy, undefined, 'call'),
    day: limitOf(policy, undefined, 'day'),
    servers: all.map((upstream) => ({
      upstream,
      verdict: verdictOf(policy, upstream),
      call: limitOf(policy, upstream, 'call'),
      day: limitOf(policy, upstream, 'day'),
    })),
  };
}

/** Puts one limit in place of all of its scope and window; the others keep their places. */
function withLimit(caps: readonly Cap[], upstream: string | undefined, window: Window, amount: string): Cap[] {
  const isIt = (cap: Cap) => isLimitOf(cap, upstream, window);
  const limit: Cap[] = amount === '' ? [] : [{ over: scopeOf(upstream), window, unit: 'USD', amount }];
  const at = caps.findIndex(isIt);
  if (at < 0) return [...caps, ...limit];
  return [...caps.slice(0, at), ...limit, ...caps.slice(at).filter((cap) => !isIt(cap))];
}

/**
 * Puts one rule in place of all of that server's plain rules: where the first of them stood if it had effect, else before the
 * rule that matches everything, else at the end. Its note goes, for it explained the old verdict.
 */
function withVerdict(rules: readonly Rule[], upstream: string, verdict: Verdict | 'inherit'): Rule[] {
  const rest = rules.filter(({ when }) => !isScopeOf(when, upstream));
  if (verdict === 'inherit') return rest;
  const own = rules.findIndex(({ when }) => isScopeOf(when, upstream));
  const last = catchAllAt(rest) < 0 ? rest.length : catchAllAt(rest);
  const at = own < 0 ? last : Math.min(own, last);
  return rest.toSpliced(at, 0, { when: { upstream }, verdict });
}

function withOtherwise(policy: Policy, verdict: Verdict): Policy {
  const at = catchAllAt(policy.rules);
  const rule = policy.rules[at];
  if (!rule) return { ...policy, otherwise: verdict };
  return { ...policy, rules: policy.rules.with(at, { when: rule.when, verdict }) };
}

const sameAmount = (a: string, b: string): boolean => a === b || (a !== '' && b !== '' && parseUnits(a, CAP_DECIMALS) === parseUnits(b, CAP_DECIMALS));

/**
 * The policy with what the draft changed. Only what differs from {@link draftOf} of the same policy is touched: caps and rules
 * that the page does not know stay where they are. The draft must have no problems, else this throws `AMOUNT_INVALID`.
 */
export function applyDraft(policy: Policy, draft: BudgetDraft): Policy {
  const before = draftOf(policy, draft.servers.map(({ upstream }) => upstream));
  let next: Policy = { ...policy, timeZone: draft.timeZone };
  if (draft.otherwise !== before.otherwise) next = withOtherwise(next, draft.otherwise);
  for (const window of ['call', 'day'] as const) {
    if (!sameAmount(draft[window], before[window])) next = { ...next, caps: withLimit(next.caps, undefined, window, draft[window]) };
  }
  for (const server of draft.servers) {
    const was = before.servers.find(({ upstream }) => upstream === server.upstream);
    if (server.verdict !== was?.verdict) next = { ...next, rules: withVerdict(next.rules, server.upstream, server.verdict) };
    for (const window of ['call', 'day'] as const) {
      if (!sameAmount(server[window], was?.[window] ?? '')) next = { ...next, caps: withLimit(next.caps, server.upstream, window, server[window]) };
    }
  }
  return next;
}

/** True when both say the same, digit by digit. */
export const isSameDraft = (a: BudgetDraft, b: BudgetDraft): boolean => JSON.stringify(a) === JSON.stringify(b);

const isPlain = (scope: RuleMatch): boolean => keysOf(scope).every((key) => key === 'upstream');

const isShown = ({ over, window, unit }: Cap): boolean => isPlain(over) && (window === 'call' || window === 'day') && unit === 'USD';

/** How many caps and rules of the policy the simple fields neither show nor change. */
export const hiddenParts = ({ caps, rules }: Policy): number => caps.filter((cap) => !isShown(cap)).length + rules.filter(({ when }) => !isPlain(when)).length;

/** How many of them name that server. */
export const otherPartsOf = ({ caps, rules }: Policy, upstream: string): number =>
  caps.filter((cap) => cap.over.upstream === upstream && !isShown(cap)).length + rules.filter(({ when }) => when.upstream === upstream && !isPlain(when)).length;
