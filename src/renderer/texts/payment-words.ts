import type { MoneyState, PaymentStatus, PaymentView } from '../../shared/contract/payments.ts';
import { ERROR_CODES, type ErrorCode } from '../../shared/errors/codes.ts';
import { columnTexts, statusTexts } from './dashboard.ts';
import { wayToPay } from './ways-to-pay.ts';

type Words = (typeof statusTexts)[PaymentStatus];

/** A card is charged otherwise than a chain moves money: an amount is held first, then taken or let go. */
const CARD_STATUS: Partial<Record<PaymentStatus, Words>> = {
  delivered: { label: 'Charged', note: 'The answer was delivered, and the card was charged.' },
  confirming: { label: 'Held', note: 'The answer was delivered. The amount is held on the card until the seller takes it or lets it go.' },
  'not-charged': { label: 'Not charged', note: 'The answer was delivered, and the seller let the held amount go.' },
  undelivered: { label: 'Charged, no answer', note: 'The card was charged, but no answer came.' },
  unknown: { label: 'Outcome open', note: 'No answer came. The amount may be held on the card, so its budget stays held.' },
};
const CARD_MONEY: Partial<Record<MoneyState, string>> = { outstanding: 'Held, or may be', settled: 'Charged', dead: 'Let go' };


/** What is sent buys nothing, so no answer comes of it. */
const SEND_STATUS: Partial<Record<PaymentStatus, Words>> = {
  approved: { label: 'Approved', note: 'Approved. It is sent when the agent calls again.' },
  paying: { label: 'Sending', note: 'Approved. The money is on its way.' },
  delivered: { label: 'Sent', note: 'The money was sent.' },
  confirming: { label: 'Confirming', note: 'The money was sent. The chain does not show it yet.' },
  'not-charged': { label: 'Not sent', note: 'It was signed, but the money can no longer move.' },
  undelivered: { label: 'Sent, not reported', note: 'The money was sent, but whoever asked for it was not told.' },
  unknown: { label: 'Outcome open', note: 'The money may still move, so its budget stays held.' },
  cancelled: { label: 'Cancelled', note: 'It was cancelled before anything was sent.' },
  failed: { label: 'Failed', note: 'Nothing was sent, and the money cannot move any more.' },
};

/** A test signature moves nothing, so that nothing may be said to have moved. */
const TEST_STATUS: Partial<Record<PaymentStatus, Words>> = {
  delivered: { label: 'Delivered', note: 'The answer was delivered for a test signature. No money moved.' },
  confirming: { label: 'Delivered', note: 'The answer was delivered for a test signature. No money moved.' },
  'not-charged': { label: 'Delivered', note: 'The answer was delivered for a test signature. No money moved.' },
  undelivered: { label: 'No answer', note: 'A test signature was given, but no answer came. No money moved.' },
  unknown: { label: 'Outcome open', note: 'No answer came. A test signature moves no money.' },
};
const TEST_MONEY: Partial<Record<MoneyState, string>> = { outstanding: 'Test signature, no money moves', settled: 'Test signature, no money moves' };

/** What the owner's own limits and rules refuse with; every other refusal is Bursar's. */
const OF_POLICY: readonly string[] = ['BUDGET_EXCEEDED', 'POLICY_DENIED', 'PRICE_UNKNOWN', 'PAYMENTS_PAUSED', 'SCOPE_MISSING', ''] satisfies (ErrorCode | '')[];
const REFUSED: Words = { label: 'Refused', note: 'Bursar refused it, because it could not be paid safely. Nothing was paid.' };
const NO_ANSWER = 'None';
const REFUSED_DECISION = 'Refused by Bursar';

const isTest = ({ money }: Pick<PaymentView, 'money'>): boolean => money !== undefined && wayToPay(money.asset.network) === 'test';
const isRefusal = ({ columns, reasonCode }: Pick<PaymentView, 'columns' | 'reasonCode'>): boolean => columns.decision === 'denied' && !OF_POLICY.includes(reasonCode);

type Told = Pick<PaymentView, 'status' | 'columns' | 'flow' | 'money' | 'order' | 'reasonCode'>;

/** What a payment's status is called and means, in the words of how it is paid and who refused it. */
export function statusWords(payment: Told): Words {
  const { status, flow } = payment;
  if (status === 'denied' && isRefusal(payment)) return REFUSED;
  return (payment.order ? SEND_STATUS[status] : isTest(payment) ? TEST_STATUS[status] : flow === 'hold' ? CARD_STATUS[status] : undefined) ?? statusTexts[status];
}

/** What follows a refusal of Bursar's own: what it may mean and what can be done; empty for every other row. */
export const refusalHint = (payment: Pick<PaymentView, 'columns' | 'reasonCode'>): string =>
  isRefusal(payment) ? (Object.entries(ERROR_CODES).find(([code]) => code === payment.reasonCode)?.[1] ?? '') : '';

/** Who decided, in words. */
export const decisionWords = (payment: Pick<PaymentView, 'columns' | 'reasonCode'>): string => (isRefusal(payment) ? REFUSED_DECISION : columnTexts.decision[payment.columns.decision]);

/** Where a payment's money is, in the words of how it is paid. */
export function moneyWords(payment: Pick<PaymentView, 'columns' | 'flow' | 'money'>): string {
  const { columns, flow } = payment;
  return (isTest(payment) ? TEST_MONEY[columns.money] : flow === 'hold' ? CARD_MONEY[columns.money] : undefined) ?? columnTexts.money[columns.money];
}

/** Where the answer is, in words; a call that was never to be paid gets none. */
export const serviceWords = ({ columns }: Pick<PaymentView, 'columns'>): string =>
  columns.service === 'open' && columns.decision !== 'approved' && columns.decision !== 'waiting' ? NO_ANSWER : columnTexts.service[columns.service];

/** True where no transaction can come any more: nothing was signed, and nothing will be. */
export const isOver = ({ columns }: Pick<PaymentView, 'columns'>): boolean => columns.money === 'none' || columns.money === 'dead';
