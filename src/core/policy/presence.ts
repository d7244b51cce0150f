import type { BaseUnits } from '../../shared/money/money.ts';
import { DEFAULT_PRESENCE, type Policy } from '../../shared/policy/policy.ts';
import { assetsOf } from './policy-assets.ts';
import { limitOf } from './units.ts';

/** From which amount on (millionths of a US dollar, not included) the owner proves to be there; `off`: never. */
export type PresenceRule = 'off' | { readonly above: BaseUnits };

/** What the policy says, or what holds where it says nothing: a small amount with real money, never with play money. */
export function presenceRule(policy: Policy, realMoney: boolean): PresenceRule {
  const above = policy.presence?.above ?? (realMoney ? DEFAULT_PRESENCE : 'off');
  return above === 'off' ? above : { above: limitOf(above, 'USD', assetsOf(policy)) };
}

/** Whether an amount is above; one without a known price is, for nobody can say that it is not. */
export const isAbove = (rule: PresenceRule, usd: bigint | undefined): boolean => rule !== 'off' && (usd === undefined || usd > rule.above);
