import { useId, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { layoutTexts } from '../../texts/dashboard.ts';
import { isLinkLost } from '../../client/link.ts';
import { RequestError } from '../server-state.tsx';
import { ErrorCallout } from './callout.tsx';

interface CardProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A titled section. */
export function Card({ title, aside, children, className = '' }: CardProps) {
  const heading = useId();
  return (
    <section aria-labelledby={heading} className={`min-w-0 rounded-2xl border border-line bg-surface p-5 ${className}`}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id={heading} className="font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Says that there is nothing, and what would bring something. */
export function Empty({ title, hint, children }: { readonly title: string; readonly hint?: string; readonly children?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-1 py-6 text-center">
      <p className="font-medium">{title}</p>
      {hint && <p className="text-muted">{hint}</p>}
      {children && <div className="mt-3">{children}</div>}
    </div>
  );
}

/** Grey lines in place of what is being read. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" className="grid gap-3 py-1">
      <span className="sr-only">{layoutTexts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} aria-hidden="true" className={`h-4 animate-pulse rounded bg-inset ${line % 3 === 2 ? 'w-2/3' : ''}`} />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, RequestError>;
  readonly lines?: number;
  readonly children: (value: T) => ReactNode;
}

/**
 * What a query knows: its value, though a later reading may have failed; else the failure; else grey lines.
 * While the connection is down the header says so once, and what was read last stays on screen.
 */
export function Loaded<T>({ query, lines = 3, children }: LoadedProps<T>) {
  const lost = query.error !== null && isLinkLost(query.error.info);
  return (
    <>
      {query.error && !lost && (
        <div className="mb-3">
          <ErrorCallout error={query.error.info} onRetry={() => void query.refetch()} />
        </div>
      )}
      {query.data !== undefined ? children(query.data) : (!query.error || lost) && <Skeleton lines={lines} />}
    </>
  );
}
