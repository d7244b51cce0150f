import type { MoneyState, PaymentStatus, PaymentView } from '../../shared/contract/payments.ts';
import { columnTexts, statusTexts } from './dashboard.ts';

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

/** What a payment's status is called and means, in the words of how it is paid. */
export const statusWords = ({ status, flow }: Pick<PaymentView, 'status' | 'flow'>): Words => (flow === 'hold' ? CARD_STATUS[status] : undefined) ?? statusTexts[status];

/** Where a payment's money is, in the words of how it is paid. */
export const moneyWords = ({ columns, flow }: Pick<PaymentView, 'columns' | 'flow'>): string => (flow === 'hold' ? CARD_MONEY[columns.money] : undefined) ?? columnTexts.money[columns.money];
