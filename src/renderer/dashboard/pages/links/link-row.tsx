import { Ban, CircleCheck, Hourglass, Mail, Phone, TriangleAlert, Undo2, type LucideIcon } from 'lucide-react';
import type { EscrowState, EscrowView } from '../../../../shared/contract/escrows.ts';
import { deliveryWords, linkStates, linkTexts as texts } from '../../../texts/links.ts';
import { Button } from '../../parts/button.tsx';
import { Address, Amount, CopyButton, Moment, Untrusted } from '../../parts/texts.tsx';
import { useNow } from '../../parts/use-now.ts';
import type { LinkAct } from './link-dialogs.tsx';

const LOOKS: Readonly<Record<EscrowState, { readonly tone: string; readonly Icon: LucideIcon }>> = {
  created: { tone: 'bg-inset text-muted', Icon: Hourglass },
  funding: { tone: 'bg-accent-soft text-accent', Icon: Hourglass },
  funded: { tone: 'bg-warn-soft text-warn', Icon: TriangleAlert },
  notified: { tone: 'bg-accent-soft text-accent', Icon: Mail },
  claimed: { tone: 'bg-ok-soft text-ok', Icon: CircleCheck },
  refunding: { tone: 'bg-accent-soft text-accent', Icon: Undo2 },
  refunded: { tone: 'bg-inset text-muted', Icon: Undo2 },
  dead: { tone: 'bg-inset text-muted', Icon: Ban },
};

interface LinkRowProps {
  readonly escrow: EscrowView;
  /** A mail server is set. */
  readonly mails: boolean;
  readonly onAct: (act: LinkAct) => void;
}

/** One payment to somebody without a wallet: whom, how much, how it stands, and what can be done. */
export function LinkRow({ escrow, mails, onAct }: LinkRowProps) {
  const { state, kind, recipient, recipientName, memo, money, address, transaction, delivery, deliveryError, createdAt, expiresAt } = escrow;
  const now = useNow(60_000);
  const isThere = state === 'funded' || state === 'notified';
  const canSend = isThere && expiresAt > now;
  const who = recipient === '' ? texts.locked : texts.to(recipientName, recipient);
  const Reach = kind === 'email' ? Mail : Phone;
  return (
    <li className="grid min-w-0 grid-cols-1 gap-2 py-4 first:pt-1 last:pb-1">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <p className="text-lg font-semibold">
          <Amount money={money} />
        </p>
        <State state={state} />
      </div>
      <p className="flex min-w-0 items-center gap-1.5">
        <Reach aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <Untrusted text={who} className={recipient === '' ? 'text-muted' : 'font-medium'} />
      </p>
      <p className="flex flex-wrap gap-x-4 text-sm text-muted">
        <span>
          {texts.sentAt} <Moment at={createdAt} />
        </span>
        <span>
          {expiresAt > now ? texts.until : texts.ranOut} <Moment at={expiresAt} />
        </span>
        <Untrusted text={money.asset.networkName} />
      </p>
      {memo !== '' && (
        <p className="text-sm text-muted">
          {texts.memo}: <Untrusted text={memo} />
        </p>
      )}
      {(isThere || deliveryError !== '') && deliveryWords[delivery] !== '' && (
        <p className={`text-sm ${deliveryError === '' ? 'text-muted' : 'text-warn'}`}>
          {deliveryWords[delivery]} <Untrusted text={deliveryError} />
        </p>
      )}
      <details className="text-sm text-muted">
        <summary className="w-fit rounded-lg">{texts.escrow}</summary>
        <div className="mt-1 grid grid-cols-1 gap-1">
          <p className="flex items-start gap-1">
            <Address address={address} />
            <CopyButton text={address} what={texts.escrow.toLowerCase()} />
          </p>
          {transaction !== '' && (
            <p className="flex items-start gap-1">
              <span className="min-w-0 wrap-anywhere">
                {texts.transaction} <Untrusted text={transaction} className="font-mono" />
              </span>
              <CopyButton text={transaction} what={texts.transaction.toLowerCase()} />
            </p>
          )}
        </div>
      </details>
      {isThere && (
        <div className="flex flex-wrap gap-2">
          {canSend && (
            <Button aria-label={texts.linkOf(who)} onClick={() => onAct('link')}>
              {texts.link}
            </Button>
          )}
          {canSend && mails && kind === 'email' && (
            <Button aria-label={texts.resendOf(who)} onClick={() => onAct('resend')}>
              {texts.resend}
            </Button>
          )}
          <Button kind="quiet" aria-label={texts.takeBackOf(who)} onClick={() => onAct('takeBack')}>
            {texts.takeBack}
          </Button>
        </div>
      )}
    </li>
  );
}

function State({ state }: { readonly state: EscrowState }) {
  const { tone, Icon } = LOOKS[state];
  const { label, note } = linkStates[state];
  return (
    <span title={note} className={`inline-flex items-center gap-1.5 rounded-full py-0.5 pr-2.5 pl-2 text-sm font-medium whitespace-nowrap ${tone}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      {label}
    </span>
  );
}
