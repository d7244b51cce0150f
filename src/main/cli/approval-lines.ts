import type { ApprovalView, WaitingView } from '../../shared/contract/approvals.ts';
import { formatUnits } from '../../shared/money/money.ts';
import { OWN_NAME } from '../../shared/text/own-name.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { moneyText, oneLine, table } from './print.ts';

const USD_DECIMALS = 6;
/** More than this of a call's arguments would push the terms off the screen. */
const MOST_ARGUMENT_LINES = 20;
const MOST_LINE = 200;

const CHANGED = { payee: 'Payee', asset: 'Token', network: 'Network', price: 'Price' } as const satisfies Record<ApprovalView['changes'][number]['what'], string>;
const BROUGHT_UP = { payee: 'Payee', resource: 'Resource', arguments: 'Arguments' } as const satisfies Record<ApprovalView['origins'][number]['what'], string>;
const CAUTION = {
  unverified: 'The client did not prove its name: any program could have asked under it.',
  'plain-text': 'The price stood in plain text, which a fetched page could have written.',
} as const satisfies Record<ApprovalView['cautions'][number], string>;
const FLOW = {
  authorize: '',
  prepay: 'Paid up front: the money moves before the server answers. If the server then fails, the money is gone.',
  hold: 'The money is held first and taken when the server has answered.',
} as const satisfies Record<ApprovalView['flow'], string>;

const secondsUntil = (at: number, now: number): string => `${Math.max(0, Math.round((at - now) / 1000))} s`;

/** One line a request, oldest first. */
export const waitingLines = (waiting: readonly WaitingView[], now: number): readonly string[] =>
  waiting.length === 0
    ? ['No payment waits.']
    : table(waiting.map((one) => [one.paymentId, moneyText(one.money), `on ${one.money.asset.networkName}`, one.upstream === OWN_NAME ? 'to send' : `to ${one.upstream}`, one.tool, `asked by ${one.client}`, `${secondsUntil(one.expiresAt, now)} left`]));

/** What may be told of a request before the owner has proved to be there. */
export const summaryLine = ({ client, upstream, tool, money }: WaitingView): string =>
  upstream === OWN_NAME
    ? `${oneLine(client)} wants to send ${moneyText(money)} on ${money.asset.networkName}.`
    : `${oneLine(upstream)} asks for ${moneyText(money)} on ${money.asset.networkName}, for ${oneLine(tool)}, called by ${oneLine(client)}.`;

/**
 * Everything that is paid, to whom and why: what the approval page shows. A server's words come first, each line behind a bar, so that none can
 * pass for a line of Bursar's; amount, payee and network come last, where the question stands.
 */
export function approvalLines(approval: ApprovalView, { now, full = false }: { readonly now: number; readonly full?: boolean }): readonly string[] {
  const { money, budgets, changes, origins, order } = approval;
  const figure = (units: string, { decimals, unit }: ApprovalView['budgets'][number]) => `${formatUnits(BigInt(units), decimals, Math.min(2, decimals))} ${unit}`;
  const usd = approval.usdUnits === undefined ? '' : `, about $${formatUnits(BigInt(approval.usdUnits), USD_DECIMALS, 2)}`;
  const warnings = [
    ...(order?.warnings ?? []),
    ...approval.cautions.map((caution) => CAUTION[caution]),
    ...(order ? [order.byLink ? 'Whoever has the link can take it. Until then you can take it back.' : 'What is sent cannot be taken back.'] : FLOW[approval.flow] ? [FLOW[approval.flow]] : []),
    ...changes.map(({ what, before, now: after }) => `Not as the last time. ${CHANGED[what]}: ${oneLine(before)} → ${oneLine(after)}`),
    ...origins.map(({ what, value, where }) => `A server brought this up. ${BROUGHT_UP[what]}: ${oneLine(value)} (first stood in ${oneLine(where)})`),
    ...budgets.filter(({ usedUnits, thisUnits, limitUnits }) => BigInt(usedUnits) + BigInt(thisUnits) > BigInt(limitUnits)).map(({ label }) => `Above the limit "${oneLine(label)}".`),
  ];
  return [
    ...(order
      ? [order.byLink ? 'Memo, which the recipient reads, and which stays in your history' : 'Memo, which stays in your history', ...barred(order.memo.trim() === '' ? 'There is none.' : order.memo, Infinity)]
      : ['What it buys, in the words of the server', ...barred(approval.description.trim() === '' ? 'The server does not say what it sells.' : approval.description, Infinity)]),
    'Arguments of the call',
    ...barred(approval.argumentsText, full ? Infinity : MOST_ARGUMENT_LINES),
    'Budget',
    ...(budgets.length === 0 ? ['  No limit counts this payment.'] : budgets.map((line) => `  ${oneLine(line.label)}: ${figure(line.usedUnits, line)} used + ${figure(line.thisUnits, line)} now of ${figure(line.limitUnits, line)}`)),
    '',
    ...facts([
      ['Payment', approval.paymentId],
      ...(order ? [] : [['Server', `${approval.upstream} (${approval.upstreamAddress})`] as const]),
      ['Tool', approval.tool],
      ...(order ? [] : [['Resource', approval.resource] as const]),
      ['Asked by', approval.client],
      ['Why you are asked', approval.rule],
      ...(approval.memo === '' ? [] : [['Signed with the memo', approval.memo] as const]),
      ...(approval.feePayer === '' ? [] : [['Network fee paid by', approval.feePayer] as const]),
      ['Protocol', approval.dialect],
      ['Paid from', `${approval.payerLabel} ${approval.payer}`.trim()],
      ['Token', `${money.asset.symbol} ${money.asset.address}`],
      ['Time left', secondsUntil(approval.expiresAt, now)],
    ]),
    ...(warnings.length > 0 ? ['', ...warnings.map((warning) => `  WARNING: ${warning}`)] : []),
    '',
    ...facts([
      ['Amount', `${moneyText(money)}${usd}`],
      ...approval.fees.map((fee) => ['Network fee', `up to ${moneyText(fee)} on ${fee.asset.networkName}, paid beside the price${fee.rentUnits === undefined ? '' : `; ${moneyText({ asset: fee.asset, units: fee.rentUnits })} of it is rent for a token account that is made for the payee`}`] as const),
      ['Network', `${money.asset.networkName} (${money.asset.network})`],
      ...(order ? [['Send to', order.recipient === approval.payee ? approval.payee : `${order.recipient}, ${approval.payee}`] as const] : [['Pay to', approval.payee] as const]),
    ]),
    '',
  ];
}

const facts = (rows: readonly (readonly [string, string])[]): readonly string[] => table(rows.map(([name, value]) => [`  ${name}`, value]));

function barred(text: string, most: number): readonly string[] {
  const lines = cleanText(text, 24_000).split('\n').flatMap((line) => line.match(new RegExp(`.{1,${MOST_LINE}}`, 'gu')) ?? ['']);
  const left = lines.length - most;
  return [...lines.slice(0, most).map((line) => `  | ${line}`), ...(left > 0 ? [`  … ${left} more lines: add --full to read them.`] : [])];
}
