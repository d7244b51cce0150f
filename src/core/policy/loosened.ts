import type { Cap, Policy, Rule, RuleMatch, Scope, Verdict } from '../../shared/policy/policy.ts';
import { capLabel } from './assess.ts';
import { assetsOf } from './policy-assets.ts';
import { ruleWords } from './rules.ts';
import { unitName } from './units.ts';
import { claimedName } from './unverified.ts';

const LOOSENESS: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };
/** More decimal places than any amount has. */
const MOST_DECIMALS = 77;

/**
 * What a policy lets through that another one held back, a sentence each; none where it is nowhere looser. It rather says too much: that rules can
 * only apply to different payments is seen where an exact member tells them apart, and no further.
 */
export function loosened(before: Policy, after: Policy): readonly string[] {
  return [
    ...(before.paused && !after.paused ? ['Payments go on: they are paused now.'] : []),
    ...otherHours(before, after),
    ...moreAdmitted('servers', before.only?.upstreams, after.only?.upstreams),
    ...moreAdmitted('payees', before.only?.payees, after.only?.payees),
    ...before.caps.flatMap((cap) => looserCap(cap, after)),
    ...(LOOSENESS[after.otherwise] > LOOSENESS[before.otherwise] ? [`A payment that no rule decides is ${OUTCOMES[after.otherwise]}. Now it is ${OUTCOMES[before.otherwise]}.`] : []),
    ...looserRules(before, after),
    ...looserPaying(before, after),
  ];
}

function otherHours({ timeZone: was, caps, rules }: Policy, { timeZone: is }: Policy): readonly string[] {
  if (was === is) return [];
  return [
    ...(caps.length === 0 ? [] : [`Days begin at midnight in ${is} in place of ${was}, so that limits by time begin anew at other moments.`]),
    ...(rules.every(({ when }) => when.during === undefined) ? [] : [`Times of day are those of ${is} in place of ${was}, so that rules by time hold at other moments.`]),
  ];
}

const OUTCOMES: Readonly<Record<Verdict, string>> = { allow: 'paid without asking', ask: 'asked about', deny: 'denied' };

function moreAdmitted(what: 'servers' | 'payees', before: readonly string[] | undefined, after: readonly string[] | undefined): readonly string[] {
  if (!before) return [];
  if (!after) return [`All ${what} may be paid. Now only those of a list may.`];
  const known = new Set(before);
  const added = after.filter((one) => !known.has(one));
  if (added.length === 0) return [];
  const named = added.length <= 5 ? added.join(', ') : `${added.slice(0, 5).join(', ')} and ${added.length - 5} more`;
  return [`More ${what} may be paid: ${named}.`];
}

function looserCap(cap: Cap, after: Policy): readonly string[] {
  const held = after.caps.filter((other) => isSame(other.window, cap.window) && other.unit === cap.unit && isWider(other.over, cap.over));
  const amount = unitsOf(cap.amount);
  if (held.some((other) => unitsOf(other.amount) <= amount)) return [];
  const words = `The limit of ${cap.amount} ${unitName(cap.unit, assetsOf(after))} (${capLabel(cap)})`;
  const [first, ...rest] = held;
  if (!first) return [`${words} is gone.`];
  const tightest = rest.reduce((least, other) => (unitsOf(other.amount) < unitsOf(least.amount) ? other : least), first);
  return [`${words} rises to ${tightest.amount}.`];
}

/** For comparing alone: an amount here may be above what any token has. */
function unitsOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(MOST_DECIMALS, '0')}`);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** True where every payment that `narrow` covers is covered by `wide`. */
const isWider = (wide: Scope, narrow: Scope): boolean => (Object.keys(wide) as (keyof Scope)[]).every((key) => wide[key] === undefined || wide[key] === narrow[key]);

function looserRules(before: Policy, after: Policy): readonly string[] {
  const was = before.rules.map(keyOf);
  const is = after.rules.map(keyOf);
  const strictest = Math.min(...[...before.rules.map(({ verdict }) => verdict), before.otherwise].map((verdict) => LOOSENESS[verdict]));
  const loosest = Math.max(...[...after.rules.map(({ verdict }) => verdict), after.otherwise].map((verdict) => LOOSENESS[verdict]));
  const added = after.rules.filter((rule, index) => !was.includes(is[index] ?? '') && LOOSENESS[rule.verdict] > strictest);
  const removed = before.rules.filter((rule, index) => !is.includes(was[index] ?? '') && LOOSENESS[rule.verdict] < loosest);
  return [
    ...added.map((rule) => `New or changed: ${ruleWords(rule)}.`),
    ...removed.map((rule) => `No longer there: ${ruleWords(rule)}.`),
    ...overtaking(before.rules, after.rules).map(([rule, stricter]) => `${ruleWords(rule)} now comes before the stricter one: ${ruleWords(stricter)}.`),
  ];
}

/** A note changes nothing of what a rule does. */
const keyOf = ({ when, verdict }: Rule): string => JSON.stringify([verdict, Object.entries(when).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

/** Pairs of rules that are in both, of which the looser one stood behind the stricter and now stands before it. */
function overtaking(before: readonly Rule[], after: readonly Rule[]): readonly (readonly [Rule, Rule])[] {
  const place = new Map<string, number>();
  for (const [index, rule] of before.entries()) if (!place.has(keyOf(rule))) place.set(keyOf(rule), index);
  const known = after.flatMap((rule, index) => {
    const was = place.get(keyOf(rule));
    return was === undefined ? [] : [{ rule, was, index }];
  });
  // Of equal rules the first decides.
  const firsts = known.filter(({ was, index }) => !known.some((other) => other.was === was && other.index < index));
  return firsts.flatMap((one) =>
    firsts
      .filter((other) => one.index < other.index && other.was < one.was && LOOSENESS[one.rule.verdict] > LOOSENESS[other.rule.verdict] && !areApart(one.rule.when, other.rule.when))
      .map((other) => [one.rule, other.rule] as const),
  );
}

/** Members of which one payment has one. */
const EXACT = ['upstream', 'network', 'dialect', 'client', 'payee', 'asset'] as const;

/** Names that differ in case alone may be one address, and a client that claims a name is under the rules of that name too. */
const areApart = (a: RuleMatch, b: RuleMatch): boolean => EXACT.some((key) => a[key] !== undefined && b[key] !== undefined && comparable(a[key]) !== comparable(b[key]));

const comparable = (name: string): string => claimedName(name).toLowerCase();

function looserPaying({ paying: before = {}, caps, rules }: Policy, { paying: after = {} }: Policy): readonly string[] {
  const maxima = (before.accounts ?? []).flatMap(({ account, max }) => {
    const now = after.accounts?.find((other) => other.account === account)?.max;
    if (!max || (now && now.unit === max.unit && unitsOf(now.amount) <= unitsOf(max.amount))) return [];
    return [now ? `One payment may take ${now.amount} ${now.unit} from account ${account}. Now it may take ${max.amount} ${max.unit}.` : `One payment may take any amount from account ${account}. Now it may take ${max.amount} ${max.unit}.`];
  });
  // What an account may not pay any more another one does, which a limit or rule that names accounts does not reach.
  const lowered = [...caps.map(({ over }) => over), ...rules.map(({ when }) => when)].some(({ account }) => account !== undefined) && (after.accounts ?? []).some((entry) => entry.max !== undefined && !(before.accounts ?? []).some((other) => isSame(other, entry)));
  const named = namesOf(before);
  const added = namesOf(after).filter((account) => !named.includes(account));
  const trusted = new Set((before.trusted ?? []).map((token) => JSON.stringify(token)));
  const hosts = new Set(before.openHosts ?? []);
  return [
    ...maxima,
    ...added.map((account) => `Account ${account} may pay for itself, also where another account spends for it.`),
    ...(added.length > 0 || (!lowered && isSame([named, before.tokens ?? []], [namesOf(after), after.tokens ?? []])) ? [] : ['Another account or token may pay first, for which other limits and rules hold.']),
    ...(after.trusted ?? []).filter((token) => !trusted.has(JSON.stringify(token))).map(({ symbol, asset }) => `The token ${symbol} (${asset}) may be paid.`),
    ...(after.openHosts ?? []).filter((host) => !hosts.has(host)).map((host) => `The host ${host} may lie on this machine or in your network, and be reached without TLS.`),
  ];
}

const namesOf = ({ accounts = [] }: NonNullable<Policy['paying']>): readonly string[] => accounts.map(({ account }) => account);
