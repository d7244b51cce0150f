import type { AmountRange, During, Policy, Rule, RuleMatch } from '../../shared/policy/policy.ts';
import { WEEKDAYS } from '../../shared/policy/policy.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { ORDER } from '../challenges/order.ts';
import type { Assets } from '../registry/assets.ts';
import type { HeldUse } from './budget-sums.ts';
import { localTime } from './local-time.ts';
import { minutesWords } from './minutes-words.ts';
import { assetsOf } from './policy-assets.ts';
import { covers, sameAddress, sameAsset, scopeWords } from './scope.ts';
import { countIn, limitOf } from './units.ts';

/** What rules look at. */
export interface RuleSubject {
  readonly use: HeldUse;
  readonly dialect: string;
  /** Nothing was ever settled for this tool, to this payee. */
  readonly first: { readonly tool: boolean; readonly payee: boolean };
  readonly changedTerms: boolean;
  /** How long ago (ms) the very same call, bought before, was answered; undefined where it never was. */
  readonly sinceBought?: number | undefined;
}

/**
 * The rule that decides: the first that matches. One that asks about an amount in dollars cannot tell where nobody knows the worth: it decides
 * nothing that is denied further down, and nothing passes it that is allowed there.
 */
export function ruleFor(policy: Policy, subject: RuleSubject): Rule | undefined {
  let doubting: Rule | undefined;
  for (const rule of policy.rules) {
    const match = matches(rule, subject, policy);
    if (match === 'perhaps' && rule.verdict === 'ask') doubting ??= rule;
    else if (match === true || (match === 'perhaps' && rule.verdict === 'deny')) return rule.verdict === 'allow' ? (doubting ?? rule) : rule;
  }
  return policy.otherwise === 'allow' ? doubting : undefined;
}

/** Why the lists of what is allowed do not name this payment; empty where they do. */
export function outsideOf({ only }: Policy, { upstream, payee }: HeldUse): string {
  if (only?.upstreams && !only.upstreams.includes(upstream)) return `Server ${upstream} is not among the servers that may be paid`;
  if (only?.payees && !only.payees.some((allowed) => sameAddress(allowed, payee))) return `${payee} is not among the payees that may be paid`;
  return '';
}

/** The agent chooses whom an order pays and how much: an allowance that was meant for servers does not reach it. */
const namesOrders = ({ dialect, upstream, tool }: RuleMatch): boolean => dialect === ORDER || upstream === OWN_NAME || (tool !== undefined && SEND_TOOLS.test(tool));

/** The tools that send, by name or as a family: `send_to_contact`, `send_to_*`. */
const SEND_TOOLS = /^send(?:_to_[a-z]*\*?)?$/;

/** `perhaps` where all hangs on an amount whose worth is not known. */
function matches({ when, verdict }: Rule, { use, dialect, first, changedTerms, sinceBought }: RuleSubject, policy: Policy): boolean | 'perhaps' {
  return (
    covers(when, use) &&
    (verdict !== 'allow' || dialect !== ORDER || namesOrders(when)) &&
    (when.dialect === undefined || when.dialect === dialect) &&
    (when.during === undefined || isDuring(when.during, use.at, policy.timeZone)) &&
    (when.firstPayment === undefined || first[when.firstPayment]) &&
    (when.changedTerms === undefined || when.changedTerms === changedTerms) &&
    (when.repeatWithinMinutes === undefined || (sinceBought !== undefined && sinceBought < when.repeatWithinMinutes * 60_000)) &&
    (when.amount === undefined || inRange(when.amount, use, assetsOf(policy)))
  );
}

function inRange({ atLeast, atMost, unit }: AmountRange, use: HeldUse, assets: Assets): boolean | 'perhaps' {
  const count = countIn(unit, use);
  if (typeof count === 'string') return count === 'unpriced' && 'perhaps';
  return (atLeast === undefined || count >= limitOf(atLeast, unit, assets)) && (atMost === undefined || count <= limitOf(atMost, unit, assets));
}

function isDuring({ days, from = '00:00', to = '24:00' }: During, at: number, timeZone: string): boolean {
  const { hour, minute, weekday } = localTime(at, timeZone);
  const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  const inHours = from <= to ? time >= from && time < to : time >= from || time < to;
  return inHours && (days === undefined || days.some((day) => WEEKDAYS.indexOf(day) === weekday));
}

/** A rule as owner and agent read it. */
export const ruleWords = ({ when, verdict, note }: Rule): string => `Rule: ${[verdict, matchWords(when)].filter(Boolean).join(' ')}${note ? ` (${note})` : ''}`;

function matchWords(when: RuleMatch): string {
  const { amount, during } = when;
  return [
    scopeWords(when),
    when.dialect && `protocol ${when.dialect}`,
    amount && [`amount`, amount.atLeast && `from ${amount.atLeast}`, amount.atMost && `up to ${amount.atMost}`, when.asset !== undefined && sameAsset(amount.unit, when.asset) ? 'of it' : amount.unit].filter(Boolean).join(' '),
    during && [during.days?.join(' '), (during.from ?? during.to) && `${during.from ?? '00:00'} to ${during.to ?? '24:00'}`].filter(Boolean).join(' '),
    when.firstPayment && `first payment ${when.firstPayment === 'tool' ? 'for the tool' : 'to the payee'}`,
    when.changedTerms !== undefined && (when.changedTerms ? 'terms changed' : 'terms as before'),
    when.repeatWithinMinutes !== undefined && `same call again within ${minutesWords(when.repeatWithinMinutes)}`,
  ]
    .filter(Boolean)
    .join(', ');
}
