import { assess, type Assessment } from '../policy/assess.ts';
import { originsOf } from '../policy/provenance.ts';
import { NO_PRICES } from '../policy/units.ts';
import type { JournalTransaction, Policies, Prices } from '../ports.ts';
import type { Intent } from './intent.ts';

export interface AssessPorts {
  readonly policies: Policies;
  readonly prices?: Prices;
}

/** What the policy in force says of an intent, by what the journal knows in this very transaction. `now` is the clock's. */
export function assessIntent(tx: JournalTransaction, intent: Intent, now: number, { policies, prices = NO_PRICES }: AssessPorts): Assessment {
  const { policy } = policies.current();
  const { terms, asset, call, challenge, mustAsk } = intent;
  const settled = tx.lastSettled(terms.upstream, terms.tool);
  const { payee } = terms;
  return assess({
    policy,
    terms,
    asset,
    prices,
    session: call.session,
    now: Math.max(now, tx.highWater()),
    used: (cap, when) => tx.used(policy, cap, when),
    pin: settled?.terms,
    everPaidPayee: tx.everPaid(terms.network, payee),
    origins: originsOf({
      payee,
      resource: challenge.resource,
      argumentsText: call.argumentsText,
      seenIn: call.seenIn,
      known: settled ? [settled.terms?.payee ?? '', settled.challengeText, settled.argumentsText] : [],
    }),
    mustAsk,
  });
}
