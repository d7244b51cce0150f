import type { AmountRange, Cap, During, Rule, RuleMatch, Scope, Verdict } from '../../shared/policy/policy.ts';
import { dialectName } from './ways-to-pay.ts';

type Member = keyof RuleMatch;

/** Names of what a limit or rule looks at. */
export const memberTexts: Readonly<Record<Member, { readonly label: string; readonly note?: string }>> = {
  upstream: { label: 'Server', note: 'A server, or the host of a paid HTTP API' },
  tool: { label: 'Tool', note: '* stands for any text, ? for one character' },
  client: { label: 'Client' },
  payee: { label: 'Payee', note: 'The whole address' },
  account: { label: 'Paid from', note: 'The whole address of an account of yours' },
  network: { label: 'Network' },
  asset: { label: 'Token' },
  amount: { label: 'Amount' },
  during: { label: 'Time' },
  firstPayment: { label: 'First payment' },
  changedTerms: { label: 'Changed terms', note: 'Payee, token, network or price, against the last payment for the tool' },
  repeatWithinMinutes: { label: 'Same call again (minutes)', note: 'The same client, server, tool and arguments, bought and answered in the last so many minutes' },
  dialect: { label: 'Protocol' },
};

/** Words of the editor of limits and rules. */
export const policyTexts = {
  title: 'Budgets and rules',
  intro: 'Limits always hold. Below them, the first rule that fits decides whether a payment is made, asked about or denied.',
  tabs: { limits: 'Everyday limits', rules: 'All limits and rules', json: 'JSON', versions: 'Earlier versions' },
  tabsLabel: 'Ways to edit',
  hidden: (count: number) => `${count === 1 ? 'One more limit or rule holds' : `${count} more limits and rules hold`}, which this page does not show. See “All limits and rules”.`,
  quick: 'A rule in one sentence',
  quickOn: 'On the server',
  quickVerdict: 'payments',
  quickUpTo: 'up to, each (US dollars)',
  quickDay: 'and at most, a day (US dollars)',
  quickElse: 'What is above it is decided by the rules below, and no limit is passed.',
  quickAdd: 'Add this rule',
  quickAdded: 'Added. It is not saved yet.',
  quickServer: 'Choose…',
  quickServerMissing: 'Choose a server.',
  limits: 'Limits',
  limitsNote: 'All of them hold, whatever a rule says. What is spent, signed and waiting counts.',
  limitsNone: 'There is no limit. Whatever a rule allows is paid.',
  limit: (number: number) => `Limit ${number}`,
  limitAdd: 'Add a limit',
  limitRemove: (words: string) => `Remove the limit: ${words}`,
  amount: 'At most',
  unit: 'Of',
  units: { USD: 'US dollars', payments: 'payments' },
  window: 'Counted',
  windows: { call: 'in one payment', session: 'in one connection', hour: 'an hour', day: 'a day', week: 'a week', month: 'a month', rolling: 'in the last minutes' },
  minutes: 'Minutes',
  rules: 'Rules',
  rulesNote: 'Read from the top. The first one that fits decides.',
  rulesNone: 'There is no rule. What stands below decides.',
  rule: (number: number) => `Rule ${number}`,
  ruleAdd: 'Add a rule',
  edit: 'Edit',
  editOf: (row: string) => `Edit ${row.toLowerCase()}`,
  editDone: 'Done',
  editDoneOf: (row: string) => `Done with ${row.toLowerCase()}`,
  ruleRemove: (number: number) => `Remove rule ${number}`,
  ruleUp: (number: number) => `Move rule ${number} up`,
  ruleDown: (number: number) => `Move rule ${number} down`,
  ruleAt: (number: number) => `It is rule ${number} now.`,
  verdict: 'Then',
  note: 'Your words for it',
  noteHint: 'Shown in the history, and to the agent.',
  conditions: 'It looks at',
  conditionNone: 'Every payment. Add a condition to narrow it.',
  conditionAdd: 'Add a condition',
  conditionChoose: 'Choose…',
  conditionRemove: (label: string) => `Remove the condition ${label}`,
  atLeast: 'From',
  atMost: 'Up to',
  days: 'Days',
  from: 'From',
  to: 'To',
  firstPayment: { tool: 'Nothing was paid for the tool yet', payee: 'Nothing was paid to the payee yet' },
  changedTerms: { true: 'They changed', false: 'They are as before' },
  otherwise: 'If no rule fits',
  only: 'Who may be paid at all',
  onlyServers: 'Only these servers may be paid',
  onlyPayees: 'Only these payees may be paid',
  onlyLines: 'One a line',
  onlyEmpty: 'The list is empty, so nobody may be paid.',
  json: 'The policy as JSON',
  jsonNote: 'Everything that the policy says, also which accounts and tokens pay first. It is checked as you type.',
  jsonBad: (reason: string) => `This is not JSON: ${reason}`,
  jsonProblems: 'It cannot be saved:',
  jsonWhole: 'The policy',
  versions: 'Saved versions',
  versionOf: (number: number) => `Version ${number}`,
  versionBy: (author: string) => `by ${author}`,
  versionParts: (limits: number, rules: number) => `${limits === 1 ? 'one limit' : `${limits} limits`}, ${rules === 1 ? 'one rule' : `${rules} rules`}`,
  versionPaused: 'paused',
  versionNow: 'In force',
  versionLook: 'Show it',
  versionBack: 'Put back',
  versionBackOf: (number: number) => `Put back version ${number}`,
  versionIsBack: (number: number) => `Version ${number} is in the editor. Look at it and save it.`,
  versionsMore: 'Show earlier ones',
  review: 'Save the changes',
  loosens: 'It lets more through than now:',
  tightens: 'It lets nothing through that is held back now.',
  replay: 'On the payments of the past',
  replayNote: (count: number) => (count === 1 ? 'The last payment was replayed.' : `The last ${count} payments were replayed.`),
  replayNone: 'There is no payment to try it on.',
  replayColumns: { policy: 'Policy', allow: 'Allowed', ask: 'Asked', deny: 'Denied' },
  replayNow: 'In force now',
  replayNext: 'With your changes',
  replaySame: 'Every one of them would be decided as it is now.',
  replayChanged: (count: number) => (count === 1 ? 'One payment would be decided otherwise' : `${count} payments would be decided otherwise`),
  replayMore: (count: number) => `and ${count} more`,
  replayDecision: (decision: string) => `then: ${decision}`,
  replayFrom: (before: string, after: string) => `${before} → ${after}`,
  replayUnknown: 'What the replay does not know',
  confirm: 'Save',
  saving: 'Saving…',
} as const;

/** How a verdict goes on in a sentence. */
export const verdictWords: Readonly<Record<Verdict, string>> = { allow: 'allow', ask: 'ask about', deny: 'deny' };
/** What became of a payment in a replay. */
export const outcomeWords: Readonly<Record<Verdict, string>> = { allow: 'allowed', ask: 'asked', deny: 'denied' };

const DAYS: Readonly<Record<NonNullable<During['days']>[number], string>> = { mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday', thu: 'Thursday', fri: 'Friday', sat: 'Saturday', sun: 'Sunday' };
export const dayName = (day: NonNullable<During['days']>[number]): string => DAYS[day];

const list = (words: readonly string[]): string => (words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`);

/** A unit as people read it; `nameOf` knows tokens. */
const unitWords = (unit: string, nameOf: (asset: string) => string): string => (unit === 'USD' ? 'US dollars' : unit === 'payments' ? 'payments' : nameOf(unit));

const scopeParts = ({ upstream, tool, client, payee, account, network, asset }: Scope, nameOf: (asset: string) => string): readonly string[] => [
  ...(tool === undefined ? [] : [`for tool ${tool}`]),
  ...(upstream === undefined ? [] : [`on server ${upstream}`]),
  ...(client === undefined ? [] : [`by client ${client}`]),
  ...(payee === undefined ? [] : [`to ${payee}`]),
  ...(account === undefined ? [] : [`from account ${account}`]),
  ...(network === undefined ? [] : [`on network ${network}`]),
  ...(asset === undefined ? [] : [`in ${nameOf(asset)}`]),
];

/** A limit as a sentence: `At most 2 US dollars a day on server weather.` */
export function limitSentence({ over, window, unit, amount }: Cap, nameOf: (asset: string) => string): string {
  const time = typeof window === 'object' ? `in any ${window.rollingMinutes} minutes` : policyTexts.windows[window];
  return `At most ${amount} ${unitWords(unit, nameOf)} ${[time, ...scopeParts(over, nameOf)].join(' ')}.`;
}

function amountWords({ atLeast, atMost, unit }: AmountRange, nameOf: (asset: string) => string): string {
  const range = [atLeast !== undefined && `from ${atLeast}`, atMost !== undefined && `up to ${atMost}`].filter(Boolean).join(' ');
  return range === '' ? `of any amount in ${unitWords(unit, nameOf)}` : `of ${range} ${unitWords(unit, nameOf)}`;
}

function duringWords({ days, from, to }: During): string {
  const parts = [days && `on ${list(days.map(dayName))}`, (from !== undefined || to !== undefined) && `from ${from ?? '00:00'} to ${to ?? '24:00'}`].filter(Boolean);
  return parts.length === 0 ? 'at any time' : parts.join(' ');
}

/** A rule as a sentence: `Allow payments on server weather of up to 0.10 US dollars.` */
export function ruleSentence({ when, verdict }: Rule, nameOf: (asset: string) => string): string {
  const { amount, during, firstPayment, changedTerms, repeatWithinMinutes, dialect } = when;
  const parts = [
    ...scopeParts(when, nameOf),
    ...(amount === undefined ? [] : [amountWords(amount, nameOf)]),
    ...(during === undefined ? [] : [duringWords(during)]),
    ...(dialect === undefined ? [] : [`asked for as ${dialectName(dialect)}`]),
    ...(firstPayment === undefined ? [] : [firstPayment === 'tool' ? 'if nothing was paid for the tool yet' : 'if nothing was paid to the payee yet']),
    ...(changedTerms === undefined ? [] : [changedTerms ? 'if the terms changed' : 'if the terms are as before']),
    ...(repeatWithinMinutes === undefined ? [] : [`if the same call was bought within ${repeatWithinMinutes === 1 ? 'a minute' : `${repeatWithinMinutes} minutes`}`]),
  ];
  const verb = verdictWords[verdict];
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${parts.length === 0 ? 'every payment' : `payments ${parts.join(' ')}`}.`;
}
