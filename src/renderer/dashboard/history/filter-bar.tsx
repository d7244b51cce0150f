import { SlidersHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { PaymentStatus } from '../../../shared/contract/payments.ts';
import { statusTexts } from '../../texts/dashboard.ts';
import { findTexts as texts } from '../../texts/history.ts';
import { serverName } from '../../texts/parties.ts';
import { Button } from '../parts/button.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { useRead } from '../server-state.tsx';
import { countOf, NO_FILTER, type FilterDraft } from './filter-draft.ts';

interface FilterBarProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
}

/** The search, and behind a button everything else that payments can be filtered by. */
export function FilterBar({ draft, onChange }: FilterBarProps) {
  const [open, setOpen] = useState(countOf(draft) > 0);
  const panel = useId();
  const count = countOf(draft);
  return (
    <search className="mb-4 grid gap-3">
      <div className="flex items-end gap-2">
        <div className="min-w-0 grow">
          <TextField label={texts.search} placeholder={texts.searchHint} value={draft.text} onChange={(text) => onChange({ ...draft, text })} maxLength={200} />
        </div>
        <Button aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
          <SlidersHorizontal aria-hidden="true" className="size-4" />
          {count === 0 ? texts.filters : texts.filtersSet(count)}
        </Button>
      </div>
      <div id={panel} hidden={!open}>
        {open && <Fields draft={draft} onChange={onChange} />}
      </div>
    </search>
  );
}

const STATUSES = PaymentStatus.options.map((status) => ({ value: status, label: statusTexts[status].label }));
const ANY = { value: '', label: texts.any };
const named = (values: readonly string[], chosen: string, nameOf = (value: string) => value) => [ANY, ...[...new Set([...values, ...(chosen === '' ? [] : [chosen])])].map((value) => ({ value, label: nameOf(value) }))];

function Fields({ draft, onChange }: FilterBarProps) {
  const facets = useRead('payments.facets', {}).data;
  const set = (field: keyof FilterDraft) => (value: string) => onChange({ ...draft, [field]: value });
  return (
    <fieldset className="rounded-2xl border border-line bg-surface p-4">
      <legend className="sr-only">{texts.filtersGroup}</legend>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-3">
        <SelectField label={texts.status} value={draft.status} onChange={set('status')} options={[ANY, ...STATUSES]} />
        <SelectField label={texts.server} value={draft.upstream} onChange={set('upstream')} options={named(facets?.upstreams ?? [], draft.upstream, serverName)} />
        <SelectField label={texts.tool} value={draft.tool} onChange={set('tool')} options={named(facets?.tools ?? [], draft.tool)} />
        <SelectField label={texts.network} value={draft.network} onChange={set('network')} options={[ANY, ...(facets?.networks ?? []).map(({ network, name }) => ({ value: network, label: name }))]} />
        <TextField label={texts.from} type="date" value={draft.from} onChange={set('from')} />
        <TextField label={texts.to} type="date" value={draft.to} onChange={set('to')} />
      </div>
      <Button className="mt-3" disabled={countOf(draft) === 0 && draft.text === ''} onClick={() => onChange(NO_FILTER)}>
        {texts.clear}
      </Button>
    </fieldset>
  );
}
