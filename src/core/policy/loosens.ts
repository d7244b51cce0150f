import type { Cap, Policy, Rule, Verdict } from '../../shared/policy/policy.ts';
import { isAbove, presenceRule } from './presence.ts';

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Whether a policy may let something through that the one before holds back. Tighter are: a pause, lower or more caps, denials put before all
 * rules, a stricter default, proof of presence from a lower amount on. Whatever else differs counts as looser, since nobody can tell.
 */
export function loosens(before: Policy, after: Policy, realMoney: boolean): boolean {
  return (
    (before.paused === true && after.paused !== true) ||
    !before.caps.every((cap) => after.caps.some((other) => isWithin(other, cap))) ||
    !onlyDenies(before.rules, after.rules) ||
    STRICTNESS[after.otherwise] < STRICTNESS[before.otherwise] ||
    loosensPresence(before, after, realMoney) ||
    rest(before) !== rest(after)
  );
}

/** Whether less is asked of the owner than before. */
export function loosensPresence(before: Policy, after: Policy, realMoney: boolean): boolean {
  const [old, next] = [presenceRule(before, realMoney), presenceRule(after, realMoney)];
  return next === 'off' ? old !== 'off' : isAbove(old, next.above);
}

const isWithin = (cap: Cap, { over, window, unit, amount }: Cap): boolean =>
  cap.unit === unit && JSON.stringify([cap.over, cap.window]) === JSON.stringify([over, window]) && fixed(cap.amount) <= fixed(amount);

/** More decimal places than any amount may have. */
const PLACES = 77;

function fixed(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.padEnd(PLACES, '0')}`);
}

function onlyDenies(before: readonly Rule[], after: readonly Rule[]): boolean {
  const added = after.slice(0, Math.max(0, after.length - before.length));
  return added.every(({ verdict }) => verdict === 'deny') && JSON.stringify(after.slice(added.length)) === JSON.stringify(before);
}

/** All that has no order of strictness. Both policies come out of the schema, so members stand in the same order. */
const rest = ({ paused: _paused, caps: _caps, rules: _rules, otherwise: _otherwise, presence, ...others }: Policy): string => JSON.stringify([others, presence?.passkeys ?? []]);
