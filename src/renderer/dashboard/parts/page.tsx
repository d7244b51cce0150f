import { useEffect, type ReactNode } from 'react';
import { layoutTexts } from '../../texts/dashboard.ts';

interface PageProps {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
}

/** One page of the dashboard: names the window, and its heading takes the focus when the reader comes here. */
export function Page({ title, intro, children }: PageProps) {
  useEffect(() => {
    document.title = layoutTexts.windowTitle(title);
  }, [title]);

  return (
    <>
      <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
        {title}
      </h1>
      {intro && <p className="mt-1 max-w-3xl text-pretty text-muted">{intro}</p>}
      <div className="mt-5">{children}</div>
    </>
  );
}
