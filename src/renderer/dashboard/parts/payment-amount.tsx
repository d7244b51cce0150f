import type { PaymentView } from '../../../shared/contract/payments.ts';
import { historyTexts as texts } from '../../texts/dashboard.ts';
import { Amount } from './texts.tsx';

interface PaymentAmountProps {
  readonly payment: Pick<PaymentView, 'money' | 'demanded'>;
  readonly className?: string;
}

/** What was paid; what was asked for, where nothing of it could be paid; else why there is no figure: an unknown token has no decimals to write one with. Always an element, so that a row keeps its columns. */
export function PaymentAmount({ payment: { money, demanded }, className = '' }: PaymentAmountProps) {
  const known = money ?? demanded?.money;
  if (known) return <Amount money={known} className={`${className} ${money ? '' : 'text-muted'}`} />;
  return <span className={`text-muted ${className}`}>{demanded ? texts.unknownToken : texts.unreadAmount}</span>;
}
