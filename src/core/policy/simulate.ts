import { baseUnits } from '../../shared/money/money.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import type { Payment } from '../payments/payment.ts';
import type { Terms } from '../payments/terms.ts';
import type { Assets } from '../registry/assets.ts';
import { assess, type Assessment } from './assess.ts';
import { BudgetSums } from './budget-sums.ts';

/** A payment of the past with what its reservation froze, where it still holds budget. */
export interface PastPayment {
  readonly payment: Payment;
  readonly session: string;
  /** Worth in millionths of a US dollar. */
  readonly usd?: bigint;
}

/** Says of one payment after the other, oldest first, what a policy would have said of it at its time. */
export type Simulator = (past: PastPayment & { readonly payment: { readonly terms: Terms } }) => Assessment;

/**
 * Replays a policy. A payment counts against its caps where the policy allows it, or asks and the owner agreed then; not where its money
 * turned out never to have moved. `assets` knows every token of the past. What servers had told the agent is not in the ledger, so no origin asks here.
 */
export function createSimulator(policy: Policy, assets: Assets): Simulator {
  const sums = new BudgetSums(policy, { since: () => [], ofSession: () => [] }, 0);
  const pins = new Map<string, Terms>();
  const payees = new Set<string>();
  let now = 0;

  return ({ payment, session, usd }) => {
    const { terms, createdAt } = payment;
    const asset = assets.find(terms.network, terms.asset);
    if (!asset) throw new TypeError(`The token of payment ${payment.id} is not known.`);
    now = Math.max(now, createdAt);
    const tool = JSON.stringify([terms.upstream, terms.tool]);
    const payee = `${terms.network} ${terms.payee}`;
    const price = usd === undefined || terms.amount === 0n ? undefined : baseUnits((usd * 10n ** BigInt(asset.decimals)) / terms.amount);
    sums.forgetBefore(now);
    const assessment = assess({
      policy,
      terms,
      asset,
      // What its fees were is not kept apart from the budgets of its time.
      costs: [],
      prices: { usdOf: () => price },
      session,
      now,
      used: (cap, when) => sums.used(cap, when),
      pin: pins.get(tool),
      everPaidPayee: payees.has(payee),
      origins: [],
      mustAsk: '',
    });
    const paidThen = payment.decision === 'approved';
    const neverMoved = paidThen && (payment.money === 'none' || payment.money === 'dead');
    if ((assessment.verdict === 'allow' || (assessment.verdict === 'ask' && paidThen)) && !neverMoved) {
      sums.add(assessment.use);
      pins.set(tool, terms);
      payees.add(payee);
    }
    return assessment;
  };
}
