import { CircleX, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ErrorInfo } from '../../../shared/errors/errors.ts';
import { Button } from './button.tsx';
import { layoutTexts } from '../../texts/dashboard.ts';

type Tone = 'info' | 'warn' | 'danger';

const TONES: Record<Tone, string> = { info: 'bg-accent-soft text-ink', warn: 'bg-warn-soft text-warn', danger: 'bg-danger-soft text-danger' };
const ICONS = { info: Info, warn: TriangleAlert, danger: CircleX };

/** A coloured note. */
export function Callout({ tone, children, role }: { readonly tone: Tone; readonly children: ReactNode; readonly role?: 'alert' | 'status' }) {
  const Icon = ICONS[tone];
  return (
    <div role={role} className={`flex gap-3 rounded-xl px-4 py-3 ${TONES[tone]}`}>
      <Icon aria-hidden="true" className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 grow">{children}</div>
    </div>
  );
}

/** A failure in words: what went wrong and what to do, with a way to try again where there is one. */
export function ErrorCallout({ error, onRetry }: { readonly error: ErrorInfo; readonly onRetry?: (() => void) | undefined }) {
  return (
    <Callout tone="danger" role="alert">
      <p className="font-medium">
        <bdi className="untrusted">{error.message}</bdi>
      </p>
      <p className="untrusted mt-0.5 max-h-40 overflow-auto whitespace-pre-line">{error.hint}</p>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        {onRetry && <Button onClick={onRetry}>{layoutTexts.tryAgain}</Button>}
        <code className="font-mono text-xs">{error.code}</code>
      </div>
    </Callout>
  );
}
