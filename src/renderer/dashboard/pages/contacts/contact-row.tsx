import { Mail, Phone, SendHorizontal, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { ContactView } from '../../../../shared/contract/contacts.ts';
import { contactTexts as texts } from '../../../texts/contacts.ts';
import { Button } from '../../parts/button.tsx';
import { Identicon } from '../../parts/identicon.tsx';
import { Address, CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';
import { chainName } from './chain-name.ts';

interface ContactRowProps {
  readonly contact: ContactView;
  readonly onAct: (kind: 'edit' | 'remove') => void;
  readonly onSend: () => void;
}

/** One contact: who, how to reach them, and where their money goes. */
export function ContactRow({ contact, onAct, onSend }: ContactRowProps) {
  const { number, name, email, phone, note, addresses, warnings } = contact;
  const networks = useRead('app.status', {}).data?.networks ?? [];
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 py-4 first:pt-1 last:pb-1">
      <div className="grid min-w-0 basis-96 grow grid-cols-1 gap-2">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Untrusted text={name} className="font-medium" />
          <span title={texts.numberNote} className="rounded-full bg-inset px-2 text-xs leading-5 text-muted tabular-nums">
            {texts.number(number)}
          </span>
        </p>
        <Warnings warnings={warnings} />
        {(email !== '' || phone !== '') && (
          <p className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-muted">
            {email !== '' && <Reach Icon={Mail} label={texts.email} text={email} />}
            {phone !== '' && <Reach Icon={Phone} label={texts.phone} text={phone} />}
          </p>
        )}
        {note !== '' && <Untrusted text={note} className="text-sm whitespace-pre-line text-muted" />}
        {addresses.length === 0 ? (
          <p className="text-sm text-muted">{texts.noAddress}</p>
        ) : (
          <ul className="grid grid-cols-1 gap-3">
            {addresses.map(({ chain, address, warnings: remarks }) => (
              <li key={chain} className="flex items-start gap-3">
                <Identicon address={address} className="mt-0.5 size-8" />
                <div className="min-w-0">
                  <p className="text-sm text-muted">
                    <Untrusted text={chainName(chain, networks)} />
                  </p>
                  <p className="flex items-start gap-1 text-sm">
                    <Address address={address} />
                    <CopyButton text={address} what={texts.copyAddress(name, chainName(chain, networks))} />
                  </p>
                  <Warnings warnings={remarks} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={texts.sendTo(name)} onClick={onSend}>
          <SendHorizontal aria-hidden="true" className="size-4" />
          {texts.send}
        </Button>
        <Button kind="quiet" aria-label={texts.editOf(name)} onClick={() => onAct('edit')}>
          {texts.edit}
        </Button>
        <Button kind="quiet" aria-label={texts.removeOf(name)} onClick={() => onAct('remove')}>
          {texts.remove}
        </Button>
      </div>
    </li>
  );
}

const Reach = ({ Icon, label, text }: { readonly Icon: LucideIcon; readonly label: string; readonly text: string }) => (
  <span className="inline-flex min-w-0 items-center gap-1.5">
    <Icon role="img" aria-label={label} className="size-4 shrink-0" />
    <Untrusted text={text} className="min-w-0" />
  </span>
);

/** What main says against a contact or an address. */
export function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return undefined;
  return (
    <ul className="grid gap-0.5 text-sm text-warn">
      {warnings.map((warning) => (
        <li key={warning} className="flex items-start gap-1.5">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <Untrusted text={warning} className="min-w-0" />
        </li>
      ))}
    </ul>
  );
}
