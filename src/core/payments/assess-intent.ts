import { baseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap } from '../../shared/policy/policy.ts';
import { asksOfRepeats, assess, type Assessment } from '../policy/assess.ts';
import { beyondAgreed } from '../policy/pins.ts';
import { assetOfTerms, assetsOf } from '../policy/policy-assets.ts';
import { originsOf } from '../policy/provenance.ts';
import { covers } from '../policy/scope.ts';
import { countIn, NO_PRICES } from '../policy/units.ts';
import { ORDER } from '../challenges/order.ts';
import type { JournalTransaction, Policies, PolicyInForce, Prices } from '../ports.ts';
import type { Intent } from './intent.ts';
import type { Payment } from './payment.ts';
import { distrust } from './undelivered.ts';

export interface AssessPorts {
  readonly policies: Policies;
  readonly prices?: Prices;
}

/** What an intent holds of budgets already. */
export type Reserved = Pick<Assessment, 'use' | 'fees'>;

/**
 * What the policy in force says of an intent, by what the journal knows in this very transaction. `now` is the clock's. One that holds budget
 * already is looked at as of its reservation, and does not count against itself.
 */
export function assessIntent(tx: JournalTransaction, intent: Intent, now: number, { policies, prices = NO_PRICES, reserved }: AssessPorts & { readonly reserved?: Reserved }): Assessment {
  const { policy } = policies.current();
  const { terms, asset, fees, call, callKey, challenge, mustAsk } = intent;
  const settled = tx.lastSettled(terms.upstream, terms.tool);
  const { payee } = terms;
  const { agreed } = call;
  return assess({
    policy,
    terms,
    asset,
    costs: fees,
    prices,
    session: call.session,
    now: reserved?.use.at ?? Math.max(now, tx.highWater()),
    used: (cap, when) => usedByOthers(tx.used(policy, cap, when), policy.caps[cap], reserved),
    pin: settled?.terms,
    // That a server was paid there says nothing for sending money there: a server names its own payee.
    everPaidPayee: challenge.order ? tx.everPaid(terms.network, payee, ORDER) : tx.everPaid(terms.network, payee),
    boughtAt: asksOfRepeats(policy) ? tx.boughtAt(callKey) : undefined,
    origins: originsOf({
      payee,
      resource: challenge.resource,
      argumentsText: call.argumentsText,
      seenIn: call.seenIn,
      known: [...(settled ? [settled.terms?.payee ?? '', settled.challengeText, settled.argumentsText] : []), ...(agreed ? [agreed.url, ...agreed.prices.map((price) => price.payee)] : [])],
    }),
    ...(challenge.order && { knownRecipient: challenge.order.known }),
    mustAsk: mustAsk || (agreed && beyondAgreed(agreed.prices, terms, assetsOf(policy))) || distrust(tx, terms.upstream),
  });
}

/** How old an assessment may be at the reservation that relies on it: the price that it froze is that of its moment. */
const HOLDS_MS = 1000;

/** What the policy said of an intent, with what that rests on. */
export interface Assessed {
  readonly assessment: Assessment;
  /** `version` of the journal. */
  readonly ledger: string;
  readonly policy: PolicyInForce;
  /** When, by the clock (ms). */
  readonly at: number;
}

/** {@link assessIntent}, for a reservation that may follow in another transaction. */
export const assessNow = (tx: JournalTransaction, intent: Intent, now: number, ports: AssessPorts): Assessed => ({
  assessment: assessIntent(tx, intent, now, ports),
  ledger: tx.version(),
  policy: ports.policies.current(),
  at: now,
});

/** Whether nothing that an assessment looked at has changed since, so that another one would allow this reservation as well (I3). */
export function stillHolds(tx: JournalTransaction, { terms, challenge, call }: Intent, { before, now, policies }: { readonly before: Assessed; readonly now: number; readonly policies: Policies }): boolean {
  const age = now - before.at;
  if (tx.version() !== before.ledger || policies.current() !== before.policy || age < 0 || age > HOLDS_MS) return false;
  return originsOf({ payee: terms.payee, resource: challenge.resource, argumentsText: call.argumentsText, seenIn: call.seenIn, known: [] }).length === 0;
}

/**
 * What the policy in force says of a payment that was signed before and still holds its budget, which does not count against itself. Asking is
 * over for it: only a denial tells anything. Undefined where the policy no longer knows its token, or it holds nothing.
 */
export function assessSigned(tx: JournalTransaction, { id, terms }: Payment, { policies, prices = NO_PRICES }: AssessPorts): Assessment | undefined {
  const { policy } = policies.current();
  const asset = terms && assetOfTerms(assetsOf(policy), terms);
  const uses = tx.held(id);
  const use = uses.find(({ asset: held, paid }) => held === paid);
  if (!terms || !asset || !use) return undefined;
  const fees = uses.filter((other) => other !== use);
  return assess({
    policy,
    terms,
    asset,
    costs: [],
    held: [use, ...fees],
    prices,
    session: use.session,
    now: use.at,
    used: (cap, when) => usedByOthers(tx.used(policy, cap, when), policy.caps[cap], { use, fees }),
    pin: tx.lastSettled(terms.upstream, terms.tool)?.terms,
    everPaidPayee: tx.everPaid(terms.network, terms.payee),
    origins: [],
    mustAsk: '',
  });
}

function usedByOthers(used: BaseUnits, cap: Cap | undefined, reserved: Reserved | undefined): BaseUnits {
  if (!cap || !reserved || cap.window === 'call') return used;
  const counts = [reserved.use, ...reserved.fees].map((held) => (covers(cap.over, held) ? countIn(cap.unit, held) : 'none'));
  const own = counts.reduce<bigint>((sum, count) => sum + (typeof count === 'bigint' ? count : 0n), 0n);
  return baseUnits(used > own ? used - own : 0n);
}
