import { ChevronDown } from 'lucide-react';
import { useId, type ReactNode } from 'react';

interface FieldProps {
  readonly label: string;
  /** What is wrong with the value; marks the field. */
  readonly problem?: string | undefined;
  /** Something worth knowing that does not forbid the value. */
  readonly remark?: string | undefined;
  /** What the field is for. */
  readonly note?: string | undefined;
}

interface ControlAttributes {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

/** A label, a control, and room for a problem, a remark or a note below it. */
function Field({ label, problem, remark, note, children }: FieldProps & { readonly children: (attributes: ControlAttributes) => ReactNode }) {
  const id = useId();
  const words = problem ?? remark ?? note;
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm text-muted">
        {label}
      </label>
      {children({ id, 'aria-invalid': problem ? true : undefined, 'aria-describedby': words ? `${id}-note` : undefined })}
      {words && (
        <p id={`${id}-note`} className={`mt-1 text-sm wrap-anywhere ${problem ? 'text-danger' : remark ? 'text-warn' : 'text-muted'}`}>
          {words}
        </p>
      )}
    </div>
  );
}

const frameClass = (problem: string | undefined): string =>
  `rounded-lg border bg-surface focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent ${problem ? 'border-danger' : 'border-control'}`;

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'email' | 'tel' | 'date';
  readonly prefix?: string;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal';
  readonly spellCheck?: boolean;
  /** Id of a datalist with suggestions. */
  readonly list?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
}

/** A labelled line of text. */
export function TextField({ label, value, onChange, prefix, problem, remark, note, ...input }: TextFieldProps) {
  return (
    <Field label={label} problem={problem} remark={remark} note={note}>
      {(attributes) => (
        <div className={`flex items-center ${frameClass(problem)}`}>
          {prefix && (
            <span aria-hidden="true" className="pl-3 text-muted">
              {prefix}
            </span>
          )}
          <input value={value} onChange={(event) => onChange(event.target.value)} className="min-h-[calc(2.25rem-2px)] w-full min-w-0 rounded-lg bg-transparent px-3 py-1 tabular-nums outline-none placeholder:text-muted" {...attributes} {...input} />
        </div>
      )}
    </Field>
  );
}

interface TextAreaProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly spellCheck?: boolean;
  readonly mono?: boolean;
}

/** A labelled text of several lines. */
export function TextArea({ label, value, onChange, problem, remark, note, rows = 3, mono = false, ...input }: TextAreaProps) {
  return (
    <Field label={label} problem={problem} remark={remark} note={note}>
      {(attributes) => (
        <textarea
          value={value}
          rows={rows}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          className={`block w-full min-w-0 px-3 py-1.5 outline-none ${frameClass(problem)} ${mono ? 'font-mono text-sm' : ''}`}
          {...attributes}
          {...input}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<T extends string> extends FieldProps {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly required?: boolean;
}

/** A labelled choice of one. */
export function SelectField<T extends string>({ label, value, onChange, options, required, problem, remark, note }: SelectFieldProps<T>) {
  return (
    <Field label={label} problem={problem} remark={remark} note={note}>
      {(attributes) => (
        <div className="relative">
          <select
            value={value}
            required={required}
            onChange={({ target }) => {
              const chosen = options.find((option) => option.value === target.value);
              if (chosen) onChange(chosen.value);
            }}
            className={`min-h-9 w-full min-w-0 appearance-none truncate py-1 pr-9 pl-3 text-ink ${frameClass(problem)}`}
            {...attributes}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown aria-hidden="true" className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted" />
        </div>
      )}
    </Field>
  );
}
