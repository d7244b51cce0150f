import { BursarError } from '../../shared/errors/errors.ts';
import type { CapUnit, Policy } from '../../shared/policy/policy.ts';
import { decimalsOfUnit } from './units.ts';

/** A limit in a token that is not in the registry would never hold anything back. Throws `INPUT_INVALID` for one. */
export function requireKnownUnits({ caps, rules }: Policy): void {
  const named = [
    ...caps.map(({ unit, amount }, index) => ({ unit, amounts: [amount], place: `caps[${index}]` })),
    ...rules.map(({ when: { amount } }, index) => ({ unit: amount?.unit ?? ('USD' as const), amounts: [amount?.atLeast, amount?.atMost], place: `rules[${index}].when.amount` })),
  ];
  for (const { unit, amounts, place } of named) for (const amount of amounts) requireWritable(unit, amount ?? '0', place);
}

function requireWritable(unit: CapUnit, amount: string, place: string): void {
  const decimals = decimalsOfUnit(unit);
  const fail = (why: string) => new BursarError('INPUT_INVALID', `The policy's ${place} ${why}.`, { context: { place, unit } });
  if (decimals === undefined) throw fail(`counts in ${unit}, which is not in the token registry`);
  if ((amount.split('.')[1]?.length ?? 0) > decimals) throw fail(`has more than ${decimals} decimal places`);
}
