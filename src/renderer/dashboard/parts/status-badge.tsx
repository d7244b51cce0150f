import { Ban, CircleCheck, CircleHelp, CircleX, Clock, Hourglass, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { PaymentStatus, PaymentView } from '../../../shared/contract/payments.ts';
import { statusWords } from '../../texts/payment-words.ts';

type Tone = 'ok' | 'busy' | 'warn' | 'danger' | 'calm';

const TONES: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok',
  busy: 'bg-accent-soft text-accent',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  calm: 'bg-inset text-muted',
};

const LOOKS: Record<PaymentStatus, { readonly tone: Tone; readonly Icon: LucideIcon }> = {
  waiting: { tone: 'busy', Icon: Clock },
  approved: { tone: 'busy', Icon: Hourglass },
  paying: { tone: 'busy', Icon: Hourglass },
  delivered: { tone: 'ok', Icon: CircleCheck },
  confirming: { tone: 'ok', Icon: Hourglass },
  'not-charged': { tone: 'ok', Icon: CircleCheck },
  undelivered: { tone: 'danger', Icon: TriangleAlert },
  unknown: { tone: 'warn', Icon: CircleHelp },
  denied: { tone: 'calm', Icon: Ban },
  rejected: { tone: 'calm', Icon: Ban },
  expired: { tone: 'calm', Icon: Clock },
  cancelled: { tone: 'calm', Icon: Ban },
  failed: { tone: 'calm', Icon: CircleX },
};

/** A payment's status: an icon and a word, told apart without colour too. */
export function StatusBadge({ payment, className = '' }: { readonly payment: PaymentView; readonly className?: string }) {
  const { tone, Icon } = LOOKS[payment.status];
  const { label, note } = statusWords(payment);
  return (
    <span title={note} className={`inline-flex items-center gap-1.5 rounded-full py-0.5 pr-2.5 pl-2 text-sm font-medium whitespace-nowrap ${TONES[tone]} ${className}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      {label}
    </span>
  );
}
