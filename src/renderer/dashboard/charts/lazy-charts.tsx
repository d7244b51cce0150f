import { lazy, Suspense, type ReactNode } from 'react';
import { tableTexts } from '../../texts/table.ts';
import { CrashGuard } from '../crash-guard.tsx';

// The chart library is larger than the rest of the dashboard: it is read after what stands on the page first.
const bars = () => import('./day-bars.tsx');
const ring = () => import('./share-ring.tsx');

export const DayBars = lazy(async () => ({ default: (await bars()).DayBars }));
export const ShareRing = lazy(async () => ({ default: (await ring()).ShareRing }));

/** Room for a chart while it is being loaded, and words where it cannot be: the figures stand beside it in any case. */
export function ChartRoom({ className, children }: { readonly className: string; readonly children: ReactNode }) {
  return (
    <CrashGuard fallback={<p className="text-sm text-muted">{tableTexts.chartMissing}</p>}>
      <Suspense fallback={<div aria-hidden="true" data-chart-room="" className={`rounded-lg bg-inset ${className}`} />}>{children}</Suspense>
    </CrashGuard>
  );
}
