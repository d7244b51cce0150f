import { BursarError } from '../../shared/errors/errors.ts';
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

/** What a payment counts for here: its amount, with those fees that have a price. A fee without one is Bursar's own reckoning and bounded by it. */
export function usdOfPayment({ use, fees }: { readonly use: Priced; readonly fees: readonly Priced[] }): bigint | undefined {
  return use.usd === undefined ? undefined : fees.reduce((sum, { usd = 0n }) => sum + usd, use.usd);
}

interface Priced {
  readonly usd?: bigint;
}

/** A policy as it is saved: what it leaves out of presence stays as it was, and passkeys are not edited in it. Throws `INPUT_INVALID`. */
export function withPresenceOf(before: Policy, given: Policy): Policy {
  const passkeys = before.presence?.passkeys;
  const named = given.presence?.passkeys;
  if (named !== undefined && JSON.stringify(named) !== JSON.stringify(passkeys ?? [])) {
    throw new BursarError('INPUT_INVALID', "The policy's presence.passkeys is not edited there.", { hint: 'Leave it as it is: passkeys are added and removed on the dashboard.', context: { place: 'presence.passkeys' } });
  }
  const presence = given.presence === undefined ? before.presence : { ...given.presence, ...(passkeys && { passkeys }) };
  return presence === undefined ? given : { ...given, presence };
}
