import { Link } from 'wouter';
import { overviewTexts as texts } from '../../texts/dashboard.ts';
import { counterparty } from '../../texts/parties.ts';
import { buttonClass } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { PaymentAmount } from '../parts/payment-amount.tsx';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** As many as the overview shows. */
export const RECENT_PAYMENTS = 6;

/** The last few payments. */
export function RecentPayments() {
  const payments = useRead('payments.list', { limit: RECENT_PAYMENTS });
  const seeAll = (
    <Link href="/history" className="text-sm font-medium text-accent underline underline-offset-2">
      {texts.all}
    </Link>
  );
  return (
    <Card title={texts.recent} aside={payments.data?.payments.length ? seeAll : undefined}>
      <Loaded query={payments} lines={5}>
        {(value) =>
          value.payments.length === 0 ? (
            <Empty title={texts.noPayments} hint={texts.noPaymentsHint}>
              <Link href="/connect" className={buttonClass()}>
                {texts.connect}
              </Link>
            </Empty>
          ) : (
            <ul className="divide-y divide-line">
              {value.payments.map((payment) => (
                <li key={payment.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-0.5 py-2.5 first:pt-0 last:pb-0">
                  <p className="line-clamp-2 min-w-0">
                    <Untrusted text={counterparty(payment)} className="font-medium" /> <Untrusted text={payment.tool} className="font-mono text-sm text-muted" />
                  </p>
                  <PaymentAmount payment={payment} className="max-w-40 text-right" />
                  <StatusBadge payment={payment} className="justify-self-start" />
                  <span className="text-right text-sm text-muted">
                    <Moment at={payment.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
