import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { ContactView } from '../../../shared/contract/contacts.ts';
import { contactTexts as texts } from '../../texts/contacts.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty } from '../parts/card.tsx';
import { TextField } from '../parts/field.tsx';
import { OwnersOnly } from '../parts/owners-only.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../server-state.tsx';
import { ContactDialogs, type ContactAct } from './contacts/contact-dialogs.tsx';
import { ContactRow } from './contacts/contact-row.tsx';
import { SendDialog, type SendPreset } from './send/send-dialog.tsx';

/** With so many a search is worth its room. */
const MANY = 6;

/** People whom money can be sent to. */
export function ContactsPage() {
  const contacts = useRead('contacts.list', {});
  const [act, setAct] = useState<ContactAct>();
  const [sending, setSending] = useState<SendPreset>();
  const add = (
    <Button kind="primary" onClick={() => setAct({ kind: 'add' })}>
      <Plus aria-hidden="true" className="size-4" />
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Card title={texts.list} aside={add}>
        <OwnersOnly query={contacts} title={texts.lockedTitle} hint={texts.lockedHint} unlock={texts.unlock} lines={6}>
          {(value) =>
            value.contacts.length === 0 ? <Empty title={texts.none} hint={texts.noneHint} /> : <List contacts={value.contacts} onAct={(kind, contact) => setAct({ kind, contact })} onSend={({ number }) => setSending({ contact: number })} />
          }
        </OwnersOnly>
      </Card>
      <ContactDialogs act={act} onAct={setAct} onClose={() => setAct(undefined)} />
      <SendDialog preset={sending} onClose={() => setSending(undefined)} />
    </Page>
  );
}

interface ListProps {
  readonly contacts: readonly ContactView[];
  readonly onAct: (kind: 'edit' | 'remove', contact: ContactView) => void;
  readonly onSend: (contact: ContactView) => void;
}

function List({ contacts, onAct, onSend }: ListProps) {
  const [sought, setSought] = useState('');
  const found = contacts.filter((contact) => holds(contact, sought.trim().toLowerCase()));
  return (
    <>
      {contacts.length > MANY && (
        <div className="mb-4 max-w-sm">
          <TextField label={texts.search} value={sought} onChange={setSought} autoComplete="off" maxLength={100} />
        </div>
      )}
      {found.length === 0 && <p className="text-muted">{texts.noMatch}</p>}
      <ul className="divide-y divide-line">
        {found.map((contact) => (
          <ContactRow key={contact.number} contact={contact} onAct={(kind) => onAct(kind, contact)} onSend={() => onSend(contact)} />
        ))}
      </ul>
    </>
  );
}

const holds = ({ number, name, email, phone, note, addresses }: ContactView, sought: string): boolean =>
  [texts.number(number), name, email, phone, note, ...addresses.map(({ address }) => address)].some((text) => text.toLowerCase().includes(sought));
