import { useState } from 'react';
import type { ContactView } from '../../../../shared/contract/contacts.ts';
import { contactTexts as texts } from '../../../texts/contacts.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useAct } from '../../server-state.tsx';
import { draftOf, fieldsOf, hasProblems, NEW_CONTACT, problemsIn, problemsOf, type ContactDraft } from './contact-draft.ts';
import { ContactFields } from './contact-fields.tsx';
import { Warnings } from './contact-row.tsx';

/** What is done with the contacts; absent while no dialog is open. `saved` shows what main says against a contact that was just saved. */
export type ContactAct = { readonly kind: 'add' } | { readonly kind: 'edit' | 'remove' | 'saved'; readonly contact: ContactView };

interface ContactDialogsProps {
  readonly act: ContactAct | undefined;
  readonly onAct: (act: ContactAct) => void;
  readonly onClose: () => void;
}

const TITLES = { edit: texts.editTitle, remove: texts.removeTitle, saved: texts.savedTitle };

/** One dialog for each act. */
export function ContactDialogs({ act, onAct, onClose }: ContactDialogsProps) {
  const announce = useAnnounce();
  const saved = (contact: ContactView) => {
    if (warningsOf(contact).length > 0) return onAct({ kind: 'saved', contact });
    announce(texts.saved(contact.name));
    onClose();
  };
  return (
    <Dialog open={act !== undefined} title={act === undefined ? '' : act.kind === 'add' ? texts.addTitle : TITLES[act.kind](act.contact.name)} onClose={onClose}>
      {act?.kind === 'add' && <AddForm onSaved={saved} onClose={onClose} />}
      {act?.kind === 'edit' && <EditForm contact={act.contact} onSaved={saved} onClose={onClose} />}
      {act?.kind === 'remove' && <RemoveForm contact={act.contact} onClose={onClose} />}
      {act?.kind === 'saved' && <Remarks contact={act.contact} onEdit={() => onAct({ kind: 'edit', contact: act.contact })} onClose={onClose} />}
    </Dialog>
  );
}

const warningsOf = ({ warnings, addresses }: ContactView): readonly string[] => [...warnings, ...addresses.flatMap((address) => address.warnings)];

interface FormProps {
  readonly onSaved: (contact: ContactView) => void;
  readonly onClose: () => void;
}

function AddForm({ onSaved, onClose }: FormProps) {
  const add = useAct('contacts.add');
  return <DraftForm first={NEW_CONTACT} act={add} onSave={(fields) => add.mutate(fields, { onSuccess: onSaved })} onClose={onClose} />;
}

function EditForm({ contact, onSaved, onClose }: FormProps & { readonly contact: ContactView }) {
  const edit = useAct('contacts.edit');
  return <DraftForm first={draftOf(contact)} act={edit} onSave={(fields) => edit.mutate({ number: contact.number, ...fields }, { onSuccess: onSaved })} onClose={onClose} />;
}

interface DraftFormProps {
  readonly first: ContactDraft;
  readonly act: Pick<ReturnType<typeof useAct<'contacts.add' | 'contacts.edit'>>, 'error' | 'isPending'>;
  readonly onSave: (fields: ReturnType<typeof fieldsOf>) => void;
  readonly onClose: () => void;
}

function DraftForm({ first, act, onSave, onClose }: DraftFormProps) {
  const [draft, setDraft] = useState(first);
  const [tried, setTried] = useState(false);
  // What main refused is said until something is changed.
  const [asked, setAsked] = useState<ContactDraft>();
  const given = problemsOf(draft);
  const error = act.error && asked === draft ? act.error.info : undefined;
  const refused = error && problemsIn(error, draft);
  const problems = tried && hasProblems(given) ? given : (refused ?? { fields: {}, addresses: {} });

  function submit() {
    setTried(true);
    if (hasProblems(given)) return;
    setAsked(draft);
    onSave(fieldsOf(draft));
  }
  return (
    <ActForm onSubmit={submit} error={refused ? undefined : error} busy={act.isPending} confirm={act.isPending ? texts.saving : texts.save} onClose={onClose}>
      <ContactFields draft={draft} problems={problems} onChange={setDraft} />
    </ActForm>
  );
}

function RemoveForm({ contact: { number, name }, onClose }: { readonly contact: ContactView; readonly onClose: () => void }) {
  const remove = useAct('contacts.remove');
  const announce = useAnnounce();
  const submit = () =>
    remove.mutate(
      { number },
      {
        onSuccess() {
          announce(texts.removed(name));
          onClose();
        },
      },
    );
  return (
    <ActForm danger onSubmit={submit} error={remove.error?.info} busy={remove.isPending} confirm={remove.isPending ? texts.removing : texts.removeNow} onClose={onClose}>
      <p className="text-muted">{texts.removeExplained}</p>
    </ActForm>
  );
}

function Remarks({ contact, onEdit, onClose }: { readonly contact: ContactView; readonly onEdit: () => void; readonly onClose: () => void }) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <Callout tone="warn" role="status">
        {texts.look}
      </Callout>
      <Warnings warnings={warningsOf(contact)} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onEdit}>{texts.editAgain}</Button>
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </div>
  );
}
