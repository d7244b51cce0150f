import { useEffect, type ReactNode } from 'react';
import { layoutTexts } from '../../texts/dashboard.ts';

interface PageProps {
  readonly title: string;
  readonly intro?: string;
  /** What the page begins: stands beside its heading. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One page of the dashboard: names the window, and its heading takes the focus when the reader comes here. */
export function Page({ title, intro, aside, children }: PageProps) {
  useEffect(() => {
    document.title = layoutTexts.windowTitle(title);
  }, [title]);

  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 max-w-3xl">
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
            {title}
          </h1>
          {intro && <p className="mt-1 text-pretty text-muted">{intro}</p>}
        </div>
        {aside}
      </div>
      <div className="mt-5">{children}</div>
    </>
  );
}
