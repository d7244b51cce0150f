import { ChevronRight, type LucideIcon } from 'lucide-react';

export interface Choice<K extends string> {
  readonly kind: K;
  readonly Icon: LucideIcon;
  readonly label: string;
  readonly note: string;
}

/** Things to do, one of which opens the next step. */
export function ChoiceList<K extends string>({ choices, onChoose }: { readonly choices: readonly Choice<K>[]; readonly onChoose: (kind: K) => void }) {
  return (
    <ul className="grid gap-1">
      {choices.map(({ kind, Icon, label, note }) => (
        <li key={kind}>
          <button type="button" className="flex w-full items-center gap-3 rounded-xl px-3 py-2.5 text-left hover:bg-inset" onClick={() => onChoose(kind)}>
            <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
            <span className="min-w-0 grow">
              <span className="block font-medium">{label}</span>
              <span className="block text-sm text-muted">{note}</span>
            </span>
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
          </button>
        </li>
      ))}
    </ul>
  );
}
