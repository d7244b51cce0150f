import { Plus, X } from 'lucide-react';
import type { AppStatus } from '../../../../shared/contract/app.ts';
import { contactTexts as texts } from '../../../texts/contacts.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { useRead } from '../../server-state.tsx';
import { chainName } from './chain-name.ts';
import type { AddressDraft, ContactDraft, ContactProblems } from './contact-draft.ts';

interface ContactFieldsProps {
  readonly draft: ContactDraft;
  readonly problems: ContactProblems;
  readonly onChange: (draft: ContactDraft) => void;
}

const MOST_ADDRESSES = 32;

/** Who, how to reach them, and where their money goes. */
export function ContactFields({ draft, problems: { fields, addresses }, onChange }: ContactFieldsProps) {
  const networks = useRead('app.status', {}).data?.networks ?? [];
  const change = (line: number, changes: Partial<AddressDraft>) => onChange({ ...draft, addresses: draft.addresses.map((one, place) => (place === line ? { ...one, ...changes } : one)) });
  const add = () => onChange({ ...draft, addresses: [...draft.addresses, { key: Math.max(-1, ...draft.addresses.map(({ key }) => key)) + 1, chain: freeChain(draft), address: '' }] });
  return (
    <>
      <TextField label={texts.name} value={draft.name} onChange={(name) => onChange({ ...draft, name })} autoComplete="off" maxLength={80} problem={fields.name} />
      <TextField label={texts.email} type="email" value={draft.email} onChange={(email) => onChange({ ...draft, email })} autoComplete="off" maxLength={254} problem={fields.email} />
      <TextField label={texts.phone} type="tel" value={draft.phone} onChange={(phone) => onChange({ ...draft, phone })} autoComplete="off" maxLength={40} note={texts.phoneNote} problem={fields.phone} />
      <fieldset className="grid min-w-0 grid-cols-1 gap-3">
        <legend className="mb-2 font-medium">{texts.addresses}</legend>
        {draft.addresses.map((one, line) => (
          <AddressLine
            key={one.key}
            line={one}
            place={line + 1}
            chains={chainsFor(one.chain, networks)}
            problem={addresses[line]}
            onChange={(changes) => change(line, changes)}
            onRemove={() => onChange({ ...draft, addresses: draft.addresses.filter((other) => other !== one) })}
          />
        ))}
        {draft.addresses.length < MOST_ADDRESSES && (
          <Button kind="quiet" className="justify-self-start" onClick={add}>
            <Plus aria-hidden="true" className="size-4" />
            {texts.addAddress}
          </Button>
        )}
      </fieldset>
      <TextArea label={texts.note} value={draft.note} onChange={(note) => onChange({ ...draft, note })} rows={2} maxLength={500} problem={fields.note} />
    </>
  );
}

/** The first kind that the contact has no address of. */
const freeChain = ({ addresses }: ContactDraft): string => (['eip155', 'solana'].find((chain) => !addresses.some((one) => one.chain === chain)) ?? 'eip155');

interface ChainOption {
  readonly value: string;
  readonly label: string;
}

function chainsFor(chosen: string, networks: AppStatus['networks']): readonly ChainOption[] {
  const enabled = networks.map(({ network }) => network).filter((network) => network.startsWith('eip155:') || network.startsWith('solana:'));
  return [...new Set(['eip155', 'solana', ...enabled, chosen])].map((value) => ({ value, label: chainName(value, networks) }));
}

interface AddressLineProps {
  readonly line: AddressDraft;
  /** From 1. */
  readonly place: number;
  readonly chains: readonly ChainOption[];
  readonly problem: string | undefined;
  readonly onChange: (changes: Partial<AddressDraft>) => void;
  readonly onRemove: () => void;
}

function AddressLine({ line, place, chains, problem, onChange, onRemove }: AddressLineProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-x-2 gap-y-2 rounded-xl bg-inset p-3">
      <SelectField label={texts.kind(place)} value={line.chain} onChange={(chain) => onChange({ chain })} options={chains} />
      <button type="button" aria-label={texts.removeAddress(place)} title={texts.removeAddress(place)} className="rounded-lg p-2 text-muted hover:bg-surface hover:text-ink" onClick={onRemove}>
        <X aria-hidden="true" className="size-5" />
      </button>
      <div className="col-span-2">
        <TextField label={texts.address(place)} value={line.address} onChange={(address) => onChange({ address })} autoComplete="off" spellCheck={false} maxLength={100} problem={problem} />
      </div>
    </div>
  );
}
