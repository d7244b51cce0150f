import type { ReactNode } from 'react';

/** One line of a list of facts (`dl`). `wide`: it takes both columns of a list that has two. */
export function Fact({ label, wide = false, children }: { readonly label: string; readonly wide?: boolean; readonly children: ReactNode }) {
  return (
    <div className={wide ? 'min-w-0 sm:col-span-2' : 'min-w-0'}>
      <dt className="text-sm text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
