import type { Choice } from '../../core/payments/choose-offer.ts';
import type { Assets } from '../../core/registry/assets.ts';
import type { SendQuote } from '../../shared/contract/sends.ts';
import type { EscrowQuote } from '../escrow/fund.ts';
import { feeView, moneyView } from './payment-views.ts';

/** What would be paid, from which account. */
export const choiceView = ({ terms, fees, account }: Choice, assets: Assets): Pick<SendQuote, 'money' | 'fees' | 'payer' | 'payerLabel'> => ({
  money: moneyView(terms, assets),
  fees: fees.map(feeView),
  payer: account.address,
  payerLabel: account.label,
});

/** A payment by escrow, whose account is made only when it is sent. */
export const escrowQuoteView = ({ choice, recipient, expiresAt }: EscrowQuote, assets: Assets): SendQuote => ({
  ...choiceView(choice, assets),
  recipient,
  paymentType: 'escrow',
  payee: '',
  claimableUntil: expiresAt,
  warnings: [],
  others: [],
});
