import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { addServerTexts as texts } from '../../../texts/servers.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';

/** A variable or header as typed. */
export interface NameValue {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

interface NameValuesProps {
  readonly legend: string;
  readonly note: string;
  readonly add: string;
  readonly rows: readonly NameValue[];
  readonly onChange: (rows: readonly NameValue[]) => void;
}

/** Rows of names and secret values. */
export function NameValues({ legend, note, add, rows, onChange }: NameValuesProps) {
  const noteId = useId();
  const change = (key: number, next: Partial<NameValue>) => onChange(rows.map((row) => (row.key === key ? { ...row, ...next } : row)));
  return (
    <fieldset aria-describedby={noteId} className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">{legend}</legend>
      {rows.map((row) => (
        <div key={row.key} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-end gap-2">
          <TextField label={texts.rowName} value={row.name} onChange={(name) => change(row.key, { name })} autoComplete="off" spellCheck={false} maxLength={256} />
          <TextField label={texts.rowValue} type="password" value={row.value} onChange={(value) => change(row.key, { value })} autoComplete="off" maxLength={20_000} />
          <Button kind="quiet" aria-label={texts.rowRemove(row.name)} onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}>
            <X aria-hidden="true" className="size-4" />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => onChange([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '', value: '' }])}>
          <Plus aria-hidden="true" className="size-4" />
          {add}
        </Button>
      </div>
      <p id={noteId} className="text-sm text-muted">
        {note}
      </p>
    </fieldset>
  );
}

/** What was typed, without rows that have no name. */
export const recordOf = (rows: readonly NameValue[]): Record<string, string> => Object.fromEntries(rows.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value]])));
