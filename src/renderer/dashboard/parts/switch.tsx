import { Switch as Radix } from 'radix-ui';
import { useId } from 'react';

interface SwitchProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** Something that is on or off and changes at once, with what it means beside it. */
export function Switch({ label, note, checked, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-6">
      <div className="min-w-0">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {note && (
          <p id={`${id}-note`} className="text-sm text-muted">
            {note}
          </p>
        )}
      </div>
      <Radix.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-describedby={note ? `${id}-note` : undefined}
        className="relative h-6 w-10 shrink-0 rounded-full border border-control bg-inset transition-colors data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:opacity-60"
      >
        <Radix.Thumb className="block size-4 forced-colors:bg-[ButtonText] forced-colors:forced-color-adjust-none forced-colors:data-[state=checked]:bg-[Highlight] translate-x-0.75 rounded-full bg-control transition-transform data-[state=checked]:translate-x-4.75 data-[state=checked]:bg-on-accent" />
      </Radix.Root>
    </div>
  );
}
