import { useId, useState } from 'react';
import type { ErrorCode } from '../../../../shared/errors/codes.ts';
import type { ErrorInfo } from '../../../../shared/errors/errors.ts';
import { sendTexts as texts } from '../../../texts/sends.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { segmentClass } from '../../parts/segment.ts';
import { OwnersOnly } from '../../parts/owners-only.tsx';
import { useRead } from '../../server-state.tsx';
import { linkRequestOf, missingIn, networksOf, sendersOf, tokensOf, type SendDraft, type SendField } from './send-draft.ts';

interface SendFieldsProps {
  readonly draft: SendDraft;
  readonly onChange: (draft: SendDraft) => void;
  readonly error: ErrorInfo | undefined;
  readonly busy: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** Refusals that speak of one field. */
const FIELD_OF: Partial<Record<ErrorCode, 'target' | 'amount'>> = { ADDRESS_INVALID: 'target', PAYEE_INVALID: 'target', CONTACT_UNPAYABLE: 'target', RECIPIENT_INVALID: 'target', AMOUNT_INVALID: 'amount', INSUFFICIENT_BALANCE: 'amount' };

/** Whom, how much and how. */
export function SendFields({ draft, onChange, error, busy, onSubmit, onClose }: SendFieldsProps) {
  const accounts = useRead('accounts.list', { all: true }).data;
  const [tried, setTried] = useState(false);
  const missing = missingIn(draft);
  const field = error && FIELD_OF[error.code];
  const refused = (where: 'target' | 'amount') => (error && field === where ? `${error.message} ${error.hint}`.trim() : undefined);
  const problem = (name: SendField) => (tried && missing.includes(name) ? texts.problems[name] : refused(name === 'amount' ? 'amount' : 'target'));
  const balances = accounts?.balances ?? [];
  const networks = networksOf(balances, draft.token);
  const senders = sendersOf(accounts?.accounts ?? []);

  function submit() {
    setTried(true);
    if (missing.length === 0) onSubmit();
  }
  return (
    <ActForm onSubmit={submit} error={field === undefined ? error : undefined} busy={busy} confirm={busy ? texts.asking : texts.next} onClose={onClose}>
      <TargetKind draft={draft} onChange={onChange} />
      <TargetField draft={draft} onChange={onChange} problem={problem(draft.kind)} />
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] items-start gap-3">
        <TextField label={texts.amount} value={draft.amount} onChange={(amount) => onChange({ ...draft, amount })} inputMode="decimal" autoComplete="off" maxLength={100} note={texts.amountNote} problem={problem('amount')} />
        <SelectField label={texts.token} value={draft.token} onChange={(token) => onChange({ ...draft, token, network: '' })} options={tokensOf(balances).map((value) => ({ value, label: value }))} />
      </div>
      {networks.length > 1 && (
        <SelectField label={texts.network} value={draft.network} onChange={(network) => onChange({ ...draft, network })} options={[{ value: '', label: texts.anyNetwork }, ...networks.map(({ network, name }) => ({ value: network, label: name }))]} />
      )}
      {senders.length > 1 && (
        <SelectField label={texts.from} value={draft.from} onChange={(from) => onChange({ ...draft, from })} options={[{ value: '', label: texts.anyAccount }, ...senders.map(({ address, label }) => ({ value: address, label }))]} />
      )}
      <TextField label={texts.memo} value={draft.memo} onChange={(memo) => onChange({ ...draft, memo })} autoComplete="off" maxLength={500} note={linkRequestOf(draft) ? texts.memoNoteByLink : texts.memoNote} />
    </ActForm>
  );
}

const TARGET_KINDS = ['contact', 'address', 'email', 'phone'] as const;

function TargetKind({ draft, onChange }: Pick<SendFieldsProps, 'draft' | 'onChange'>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm text-muted">{texts.to}</legend>
      <div className="grid grid-cols-2 gap-1 rounded-lg bg-inset p-1 text-center sm:inline-flex">
        {TARGET_KINDS.map((kind) => (
          <label key={kind} className={segmentClass}>
            <input type="radio" name={name} className="sr-only" checked={kind === draft.kind} onChange={() => onChange({ ...draft, kind })} />
            {texts.toKinds[kind]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function TargetField({ draft, onChange, problem }: Pick<SendFieldsProps, 'draft' | 'onChange'> & { readonly problem: string | undefined }) {
  const { kind } = draft;
  const field = { value: draft[kind], onChange: (value: string) => onChange({ ...draft, [kind]: value }), problem };
  if (kind === 'contact') return <ContactField {...field} />;
  if (kind === 'address') return <TextField {...field} label={texts.address} autoComplete="off" spellCheck={false} maxLength={100} />;
  const isEmail = kind === 'email';
  return <TextField {...field} label={isEmail ? texts.email : texts.phone} type={isEmail ? 'email' : 'tel'} autoComplete="off" spellCheck={false} maxLength={320} note={isEmail ? texts.emailNote : texts.phoneNote} />;
}

function ContactField({ value, onChange, problem }: { readonly value: string; readonly onChange: (contact: string) => void; readonly problem: string | undefined }) {
  const contacts = useRead('contacts.list', {});
  return (
    <OwnersOnly query={contacts} title={texts.contactsLocked} unlock={texts.unlockContacts} lines={1}>
      {(list) =>
        list.contacts.length === 0 ? (
          <p className={problem ? 'text-sm text-danger' : 'text-sm text-muted'}>{texts.noContacts}</p>
        ) : (
          <SelectField
            label={texts.contact}
            value={value}
            onChange={onChange}
            options={[{ value: '', label: texts.chooseContact }, ...list.contacts.map(({ number, name }) => ({ value: String(number), label: texts.contactOption(number, name) }))]}
            problem={problem}
          />
        )
      }
    </OwnersOnly>
  );
}
