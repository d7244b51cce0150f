import { ExternalLink } from 'lucide-react';
import { Link } from 'wouter';
import type { SendQuote } from '../../../../shared/contract/sends.ts';
import { formatMoney } from '../../../format/money.ts';
import { layoutTexts } from '../../../texts/dashboard.ts';
import { sendTexts as texts } from '../../../texts/sends.ts';
import type { ErrorInfo } from '../../../../shared/errors/errors.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Copied } from '../../parts/copied.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Identicon } from '../../parts/identicon.tsx';
import { Address, Amount, Moment, Untrusted } from '../../parts/texts.tsx';
import { Warnings } from '../../parts/warnings.tsx';
import { totalOf, type DoneView } from './send-draft.ts';

interface SendReviewProps {
  readonly quote: SendQuote;
  readonly memo: string;
  readonly error: ErrorInfo | undefined;
  readonly onBack: () => void;
  readonly onSend: () => void;
}

/** What would be sent, in full, before it is. */
export function SendReview({ quote, memo, error, onBack, onSend }: SendReviewProps) {
  const { money, recipient, payee, paymentType, claimableUntil, fees, payer, payerLabel, warnings, others } = quote;
  return (
    <ActForm onSubmit={onSend} error={error} busy={false} confirm={error ? layoutTexts.tryAgain : texts.send} cancel={texts.back} onClose={onBack}>
      <p className="text-2xl font-semibold tracking-tight">
        <Amount money={money} />
      </p>
      <dl className="grid grid-cols-1 gap-3">
        {recipient !== payee && (
          <Fact label={texts.recipient}>
            <Untrusted text={recipient} className="font-medium" />
          </Fact>
        )}
        {payee !== '' && (
          <Fact label={recipient === payee ? texts.recipient : texts.payee}>
            <span className="flex items-start gap-3">
              <Identicon address={payee} className="mt-0.5 size-8" />
              <Address address={payee} />
            </span>
          </Fact>
        )}
        {claimableUntil !== undefined && (
          <Fact label={texts.claimableUntil}>
            <Moment at={claimableUntil} />
          </Fact>
        )}
        <Fact label={texts.onNetwork}>
          <Untrusted text={money.asset.networkName} />
        </Fact>
        <Fact label={texts.payer}>
          <Untrusted text={payerLabel} className="font-medium" />{' '}
          <span className="text-sm text-muted">
            <Address address={payer} />
          </span>
        </Fact>
        {memo !== '' && (
          <Fact label={texts.memo}>
            <Untrusted text={memo} />
          </Fact>
        )}
        {fees.map((fee) => (
          <Fact key={fee.asset.address} label={texts.fee}>
            <Amount money={fee} />
            {fee.rentUnits !== undefined && <p className="text-sm text-muted">{texts[paymentType === 'escrow' ? 'escrowRent' : 'rent'](formatMoney({ asset: fee.asset, units: fee.rentUnits }))}</p>}
          </Fact>
        ))}
        <Fact label={texts.total}>
          <span className="font-medium">
            {totalOf(quote).map((total, index) => (
              <span key={total.asset.address}>
                {index > 0 && ' + '}
                <Amount money={total} />
              </span>
            ))}
          </span>
        </Fact>
      </dl>
      <Warnings title={texts.warnings} warnings={warnings} />
      {others.length > 0 && <p className="text-sm text-muted">{texts.others(others.join(', '))}</p>}
      <p className="text-sm text-muted">{paymentType === 'escrow' ? texts.escrowNote : texts.final}</p>
    </ActForm>
  );
}

/** While main asks the owner, on the page that alone may answer. */
export function SendWaiting({ onClose }: { readonly onClose: () => void }) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <p role="status">{texts.waiting}</p>
      <p className="text-sm text-muted">{texts.closeNote}</p>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{texts.close}</Button>
        <a href="/approve" target="_blank" rel="noopener" className={buttonClass('primary')}>
          {texts.openApprovals}
          <ExternalLink aria-hidden="true" className="size-4" />
        </a>
      </div>
    </div>
  );
}

/** What was sent. */
export function SendDone({ sent, onClose }: { readonly sent: DoneView; readonly onClose: () => void }) {
  const { recipient, money, payee, transaction, paymentId, paymentType, escrowId, told } = sent;
  return (
    <div className="grid grid-cols-1 gap-4">
      <Callout tone="info" role="status">
        <p className="font-medium">
          <Untrusted text={texts[paymentType === 'escrow' ? 'waitsFor' : 'sent'](formatMoney(money), recipient)} />
        </p>
        {paymentType === 'escrow' && <p>{told === undefined ? texts.escrow : texts[told ? 'told' : 'untold']}</p>}
      </Callout>
      <dl className="grid grid-cols-1 gap-3">
        <Fact label={texts.payee}>
          <Address address={payee} />
        </Fact>
        <Fact label={texts.onNetwork}>
          <Untrusted text={money.asset.networkName} />
        </Fact>
        {escrowId !== undefined && <Copied label={texts.escrowId} text={escrowId} />}
        {transaction !== '' && <Copied label={texts.transaction} text={transaction} />}
        <Copied label={texts.payment} text={paymentId} />
      </dl>
      <div className="flex flex-wrap justify-end gap-2">
        {paymentType === 'escrow' && (
          <Link href="/links" onClick={onClose} className={buttonClass()}>
            {texts.links}
          </Link>
        )}
        <Link href="/history" onClick={onClose} className={buttonClass()}>
          {texts.history}
        </Link>
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </div>
  );
}
