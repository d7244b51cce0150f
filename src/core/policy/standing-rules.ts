import { formatUnits, parseUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { AmountRange, Cap, Policy, Rule, RuleMatch } from '../../shared/policy/policy.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { HeldUse } from './budget-sums.ts';
import { assetsOf } from './policy-assets.ts';
import { ruleFor } from './rules.ts';
import { sameAsset } from './scope.ts';
import { limitOf, USD_DECIMALS } from './units.ts';

// What the owner may answer for the next times as well, while a request is on screen: two changes of the policy that can be told in full
// beside it. Neither loosens what a rule or limit of the owner says to anything but the payment that is shown, made again.

/** What a policy takes: `Policy.caps` and `Policy.rules`. */
const MOST_CAPS = 200;
const MOST_RULES = 500;
/** What a scope takes. */
const LONGEST_NAME = 256;

/** A tool that is paid without asking, up to an amount each day. */
export interface ToolAllowed {
  readonly policy: Policy;
  readonly rule: Rule;
  /** Place of the rule in the new policy. */
  readonly place: number;
  readonly cap: Cap;
  /** Place of the cap in the new policy. */
  readonly capPlace: number;
  readonly limit: BaseUnits;
  /** A looser limit of the same kind, which the new one takes the place of. */
  readonly replaced?: Cap;
}

export interface ToolToAllow {
  readonly policy: Policy;
  /** What the waiting payment holds. */
  readonly use: HeldUse;
  readonly dialect: string;
  /** In whole tokens, as typed. */
  readonly perDay: string;
}

/** Why no rule can be made for the names in a payment; empty where one can. A rule is shown as it is saved, and names nothing but what is on screen. */
export function unnameable({ client, upstream, tool }: Pick<HeldUse, 'client' | 'upstream' | 'tool'>): string {
  if (upstream === OWN_NAME) return 'What Bursar itself sends is asked about each time.';
  if (/[*?]/.test(tool)) return 'The name of this tool has a * or ?, which in a rule stands for other tools too.';
  if (!isPlain(tool)) return 'The name of this tool cannot be shown as it is written.';
  return isPlain(client) ? '' : 'The name of this client cannot be shown as it is written.';
}

const isPlain = (name: string): boolean => name !== '' && name.length <= LONGEST_NAME && !name.includes('\n') && cleanText(name, LONGEST_NAME) === name;

/**
 * The policy under which the same payment is made without asking from now on, up to `perDay` each day for that tool. The rule stands before the
 * one that would ask the next time and takes over what that one asks for besides, so that no other rule is passed over; a server, tool, payee,
 * client and token are named exactly, and no call may be dearer than the one that is shown: it may be the first, of which nothing is settled yet
 * that a price could be compared with. Changed terms and what else always asks, asks under it too.
 * Throws `INPUT_INVALID` where that cannot be said in one rule, or nothing would come of it; `AMOUNT_INVALID` for the amount.
 */
export function withToolAllowed({ policy, use, dialect, perDay }: ToolToAllow): ToolAllowed {
  const refused = unnameable(use);
  if (refused) throw invalid(refused);
  const assets = assetsOf(policy);
  const asset = assets.byId(use.paid);
  if (!asset) throw invalid('No rule can count this token.');
  const limit = parseUnits(perDay, asset.decimals);
  if (limit === 0n) throw new BursarError('AMOUNT_INVALID', 'Give an amount above zero.');

  const asking = ruleFor(policy, { use, dialect, first: { tool: false, payee: false }, changedTerms: false });
  const verdict = asking?.verdict ?? policy.otherwise;
  if (verdict === 'allow') throw invalid('Your rules allow this tool already, and it is asked about for another reason.');
  if (verdict === 'deny') throw invalid('A rule of yours denies this tool from the next time on.');

  const { client, upstream, tool, payee } = use;
  const own: RuleMatch = { upstream, tool, payee, client, asset: use.paid, amount: priceOf(use, asking?.when.amount, asset.decimals) };
  const rule: Rule = { when: { ...asking?.when, ...own }, verdict: 'allow', note: `up to ${perDay} ${asset.symbol} a day` };
  const place = asking ? policy.rules.indexOf(asking) : policy.rules.length;
  if (policy.rules.length >= MOST_RULES) throw invalid(`The policy has ${MOST_RULES} rules already.`);

  const cap: Cap = { over: { upstream, tool }, window: 'day', unit: use.paid, amount: perDay };
  const places = policy.caps.flatMap((other, index) => (isSameKind(other, cap) ? [index] : []));
  const tightest = places.map((index) => policy.caps[index]).filter((other) => other !== undefined).find((other) => limitOf(other.amount, other.unit, assets) < limit);
  if (tightest) throw invalid(`A limit of ${formatUnits(limitOf(tightest.amount, tightest.unit, assets), asset.decimals, 2)} ${asset.symbol} a day holds for this tool already. Give at most that, or raise it under Budgets.`);
  const [first] = places;
  const before = first === undefined ? undefined : policy.caps[first];
  const isEqual = before !== undefined && limitOf(before.amount, before.unit, assets) === limit;
  if (first === undefined && policy.caps.length >= MOST_CAPS) throw invalid(`The policy has ${MOST_CAPS} limits already.`);
  const caps = first === undefined ? [...policy.caps, cap] : isEqual ? policy.caps : policy.caps.with(first, cap);

  return {
    policy: { ...policy, caps, rules: policy.rules.toSpliced(place, 0, rule) },
    rule,
    place,
    cap,
    capPlace: first ?? policy.caps.length,
    limit,
    ...(before && !isEqual && { replaced: before }),
  };
}

/** No dearer than this payment, counted as the rule counts that asks now. */
function priceOf({ units, usd, paid }: HeldUse, asking: AmountRange | undefined, decimals: number): AmountRange {
  if (asking?.unit !== 'USD') return { ...asking, atMost: formatUnits(units, decimals, 2), unit: paid };
  if (usd === undefined) throw invalid('The rule that asks now counts in US dollars, and nobody knows what this token is worth.');
  return { ...asking, atMost: formatUnits(usd, USD_DECIMALS, 2) };
}

/** Limits of one day, one tool and one token, whatever their amount. */
function isSameKind({ over, window, unit }: Cap, wanted: Cap): boolean {
  const names = Object.entries(over).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return window === 'day' && sameAsset(unit, wanted.unit) && names.length === 2 && over.upstream === wanted.over.upstream && over.tool === wanted.over.tool;
}

/** A server that is never paid. */
export interface ServerBlocked {
  readonly policy: Policy;
  readonly rule: Rule;
  readonly place: number;
}

/** The policy under which nothing is paid to a server any more: its rule stands before all others. Throws `INPUT_INVALID`. */
export function withServerBlocked(policy: Policy, upstream: string): ServerBlocked {
  if (upstream === OWN_NAME) throw invalid('What Bursar itself sends has no server that could be blocked. Reject the request.');
  if (policy.rules.length >= MOST_RULES) throw invalid(`The policy has ${MOST_RULES} rules already.`);
  const rule: Rule = { when: { upstream }, verdict: 'deny', note: 'blocked' };
  return { policy: { ...policy, rules: [rule, ...policy.rules] }, rule, place: 0 };
}

const invalid = (message: string) => new BursarError('INPUT_INVALID', message);
