import type { Policy } from '../../../shared/policy/policy.ts';

const keyOf = (value: unknown): string => JSON.stringify(value);

/** `theirs` without what was taken out of `base`, and with what was added to it. Equal entries count one by one. */
function mergedList<T>(mine: readonly T[], base: readonly T[], theirs: readonly T[]): T[] {
  const minus = (list: readonly T[], others: readonly T[]): T[] => {
    const left = others.map(keyOf);
    return list.filter((one) => {
      const at = left.indexOf(keyOf(one));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  };
  const gone = minus(base, mine);
  const added = minus(mine, base);
  return [...minus(theirs, gone), ...minus(added, minus(theirs, base))];
}

/**
 * The owner's edits on top of a newer version: what was changed against `base` is kept, all else is taken from `theirs`. Limits are merged one by
 * one. Of rules, whose order counts, the edited list stands whole where both were changed.
 */
export function mergePolicies(mine: Policy, base: Policy, theirs: Policy): Policy {
  const members = [...new Set([...Object.keys(mine), ...Object.keys(base), ...Object.keys(theirs)])] as (keyof Policy)[];
  const isKept = (member: keyof Policy) => keyOf(mine[member]) !== keyOf(base[member]);
  const merged = members.flatMap((member) => {
    const value = isKept(member) ? mine[member] : theirs[member];
    return value === undefined ? [] : [[member, value] as const];
  });
  return { ...(Object.fromEntries(merged) as Policy), caps: mergedList(mine.caps, base.caps, theirs.caps) };
}
