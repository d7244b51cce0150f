import { useId } from 'react';

interface CheckFieldProps {
  readonly label: string;
  /** What it does. */
  readonly note?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A labelled box that is ticked or not. */
export function CheckField({ label, note, checked, onChange, disabled = false }: CheckFieldProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        className="mt-1 size-4 shrink-0 accent-(--accent)"
        checked={checked}
        disabled={disabled}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        onChange={({ target }) => onChange(target.checked)}
      />
      <div className="min-w-0">
        <label htmlFor={id}>{label}</label>
        {note !== undefined && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {note}
          </p>
        )}
      </div>
    </div>
  );
}
