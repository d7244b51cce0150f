import type { ReactNode } from 'react';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { formatMoment } from '../../format/time.ts';
import { columnTexts, historyTexts as texts } from '../../texts/dashboard.ts';
import { moneyWords, statusWords } from '../../texts/payment-words.ts';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Address, Amount, CopyButton, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** All that is known of one payment. */
export function PaymentDetails({ payment }: { readonly payment: PaymentView }) {
  const { reason, money, columns } = payment;
  return (
    <div className="grid gap-5">
      <div>
        {money ? <Amount money={money} className="text-2xl font-semibold tracking-tight wrap-anywhere" /> : <p className="text-lg text-muted">{texts.unreadAmount}</p>}
        <p className="mt-2">
          <StatusBadge payment={payment} />
        </p>
      </div>
      <section aria-label={texts.what} className="rounded-xl bg-inset px-4 py-3">
        <p>{reason ? <Untrusted text={reason} /> : statusWords(payment).note}</p>
        <dl className="mt-3 grid grid-cols-3 gap-3 text-sm">
          <Step label={texts.steps.decision} value={columnTexts.decision[columns.decision]} />
          <Step label={texts.steps.money} value={moneyWords(payment)} />
          <Step label={texts.steps.service} value={columnTexts.service[columns.service]} />
        </dl>
      </section>
      <dl className="divide-y divide-line">
        <Fact label={texts.server} copy={payment.upstream}>
          <Untrusted text={payment.upstream} />
        </Fact>
        <Fact label={texts.tool} copy={payment.tool}>
          <Untrusted text={payment.tool} className="font-mono text-sm" />
        </Fact>
        <Fact label={texts.client}>
          <Untrusted text={payment.client} />
        </Fact>
        <Fact label={texts.rule}>{payment.rule && <Untrusted text={payment.rule} />}</Fact>
        <Fact label={texts.payee} copy={payment.payee}>
          {payment.payee && <Address address={payment.payee} />}
        </Fact>
        <Fact label={texts.payer} copy={payment.payer}>
          {payment.payer && <Address address={payment.payer} />}
        </Fact>
        <Fact label={texts.transaction} copy={payment.transaction}>
          {payment.transaction ? <Mono text={payment.transaction} /> : <span className="text-muted">{texts.noTransaction}</span>}
        </Fact>
        {money && (
          <>
            <Fact label={texts.network}>
              <Untrusted text={money.asset.networkName} /> <Mono text={money.asset.network} />
            </Fact>
            <Fact label={texts.token} copy={money.asset.address}>
              <Address address={money.asset.address} />
            </Fact>
            <Fact label={texts.units} copy={money.units}>
              <Mono text={money.units} />
            </Fact>
          </>
        )}
        <Fact label={texts.dialect}>
          <Untrusted text={[payment.dialect, payment.scheme].filter(Boolean).join(' · ')} />
        </Fact>
        <Offers paymentId={payment.id} />
        <Fact label={texts.created}>{formatMoment(payment.createdAt)}</Fact>
        <Fact label={texts.updated}>{formatMoment(payment.updatedAt)}</Fact>
        {payment.reasonCode && (
          <Fact label={texts.reasonCode} copy={payment.reasonCode}>
            <Mono text={payment.reasonCode} />
          </Fact>
        )}
        {(status === 'undelivered' || status === 'unknown') && <Evidence paymentId={payment.id} />}
        <Fact label={texts.id} copy={payment.id}>
          <Mono text={payment.id} />
        </Fact>
      </dl>
    </div>
  );
}

/** Other ways to pay, and why not. */
function Offers({ paymentId }: { readonly paymentId: string }) {
  const { data } = useRead('payments.detail', { paymentId });
  if (!data || data.offers.length === 0) return null;
  return (
    <Fact label={texts.offers}>
      <ol className="grid gap-2" aria-label={texts.offersNote}>
        {data.offers.map((offer, place) => (
          <li key={place}>
            {offer.money ? <Amount money={offer.money} className="font-medium" /> : <Mono text={[offer.units, offer.asset].filter(Boolean).join(' ')} />}{' '}
            <Untrusted text={[offer.networkName, offer.scheme].filter(Boolean).join(' · ')} className="text-sm text-muted" />
            <p className="text-sm">{offer.taken ? texts.offerTaken : <Untrusted text={offer.why} />}</p>
          </li>
        ))}
      </ol>
    </Fact>
  );
}

/** The dispute packet as a page to paste; `bursar dispute` writes it to a file. */
function Evidence({ paymentId }: { readonly paymentId: string }) {
  const { data } = useRead('payments.dispute', { paymentId });
  return (
    <Fact label={texts.evidence} {...(data && { copy: data.markdown })}>
      {texts.evidenceNote}
    </Fact>
  );
}

const Mono = ({ text }: { readonly text: string }) => (
  <bdi dir="ltr" className="untrusted font-mono text-sm">
    {text}
  </bdi>
);

function Step({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <dt className="text-muted">{label}</dt>
      <dd className="font-medium">{value}</dd>
    </div>
  );
}

interface FactProps {
  readonly label: string;
  readonly copy?: string;
  readonly children: ReactNode;
}

function Fact({ label, copy, children }: FactProps) {
  return (
    <div className="grid gap-x-4 py-2 sm:grid-cols-[7.5rem_minmax(0,1fr)]">
      <dt className="text-sm leading-6 text-muted">{label}</dt>
      <dd className="flex min-w-0 items-start justify-between gap-2">
        <div className="max-h-48 min-w-0 overflow-auto">{children || <span className="text-muted">{texts.none}</span>}</div>
        {copy && <CopyButton text={copy} what={label.toLowerCase()} />}
      </dd>
    </div>
  );
}
