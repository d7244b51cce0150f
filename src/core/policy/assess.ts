import { baseUnits, formatUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap, CapUnit, Policy, Verdict } from '../../shared/policy/policy.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Terms } from '../payments/terms.ts';
import type { BudgetUse, Fee, Prices } from '../ports.ts';
import { ORDER } from '../challenges/order.ts';
import type { Asset, Assets } from '../registry/assets.ts';
import { assetId } from '../../shared/money/asset-id.ts';
import type { HeldUse } from './budget-sums.ts';
import { minutesWords } from './minutes-words.ts';
import { changedTerms, changeWords, type Pin, type TermsChange } from './pins.ts';
import type { Origin } from './provenance.ts';
import { assetsOf } from './policy-assets.ts';
import { outsideOf, ruleFor, ruleWords } from './rules.ts';
import { covers, scopeWords } from './scope.ts';
import { isUnverified } from './unverified.ts';
import { countIn, decimalsOfUnit, limitOf, unitName, usdOf } from './units.ts';

/** A cap as it stands before this payment, in the smallest parts of its unit. */
export interface BudgetLine {
  /** Place of the cap in the policy. */
  readonly cap: number;
  readonly label: string;
  readonly window: Cap['window'];
  readonly unit: CapUnit;
  readonly used: BaseUnits;
  /** What this payment adds. */
  readonly units: BaseUnits;
  readonly limit: BaseUnits;
}

/** What the policy says of a payment. */
export interface Assessment {
  readonly verdict: Verdict;
  /** The rule or cap that decided, in words that owner and agent read. */
  readonly rule: string;
  /** Set where the verdict is `deny`. */
  readonly code: ErrorCode | '';
  readonly budgets: readonly BudgetLine[];
  /** What this payment holds if it is made; a fee in the same token is in it. */
  readonly use: HeldUse;
  /** What its fees hold in other assets. */
  readonly fees: readonly HeldUse[];
  /** What differs from the last settled payment for the same tool. */
  readonly changes: readonly TermsChange[];
  /** What first stood in a text of a server. */
  readonly origins: readonly Origin[];
}

export interface AssessRequest {
  readonly policy: Policy;
  readonly terms: Terms;
  readonly asset: Asset;
  /** What it costs besides the amount, at most. */
  readonly costs: readonly Fee[];
  /** What it holds already, the token that is paid first; where absent, that follows from terms, costs and prices. */
  readonly held?: readonly [HeldUse, ...HeldUse[]];
  readonly prices: Prices;
  readonly session: string;
  /** Not before any time that was ever journaled (I3). */
  readonly now: number;
  /** What is used of a cap, by its place in the policy. */
  readonly used: (cap: number, when: BudgetUse) => BaseUnits;
  /** The last settled payment for the same tool. */
  readonly pin: Pin | undefined;
  readonly everPaidPayee: boolean;
  /** When the very same call, bought before, was last answered (ms); needed only where {@link asksOfRepeats}. */
  readonly boughtAt?: number | undefined;
  readonly origins: readonly Origin[];
  /** For Bursar's own orders: the owner named who gets the money. */
  readonly knownRecipient?: boolean;
  /** Why this payment may not be allowed without asking, whatever the rules say; empty where it may. */
  readonly mustAsk: string;
}

/** Whether a rule looks at when the same call was bought before. */
export const asksOfRepeats = ({ rules }: Policy): boolean => rules.some(({ when }) => when.repeatWithinMinutes !== undefined);

/** Evaluates pause, lists, caps, then rules (first match wins), then the default. Pure. */
export function assess(request: AssessRequest): Assessment {
  const { policy, terms, asset, pin, origins } = request;
  const assets = assetsOf(policy);
  const [use, ...fees] = request.held ?? heldUses(request);
  const isOrder = terms.dialect === ORDER;
  // Every order has its own payee and amount; what the last one had says nothing.
  const changes = isOrder ? [] : changedTerms(pin, terms, assets);
  const counted = policy.caps.flatMap((cap, index): { cap: Cap; index: number; units: BaseUnits | 'unpriced' }[] => {
    const count = (held: HeldUse) => (covers(cap.over, held) ? countIn(cap.unit, held) : 'none');
    const units = count(use);
    if (units === 'unpriced') return [{ cap, index, units }];
    const all = [units, ...fees.map(count)].filter((part) => typeof part === 'bigint');
    return all.length === 0 ? [] : [{ cap, index, units: baseUnits(all.reduce((sum, part) => sum + part, 0n)) }];
  });
  const budgets = counted.flatMap(({ cap, index, units }) => (units === 'unpriced' ? [] : [budgetLine({ cap, index, units, used: request.used(index, use) }, assets)]));
  const result = (verdict: Verdict, rule: string, code: ErrorCode | '' = ''): Assessment => ({ verdict, rule, code, budgets, use, fees, changes, origins });

  if (policy.paused) return result('deny', 'All payments are paused', 'PAYMENTS_PAUSED');
  const outside = outsideOf(policy, use);
  if (outside) return result('deny', outside, 'POLICY_DENIED');
  const unpriced = counted.find(({ units }) => units === 'unpriced');
  if (unpriced) return result('deny', `There is no price for ${asset.symbol}, and a limit counts in US dollars (${capLabel(unpriced.cap)})`, 'PRICE_UNKNOWN');
  const exceeded = budgets.find((line) => line.used + line.units > line.limit);
  if (exceeded) return result('deny', exceededWords(exceeded, assets), 'BUDGET_EXCEEDED');

  const first = { tool: pin === undefined, payee: !request.everPaidPayee };
  const rule = ruleFor(policy, { use, dialect: terms.dialect, first, changedTerms: changes.length > 0, ...(request.boughtAt !== undefined && { sinceBought: request.now - request.boughtAt }) });
  const otherwise = isOrder && policy.otherwise === 'allow' ? 'ask' : policy.otherwise;
  const verdict = rule?.verdict ?? otherwise;
  const words = rule ? ruleWords(rule) : OTHERWISE_WORDS[otherwise];
  if (verdict === 'deny') return result('deny', words, 'POLICY_DENIED');
  const mustAsk = request.mustAsk || unverifiedWords(terms.client) || feeWords(policy, request.costs, fees) || originWords(origins) || newPayeeWords(isOrder, request) || (changes.length > 0 ? `Asks because the ${changeWords(changes)} changed since the last payment for this tool` : '');
  return mustAsk ? result('ask', mustAsk) : result(verdict, words);
}

/** In place of a rule's words where none matches. */
const OTHERWISE_WORDS: Readonly<Record<Verdict, string>> = {
  ask: 'You have set no rule for this',
  allow: 'The owner has set no rule for this, and what is within the limits is paid without asking',
  deny: 'No rule allows this, and the policy denies what no rule allows',
};

/** What a payment under these terms holds, and what its fees hold in other assets, with time and price as they are now. */
function heldUses({ terms, asset, costs, prices, session, now }: AssessRequest): readonly [HeldUse, ...HeldUse[]] {
  const { client, upstream, tool, network, payee, payer, amount } = terms;
  const paid = assetId(asset);
  const held = (of: Asset, units: BaseUnits): HeldUse => {
    const usd = usdOf(of, units, prices);
    return { client, upstream, tool, network, payee, payer, asset: assetId(of), paid, units, ...(usd !== undefined && { usd }), at: now, session };
  };
  const sums = new Map<string, { of: Asset; units: bigint }>([[paid, { of: asset, units: amount }]]);
  for (const { asset: of, units } of costs) {
    if (units > 0n) sums.set(assetId(of), { of, units: units + (sums.get(assetId(of))?.units ?? 0n) });
  }
  const [own, ...others] = [...sums.values()].map(({ of, units }) => held(of, baseUnits(units)));
  return [own ?? held(asset, amount), ...others];
}

/** A fee in another token than the price is the owner's to see where no limit counts it, or one in dollars should and cannot. */
function feeWords({ caps }: Policy, costs: readonly Fee[], fees: readonly HeldUse[]): string {
  const counts = (fee: HeldUse) => caps.map(({ over, unit }) => (covers(over, fee) ? countIn(unit, fee) : 'none'));
  const words = (fee: HeldUse | undefined) => {
    const cost = fee && costs.find(({ asset }) => assetId(asset) === fee.asset);
    return fee && cost ? `the fee of up to ${formatUnits(fee.units, cost.asset.decimals, 2)} ${cost.asset.symbol}` : '';
  };
  const unpriced = words(fees.find((fee) => counts(fee).includes('unpriced')));
  if (unpriced) return `Asks because ${unpriced} has no price in US dollars`;
  const uncounted = words(fees.find((fee) => counts(fee).every((count) => count === 'none')));
  return uncounted && `Asks because no limit counts ${uncounted}`;
}

const budgetLine = ({ cap, index, units, used }: { cap: Cap; index: number; units: BaseUnits; used: BaseUnits }, assets: Assets): BudgetLine => ({
  cap: index,
  label: capLabel(cap),
  window: cap.window,
  unit: cap.unit,
  used,
  units,
  limit: limitOf(cap.amount, cap.unit, assets),
});

/** A name that anyone could claim gets no rule's allowance. */
const unverifiedWords = (client: string): string => (isUnverified(client) ? 'Asks because this client did not prove its name' : '');

/** A payee that no challenge named but an agent: it has to be one that the owner knows. */
const newPayeeWords = (isOrder: boolean, { everPaidPayee, knownRecipient }: AssessRequest): string =>
  isOrder && !everPaidPayee && knownRecipient !== true ? 'Asks because nothing was ever sent to this payee, who is none of your contacts' : '';

function originWords([origin]: readonly Origin[]): string {
  if (!origin) return '';
  const what = { payee: 'the payee', resource: 'the resource', arguments: 'an address in the arguments' }[origin.what];
  return `Asks because ${what} first stood in ${origin.where}`;
}

function exceededWords({ used, units, limit, unit, window, label }: BudgetLine, assets: Assets): string {
  const write = (amount: bigint) => writeUnits(amount, unit, assets);
  const spent = window === 'call' ? '' : ` ${write(used)} of it is used or held.`;
  return `${write(units)} is above the limit of ${write(limit)} (${label}).${spent}`;
}

function writeUnits(amount: bigint, unit: CapUnit, assets: Assets): string {
  if (unit === 'payments') return `${amount} payment${amount === 1n ? '' : 's'}`;
  const decimals = decimalsOfUnit(unit, assets) ?? 0;
  return unit === 'USD' ? `$${formatUnits(amount, decimals, 2)}` : `${formatUnits(amount, decimals, 2)} ${unitName(unit, assets)}`;
}

/** By cap of a policy, which never changes: one that is weighed against fifty of them reads few. */
const labels = new WeakMap<Cap, string>();

/** A cap in words: `per day, server weather`. */
export function capLabel(cap: Cap): string {
  const label = labels.get(cap) ?? labelOf(cap);
  labels.set(cap, label);
  return label;
}

function labelOf({ window, over }: Cap): string {
  const time = typeof window === 'object' ? `in ${minutesWords(window.rollingMinutes)}` : `per ${window}`;
  return [time, scopeWords(over)].filter(Boolean).join(', ');
}
