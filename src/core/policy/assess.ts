import { formatUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Cap, CapUnit, Policy, Verdict } from '../../shared/policy/policy.ts';
import type { ErrorCode } from '../../shared/errors/codes.ts';
import type { Terms } from '../payments/terms.ts';
import type { BudgetUse, Prices } from '../ports.ts';
import { assetId, type Asset, type Assets } from '../registry/assets.ts';
import type { HeldUse } from './budget-sums.ts';
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
  /** What this payment holds if it is made. */
  readonly use: HeldUse;
  /** What differs from the last settled payment for the same tool. */
  readonly changes: readonly TermsChange[];
  /** What first stood in a text of a server. */
  readonly origins: readonly Origin[];
}

export interface AssessRequest {
  readonly policy: Policy;
  readonly terms: Terms;
  readonly asset: Asset;
  readonly prices: Prices;
  readonly session: string;
  /** Not before any time that was ever journaled (I3). */
  readonly now: number;
  /** What is used of a cap, by its place in the policy. */
  readonly used: (cap: number, when: BudgetUse) => BaseUnits;
  /** The last settled payment for the same tool. */
  readonly pin: Pin | undefined;
  readonly everPaidPayee: boolean;
  readonly origins: readonly Origin[];
  /** Why this payment may not be allowed without asking, whatever the rules say; empty where it may. */
  readonly mustAsk: string;
}

/** Evaluates pause, lists, caps, then rules (first match wins), then the default. Pure. */
export function assess(request: AssessRequest): Assessment {
  const { policy, terms, asset, prices, session, now, pin, origins } = request;
  const assets = assetsOf(policy);
  const use = heldUse(terms, asset, { prices, session, now });
  const changes = changedTerms(pin, terms, assets);
  const counted = policy.caps.flatMap((cap, index) => {
    const units = covers(cap.over, use) ? countIn(cap.unit, use) : 'none';
    return units === 'none' ? [] : [{ cap, index, units }];
  });
  const budgets = counted.flatMap(({ cap, index, units }) => (units === 'unpriced' ? [] : [budgetLine({ cap, index, units, used: request.used(index, use) }, assets)]));
  const result = (verdict: Verdict, rule: string, code: ErrorCode | '' = ''): Assessment => ({ verdict, rule, code, budgets, use, changes, origins });

  if (policy.paused) return result('deny', 'All payments are paused', 'PAYMENTS_PAUSED');
  const outside = outsideOf(policy, use);
  if (outside) return result('deny', outside, 'POLICY_DENIED');
  const unpriced = counted.find(({ units }) => units === 'unpriced');
  if (unpriced) return result('deny', `There is no price for ${asset.symbol}, and a limit counts in US dollars (${capLabel(unpriced.cap)})`, 'PRICE_UNKNOWN');
  const exceeded = budgets.find((line) => line.used + line.units > line.limit);
  if (exceeded) return result('deny', exceededWords(exceeded, assets), 'BUDGET_EXCEEDED');

  const first = { tool: pin === undefined, payee: !request.everPaidPayee };
  const rule = ruleFor(policy, { use, dialect: terms.dialect, first, changedTerms: changes.length > 0 });
  const verdict = rule?.verdict ?? policy.otherwise;
  const words = rule ? ruleWords(rule) : OTHERWISE_WORDS[policy.otherwise];
  if (verdict === 'deny') return result('deny', words, 'POLICY_DENIED');
  const mustAsk = request.mustAsk || unverifiedWords(terms.client) || originWords(origins) || (changes.length > 0 ? `Asks because the ${changeWords(changes)} changed since the last payment for this tool` : '');
  return mustAsk ? result('ask', mustAsk) : result(verdict, words);
}

/** In place of a rule's words where none matches. */
const OTHERWISE_WORDS: Readonly<Record<Verdict, string>> = {
  ask: 'No rule matches, so you are asked',
  allow: 'No rule matches, and what is within the limits is paid without asking',
  deny: 'No rule matches, and the policy denies what no rule allows',
};

/** What a payment under these terms holds, with time and price as they are now. */
export function heldUse(terms: Terms, asset: Asset, { prices, session, now }: { prices: Prices; session: string; now: number }): HeldUse {
  const { client, upstream, tool, network, payee, payer, amount } = terms;
  const id = assetId(asset);
  const usd = usdOf(asset, amount, prices);
  return { client, upstream, tool, network, payee, payer, asset: id, paid: id, units: amount, ...(usd !== undefined && { usd }), at: now, session };
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

/** A cap in words: `per day, server weather`. */
function capLabel({ window, over }: Cap): string {
  const time = typeof window === 'object' ? `in ${minutesWords(window.rollingMinutes)}` : `per ${window}`;
  return [time, scopeWords(over)].filter(Boolean).join(', ');
}

function minutesWords(minutes: number): string {
  const [count, name] = minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
