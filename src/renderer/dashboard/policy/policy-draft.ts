import type { Cap, Policy, Rule, Scope } from '../../../shared/policy/policy.ts';
import type { FieldIssue } from '../../../shared/errors/issue-words.ts';

/** An entry of a list with a key that stays with it when it is moved. */
export interface Keyed<T> {
  readonly key: number;
  readonly value: T;
}

/**
 * A policy while it is edited. Its texts may be anything until it is checked; what no field shows is carried along as it is, so that
 * {@link policyOfDraft} of an unchanged draft is the very policy.
 */
export interface PolicyDraft {
  readonly policy: Policy;
  readonly caps: readonly Keyed<Cap>[];
  readonly rules: readonly Keyed<Rule>[];
}

const keyed = <T>(values: readonly T[]): readonly Keyed<T>[] => values.map((value, key) => ({ key, value }));

export const draftOfPolicy = (policy: Policy): PolicyDraft => ({ policy, caps: keyed(policy.caps), rules: keyed(policy.rules) });

export const policyOfDraft = ({ policy, caps, rules }: PolicyDraft): Policy => ({ ...policy, caps: caps.map(({ value }) => value), rules: rules.map(({ value }) => value) });

/** A list with one entry more, which goes before `at`, or last. */
export function withEntry<T>(list: readonly Keyed<T>[], value: T, at = list.length): readonly Keyed<T>[] {
  const key = 1 + Math.max(-1, ...list.map((entry) => entry.key));
  return list.toSpliced(at, 0, { key, value });
}

export const replaced = <T>(list: readonly Keyed<T>[], key: number, value: T): readonly Keyed<T>[] => list.map((entry) => (entry.key === key ? { key, value } : entry));

export const without = <T>(list: readonly Keyed<T>[], key: number): readonly Keyed<T>[] => list.filter((entry) => entry.key !== key);

/** The list with an entry one place up (-1) or down (1); the same where it stands at that end. */
export function moved<T>(list: readonly Keyed<T>[], key: number, by: -1 | 1): readonly Keyed<T>[] {
  const from = list.findIndex((entry) => entry.key === key);
  const entry = list[from];
  const to = from + by;
  return entry === undefined || to < 0 || to >= list.length ? list : list.toSpliced(from, 1).toSpliced(to, 0, entry);
}

/** A copy with a member set, or taken out where it is undefined. The order of the others stays. */
export function withMember<T extends object, K extends keyof T>(value: T, member: K, next: T[K] | undefined): T {
  if (next !== undefined) return { ...value, [member]: next };
  const { [member]: _gone, ...rest } = value;
  return rest as T;
}

/** What is wrong at a place of the policy, or anywhere within it. */
export const problemAt = (issues: readonly FieldIssue[], place: string): string | undefined => issues.find(({ field }) => field === place || field.startsWith(`${place}.`) || field.startsWith(`${place}[`))?.words;

/** The members of a scope, in the order in which pages show them. */
export const SCOPE_MEMBERS = ['upstream', 'tool', 'client', 'payee', 'account', 'network', 'asset'] as const satisfies readonly (keyof Scope)[];

/** What a rule may look at beside them. */
export const RULE_MEMBERS = [...SCOPE_MEMBERS, 'amount', 'during', 'firstPayment', 'changedTerms', 'repeatWithinMinutes', 'dialect'] as const satisfies readonly (keyof Rule['when'])[];

/**
 * Where a new rule for one server goes: before the first rule that would decide all of its payments, and so leave it no effect. Rules before
 * that stay before it.
 */
export function placeOfServerRule(rules: readonly Keyed<Rule>[], upstream: string): number {
  const at = rules.findIndex(({ value: { when } }) => Object.entries(when).every(([member, value]) => value === undefined || (member === 'upstream' && value === upstream)));
  return at < 0 ? rules.length : at;
}
