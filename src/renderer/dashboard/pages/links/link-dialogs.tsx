import type { ClaimMessage, EscrowView } from '../../../../shared/contract/escrows.ts';
import { linkTexts as texts } from '../../../texts/links.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Amount, Untrusted } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { ShownSecret } from '../wallets/shown-secret.tsx';

export type LinkAct = 'link' | 'resend' | 'takeBack';

const TITLES: Readonly<Record<LinkAct, string>> = { link: texts.linkTitle, resend: texts.resendTitle, takeBack: texts.backTitle };

interface LinkDialogsProps {
  readonly act: { readonly kind: LinkAct; readonly escrow: EscrowView } | undefined;
  readonly onClose: () => void;
}

/** What the owner does about a link that was sent. */
export function LinkDialogs({ act, onClose }: LinkDialogsProps) {
  return (
    <Dialog open={act !== undefined} title={act ? TITLES[act.kind] : ''} onClose={onClose}>
      {act?.kind === 'link' && <LinkForm escrow={act.escrow} onClose={onClose} />}
      {act?.kind === 'resend' && <ResendForm escrow={act.escrow} onClose={onClose} />}
      {act?.kind === 'takeBack' && <TakeBackForm escrow={act.escrow} onClose={onClose} />}
    </Dialog>
  );
}

interface FormProps {
  readonly escrow: EscrowView;
  readonly onClose: () => void;
}

function LinkForm({ escrow, onClose }: FormProps) {
  const link = useAct('escrows.link');
  if (link.data) return <ShownLink message={link.data} onClose={onClose} />;
  return (
    <ActForm onSubmit={() => link.mutate({ id: escrow.id })} error={link.error?.info} busy={link.isPending} confirm={texts.linkShow} onClose={onClose}>
      <What escrow={escrow} />
      <Callout tone="warn">{texts.linkNote}</Callout>
    </ActForm>
  );
}

function ShownLink({ message: { link, mailto, sms }, onClose }: { readonly message: ClaimMessage; readonly onClose: () => void }) {
  const written = mailto === '' ? sms : mailto;
  return (
    <ShownSecret secret={link} warning={texts.linkNote} onClose={onClose}>
      <div>
        <p className="text-sm text-muted">{texts.linkLabel}</p>
        <p className="max-h-40 overflow-auto">
          <Untrusted text={link} className="font-mono text-sm" />
        </p>
      </div>
      {written !== '' && (
        <div className="grid justify-items-start gap-1">
          <a href={written} className={buttonClass()}>
            {mailto === '' ? texts.sms : texts.mailto}
          </a>
          <p className="text-sm text-muted">{texts.openNote}</p>
        </div>
      )}
    </ShownSecret>
  );
}

function ResendForm({ escrow, onClose }: FormProps) {
  const resend = useAct('escrows.resend');
  const announce = useAnnounce();
  const done = () => {
    announce(texts.resent(escrow.recipient));
    onClose();
  };
  return (
    <ActForm onSubmit={() => resend.mutate({ id: escrow.id }, { onSuccess: done })} error={resend.error?.info} busy={resend.isPending} confirm={resend.isPending ? texts.resending : texts.resendNow} onClose={onClose}>
      <What escrow={escrow} />
      <p className="text-muted">
        <Untrusted text={texts.resendNote(escrow.recipient)} />
      </p>
    </ActForm>
  );
}

function TakeBackForm({ escrow, onClose }: FormProps) {
  const refund = useAct('escrows.refund');
  const announce = useAnnounce();
  const done = ({ state }: EscrowView) => {
    announce(state === 'claimed' || state === 'refunded' ? texts.taken[state] : texts.taken.refunding);
    onClose();
  };
  return (
    <ActForm onSubmit={() => refund.mutate({ id: escrow.id }, { onSuccess: done })} error={refund.error?.info} busy={refund.isPending} confirm={refund.isPending ? texts.taking : texts.backNow} onClose={onClose}>
      <What escrow={escrow} />
      <p className="text-muted">{texts.backNote}</p>
    </ActForm>
  );
}

const What = ({ escrow: { money, recipient, recipientName } }: { readonly escrow: EscrowView }) => (
  <p>
    <Amount money={money} className="font-semibold" /> <Untrusted text={recipient === '' ? texts.locked : texts.to(recipientName, recipient)} className="text-muted" />
  </p>
);
