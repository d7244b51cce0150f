import { maskSecrets } from '../../core/payments/mask-secrets.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Assets } from '../../core/registry/assets.ts';
import { findNetwork } from '../../core/registry/networks.ts';
import type { PaymentDetail } from '../../shared/contract/payments.ts';
import type { MoneyView } from '../../shared/contract/values.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import { assetView, indented } from './payment-views.ts';

/** Longest text of an exchange that a page shows. */
const LONGEST = 20_000;

const shown = (text: string): string => (text === '' ? '' : cleanText(indented(maskSecrets(text)), LONGEST));

/** What went out and came back, to be read. The proof stays here while it can still settle: whoever holds it can make it settle. */
export const exchangeViews = ({ argumentsText, proofText, receiptText, answerText, money }: Payment): Pick<PaymentDetail, 'argumentsText' | 'proofText' | 'receiptText' | 'answerText'> => ({
  argumentsText: shown(argumentsText),
  proofText: money === 'reserved' || money === 'outstanding' ? '' : shown(proofText),
  receiptText: shown(receiptText),
  answerText: shown(answerText),
});

/** Page of a payment's transaction; empty where there is none, or no explorer knows the network. */
export function explorerUrl({ terms, transaction }: Pick<Payment, 'terms' | 'transaction'>): string {
  const explorer = terms && transaction !== '' ? findNetwork(terms.network)?.explorer : undefined;
  return explorer?.replace('{tx}', encodeURIComponent(transaction)) ?? '';
}

/** What a payment costs beside its amount. */
export function feeOfUse({ asset, units }: { readonly asset: string; readonly units: string }, assets: Assets): MoneyView[] {
  const known = assets.byId(asset);
  return known ? [{ asset: assetView(known), units }] : [];
}
