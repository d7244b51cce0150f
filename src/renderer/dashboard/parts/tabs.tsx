import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';

interface TabsProps<T extends string> {
  /** What the tabs are about. */
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly tabs: readonly { readonly value: T; readonly label: string; readonly content: ReactNode }[];
}

/** Parts of a page of which one is shown; arrow keys go from one to the next. */
export function Tabs<T extends string>({ label, value, onChange, tabs }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => tabs.filter((tab) => tab.value === next).forEach((tab) => onChange(tab.value))}>
      <Radix.List aria-label={label} className="mb-4 flex flex-wrap gap-x-1 border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px rounded-t-lg border-b-2 border-transparent px-3 py-2 font-medium text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="rounded-lg">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
