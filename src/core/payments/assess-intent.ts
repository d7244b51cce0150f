import { baseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap } from '../../shared/policy/policy.ts';
import { assess, type Assessment } from '../policy/assess.ts';
import { assetOfTerms, assetsOf } from '../policy/policy-assets.ts';
import { originsOf } from '../policy/provenance.ts';
import { covers } from '../policy/scope.ts';
import { countIn, NO_PRICES } from '../policy/units.ts';
import { ORDER } from '../challenges/order.ts';
import type { JournalTransaction, Policies, Prices } from '../ports.ts';
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
  const { terms, asset, fees, call, challenge, mustAsk } = intent;
  const settled = tx.lastSettled(terms.upstream, terms.tool);
  const { payee } = terms;
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
    origins: originsOf({
      payee,
      resource: challenge.resource,
      argumentsText: call.argumentsText,
      seenIn: call.seenIn,
      known: settled ? [settled.terms?.payee ?? '', settled.challengeText, settled.argumentsText] : [],
    }),
    ...(challenge.order && { knownRecipient: challenge.order.known }),
    mustAsk: mustAsk || distrust(tx, terms.upstream),
  });
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
