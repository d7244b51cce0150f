import { baseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import { aboveMaximum, inOrder } from '../payments/offer-order.ts';
import { orderOfRow } from '../challenges/order.ts';
import type { Payment } from '../payments/payment.ts';
import type { Terms } from '../payments/terms.ts';
import type { Account, Fee, Prices } from '../ports.ts';
import type { Asset, Assets } from '../registry/assets.ts';
import { assetId } from '../../shared/money/asset-id.ts';
import { coinOf } from '../registry/coins.ts';
import { assess, type Assessment } from './assess.ts';
import { BudgetSums } from './budget-sums.ts';
import { assetOfTerms, assetsOf } from './policy-assets.ts';
import { sameAddress } from './scope.ts';

/** What a reservation froze of a fee in another asset than the one that was paid. */
export interface PastFee {
  /** CAIP-19 id. */
  readonly asset: string;
  readonly units: bigint;
  /** Worth in millionths of a US dollar. */
  readonly usd?: bigint;
}

/** A payment of the past with what its reservation froze, where it still holds budget. */
export interface PastPayment {
  readonly payment: Payment;
  readonly session: string;
  /** What it holds in its own token: the amount, and a fee in that token. */
  readonly units?: bigint;
  /** Worth of `units` in millionths of a US dollar. */
  readonly usd?: bigint;
  readonly fees?: readonly PastFee[];
}

/** Says of one payment after the other, oldest first, what a policy would have said of it at its time. */
export type Simulator = (past: PastPayment & { readonly payment: { readonly terms: Terms } }) => Pick<Assessment, 'verdict' | 'rule'>;

/** What the ledger does not keep, so that a replay can be kinder than the policy would have been. */
export const NOT_REPLAYED: readonly string[] = [
  'Balances are not known for the past: a payment is replayed as if each account could pay it.',
  'Only the offer that was taken is replayed, so that an order of tokens changes nothing here.',
  'Fees of payments that were never made, and of those whose money never moved, are not known.',
  'What servers had told the agent is known only where it made Bursar ask.',
  'How long an answer took is not known: the same call again counts from when the one before was asked for.',
];

/** What the replay finds by itself, or what was no matter of the call: the keys were locked. */
const NOT_OF_THE_CALL = /^Asks because (?:this client did not prove|the fee of|no limit counts|nothing was ever sent|the [a-z, ]+ changed since|Bursar is locked)/;

/**
 * Replays a policy. A payment counts against its caps where the policy allows it, or asks and the owner agreed then; not where its money
 * turned out never to have moved. `assets` knows every token of the past; `accounts` are those of now. What asked then whatever the rules
 * said, asks again. See {@link NOT_REPLAYED}.
 */
export function createSimulator(policy: Policy, assets: Assets, accounts: readonly Account[] = []): Simulator {
  const sums = new BudgetSums(policy, { since: () => [], ofSession: () => [] }, 0);
  const pins = new Map<string, Terms>();
  const payees = new Set<string>();
  const bought = new Map<string, number>();
  const payable = assetsOf(policy);
  let now = 0;

  return ({ payment, session, units, usd, fees = [] }) => {
    const { createdAt } = payment;
    const past = payment.terms;
    const order = orderOfRow(payment);
    const asset = assetOfTerms(assets, past);
    if (!asset) throw new TypeError(`The token of payment ${payment.id} is not known.`);
    now = Math.max(now, createdAt);
    const costs = costsOf(past, { asset, assets, units, fees });
    const prices = pricesOf([{ asset, units: units ?? past.amount, usd }, ...fees.map((fee) => ({ ...fee, asset: costs.find((cost) => assetId(cost.asset) === fee.asset)?.asset }))]);
    const asked = payment.rule.startsWith('Asks because ') && !NOT_OF_THE_CALL.test(payment.rule) ? payment.rule : '';

    if (!assetOfTerms(payable, past)) return { verdict: 'deny', rule: `The token ${asset.symbol} is neither in the registry nor trusted` };
    const payer = payerOf(policy, past, { asset, assets: payable, prices, accounts });
    if (payer instanceof Error) return { verdict: 'deny', rule: payer.message };
    const terms: Terms = { ...past, payer };
    const tool = JSON.stringify([terms.upstream, terms.tool]);
    // Money that was sent there, and money that a server asked for.
    const payee = `${terms.network} ${terms.payee}`;
    const sentTo = `order ${payee}`;
    sums.forgetBefore(now);
    const assessment = assess({
      policy,
      terms,
      asset,
      costs,
      prices,
      session,
      now,
      used: (cap, when) => sums.used(cap, when),
      pin: pins.get(tool),
      everPaidPayee: payees.has(order ? sentTo : payee),
      boughtAt: bought.get(payment.callKey),
      origins: [],
      ...(order && { knownRecipient: order.known }),
      mustAsk: asked || (terms.flow === 'authorize' || order ? '' : 'Asks because the money moves before the server answers'),
    });
    const paidThen = payment.decision === 'approved';
    const neverMoved = paidThen && (payment.money === 'none' || payment.money === 'dead');
    if ((assessment.verdict === 'allow' || (assessment.verdict === 'ask' && paidThen)) && !neverMoved) {
      for (const use of [assessment.use, ...assessment.fees]) sums.add(use);
      pins.set(tool, terms);
      payees.add(payee);
      if (order) payees.add(sentTo);
      if (payment.service === 'delivered') bought.set(payment.callKey, createdAt);
    }
    return assessment;
  };
}

/** The account that the policy would have had pay: the one that did, unless the policy puts another first or the amount is above its maximum. */
function payerOf({ paying }: Policy, terms: Terms, { asset, assets, prices, accounts }: { asset: Asset; assets: Assets; prices: Prices; accounts: readonly Account[] }): string | Error {
  const [namespace = ''] = terms.network.split(':');
  const fitting = accounts.filter((account) => account.namespace === namespace && account.source !== 'watch');
  const then = fitting.find(({ address }) => sameAddress(address, terms.payer)) ?? { id: terms.payer, label: '', namespace: namespace as Account['namespace'], address: terms.payer, source: 'imported' };
  const all = [then, ...fitting.filter((account) => account !== then)];
  const ways = all.map((account) => ({ account, asset, amount: terms.amount, place: 0, above: aboveMaximum({ account, asset, amount: terms.amount }, paying, { assets, prices }) }));
  const [first] = inOrder(ways.filter(({ above }) => above === undefined), { paying, accounts: all, prices });
  return first?.account.address ?? ways[0]?.above ?? new Error('There is no account for it');
}

function costsOf({ network, amount }: Terms, { asset, assets, units, fees }: { asset: Asset; assets: Assets; units: bigint | undefined; fees: readonly PastFee[] }): readonly Fee[] {
  const own: readonly Fee[] = units !== undefined && units > amount ? [{ asset, units: baseUnits(units - amount) }] : [];
  const others = fees.flatMap((fee): readonly Fee[] => {
    const known = assets.byId(fee.asset) ?? coinOf(network);
    return assetId(known) === fee.asset ? [{ asset: known, units: baseUnits(fee.units) }] : [];
  });
  return [...own, ...others];
}

/** Prices for one whole token as the reservation froze them. */
function pricesOf(held: readonly { readonly asset: Asset | undefined; readonly units: bigint; readonly usd?: bigint | undefined }[]): Prices {
  const known = new Map<string, BaseUnits>();
  for (const { asset, units, usd } of held) if (asset && usd !== undefined && units > 0n) known.set(assetId(asset), baseUnits((usd * 10n ** BigInt(asset.decimals)) / units));
  return { usdOf: (asset) => known.get(assetId(asset)) };
}
