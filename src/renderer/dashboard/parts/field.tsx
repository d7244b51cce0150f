import { useId } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'date';
  readonly prefix?: string;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal';
  /** Id of a datalist with suggestions. */
  readonly list?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  /** What is wrong with the value; marks the field. */
  readonly problem?: string | undefined;
  /** Something worth knowing that does not forbid the value. */
  readonly remark?: string | undefined;
}

/** A labelled line of text with room for a problem or a remark. */
export function TextField({ label, value, onChange, prefix, problem, remark, ...input }: TextFieldProps) {
  const id = useId();
  const note = problem ?? remark;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm text-muted">
        {label}
      </label>
      <div className={`flex items-center rounded-lg border bg-surface focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent ${problem ? 'border-danger' : 'border-control'}`}>
        {prefix && (
          <span aria-hidden="true" className="pl-3 text-muted">
            {prefix}
          </span>
        )}
        <input
          id={id}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={problem ? true : undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          className="min-h-9 w-full min-w-0 rounded-lg bg-transparent px-3 py-1 tabular-nums outline-none placeholder:text-muted"
          {...input}
        />
      </div>
      {note && (
        <p id={`${id}-note`} className={`mt-1 text-sm ${problem ? 'text-danger' : 'text-warn'}`}>
          {note}
        </p>
      )}
    </div>
  );
}
