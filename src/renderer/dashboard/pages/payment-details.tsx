import type { ReactNode } from 'react';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { formatMoment } from '../../format/time.ts';
import { historyTexts as texts } from '../../texts/dashboard.ts';
import { exchangeTexts } from '../../texts/history.ts';
import { decisionWords, isOver, moneyWords, refusalHint, serviceWords, statusWords } from '../../texts/payment-words.ts';
import { clientName } from '../../texts/parties.ts';
import { dialectName, wayToPay } from '../../texts/ways-to-pay.ts';
import { PaymentAmount } from '../parts/payment-amount.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Address, Amount, CopyButton, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { Exchange, Explorer, SaveDispute, Timeline } from './payment-exchange.tsx';

/** All that is known of one payment. */
export function PaymentDetails({ payment }: { readonly payment: PaymentView }) {
  const { reason, money, demanded, status } = payment;
  const payee = payment.payee || (demanded?.payee ?? '');
  const hint = refusalHint(payment);
  const way = wayToPay(money?.asset.network ?? '');
  const detail = useRead('payments.detail', { paymentId: payment.id }).data;
  return (
    <div className="grid gap-5">
      <div>
        <PaymentAmount payment={payment} className="text-2xl font-semibold tracking-tight wrap-anywhere" />
        <p className="mt-2">
          <StatusBadge payment={payment} />
        </p>
      </div>
      <section aria-label={texts.what} className="rounded-xl bg-inset px-4 py-3">
        <p>{reason ? <Untrusted text={reason} /> : statusWords(payment).note}</p>
        {hint && <p className="mt-1 text-muted">{hint}</p>}
        <dl className="mt-3 grid grid-cols-3 gap-3 text-sm">
          <Step label={texts.steps.decision} value={decisionWords(payment)} />
          <Step label={texts.steps.money} value={moneyWords(payment)} />
          {!payment.order && <Step label={texts.steps.service} value={serviceWords(payment)} />}
        </dl>
      </section>
      <dl className="divide-y divide-line">
        {payment.order ? (
          <>
            <Fact label={texts.sentTo}>
              <Untrusted text={payment.order.recipient} />
            </Fact>
            {payment.order.memo && (
              <Fact label={texts.memo} copy={payment.order.memo}>
                <Untrusted text={payment.order.memo} />
              </Fact>
            )}
          </>
        ) : (
          <Fact label={texts.server} copy={payment.upstream}>
            <Untrusted text={payment.upstream} />
          </Fact>
        )}
        <Fact label={texts.tool} copy={payment.tool}>
          <Untrusted text={payment.tool} className="font-mono text-sm" />
        </Fact>
        <Fact label={texts.client}>
          <Untrusted text={clientName(payment.client)} />
        </Fact>
        {payment.rule && (
          <Fact label={texts.rule}>
            <Untrusted text={payment.rule} />
          </Fact>
        )}
        {payee && (
          <Fact label={texts.payee} copy={payee}>
            <Address address={payee} />
          </Fact>
        )}
        {payment.payer && (
          <Fact label={texts.payer} copy={payment.payer}>
            <Address address={payment.payer} />
          </Fact>
        )}
        <Fact label={way === 'test' ? texts.testSignature : texts.transaction} copy={payment.transaction}>
          {payment.transaction ? <Mono text={payment.transaction} /> : <span className="text-muted">{isOver(payment) ? texts.noTransaction.ever : texts.noTransaction.yet}</span>}
        </Fact>
        {detail?.explorerUrl && (
          <Fact label={exchangeTexts.explorerLabel}>
            <Explorer url={detail.explorerUrl} />
          </Fact>
        )}
        {detail && detail.fees.length > 0 && (
          <Fact label={exchangeTexts.fees}>
            {detail.fees.map((fee) => (
              <Amount key={`${fee.asset.network} ${fee.asset.address}`} money={fee} className="block" />
            ))}
          </Fact>
        )}
        {money && (
          <Fact label={texts.network}>
            <Untrusted text={money.asset.networkName} />
          </Fact>
        )}
        {payment.dialect && !payment.order && (
          <Fact label={texts.dialect}>
            <Untrusted text={dialectName(payment.dialect)} />
          </Fact>
        )}
        {!payment.order && <Offers paymentId={payment.id} />}
        <Fact label={texts.created}>{formatMoment(payment.createdAt)}</Fact>
        <Fact label={texts.updated}>{formatMoment(payment.updatedAt)}</Fact>
        {(status === 'undelivered' || status === 'unknown' || detail?.disputable) && <Evidence paymentId={payment.id} note={payment.order ? texts.evidenceNoteOfSend : texts.evidenceNote} />}
      </dl>
      {detail && <Timeline entries={detail.timeline} isSend={payment.order !== undefined} />}
      {detail && <Exchange detail={detail} />}
      <Demand paymentId={payment.id} name={payment.order ? texts.ordered : texts.demand} />
      <RawDetails payment={payment} />
    </div>
  );
}

/** Ids and figures as machines write them, for a seller's support or a bug report. */
function RawDetails({ payment }: { readonly payment: PaymentView }) {
  const { money } = payment;
  const rows: readonly (readonly [string, string])[] = [
    [texts.id, payment.id],
    [texts.dialectId, [payment.dialect, payment.scheme].filter(Boolean).join(' · ')],
    [texts.reasonCode, payment.reasonCode],
    [texts.network, money?.asset.network ?? ''],
    [texts.token, money?.asset.address ?? payment.demanded?.asset ?? ''],
    [texts.units, money?.units ?? payment.demanded?.units ?? ''],
  ];
  return (
    <details>
      <summary className="text-sm text-muted">{texts.raw}</summary>
      <dl className="divide-y divide-line">
        {rows
          .filter(([, value]) => value !== '')
          .map(([label, value]) => (
            <Fact key={label} label={label} copy={value}>
              <Mono text={value} />
            </Fact>
          ))}
      </dl>
    </details>
  );
}

/** The demand as it came: what a refusal, and a complaint to the seller, rests on. */
function Demand({ paymentId, name }: { readonly paymentId: string; readonly name: string }) {
  const { data } = useRead('payments.detail', { paymentId });
  if (!data?.challengeText) return undefined;
  return (
    <details>
      <summary className="text-sm text-muted">{name}</summary>
      <div className="mt-2 flex items-start gap-2">
        <pre tabIndex={0} role="region" aria-label={name} className="untrusted max-h-80 min-w-0 grow overflow-auto rounded-xl bg-inset p-4 font-mono text-sm whitespace-pre-wrap">
          {data.challengeText}
        </pre>
        <CopyButton text={data.challengeText} what={name.toLowerCase()} />
      </div>
    </details>
  );
}

/** Other ways to pay, and why not. */
function Offers({ paymentId }: { readonly paymentId: string }) {
  const { data } = useRead('payments.detail', { paymentId });
  if (!data || data.offers.length === 0) return undefined;
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

/** The dispute packet: to paste, or as files like those of `bursar dispute`. */
function Evidence({ paymentId, note }: { readonly paymentId: string; readonly note: string }) {
  const { data } = useRead('payments.dispute', { paymentId });
  return (
    <Fact label={texts.evidence} {...(data && { copy: data.markdown })}>
      {note}
      {data && <SaveDispute paymentId={paymentId} packet={data.packet} markdown={data.markdown} />}
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
