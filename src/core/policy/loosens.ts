import type { Policy } from '../../shared/policy/policy.ts';
import { loosened } from './loosened.ts';
import { isAbove, presenceRule } from './presence.ts';

/** Whether a policy may let something through that the one before holds back: what {@link loosened} has words for, less proof of presence, and whatever nobody has words for. */
export const loosens = (before: Policy, after: Policy, realMoney: boolean): boolean => loosened(before, after).length > 0 || loosensPresence(before, after, realMoney) || wordless(before) !== wordless(after);

/** Whether less is asked of the owner than before. */
export function loosensPresence(before: Policy, after: Policy, realMoney: boolean): boolean {
  const [old, next] = [presenceRule(before, realMoney), presenceRule(after, realMoney)];
  return next === 'off' ? old !== 'off' : isAbove(old, next.above);
}

/** The members that the words do not speak of, a new one among them until they do. Both policies come out of the schema, so members stand in the same order. */
function wordless({ timeZone: _timeZone, paused: _paused, only: _only, caps: _caps, rules: _rules, otherwise: _otherwise, paying, presence, ...others }: Policy): string {
  const { accounts: _accounts, tokens: _tokens, trusted: _trusted, openHosts: _openHosts, ...otherPaying } = paying ?? {};
  return JSON.stringify([others, otherPaying, presence?.passkeys ?? []]);
}
