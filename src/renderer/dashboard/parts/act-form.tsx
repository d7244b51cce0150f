import type { FormEvent, ReactNode } from 'react';
import type { ErrorInfo } from '../../../shared/errors/errors.ts';
import { layoutTexts } from '../../texts/dashboard.ts';
import { Button } from './button.tsx';
import { ErrorCallout } from './callout.tsx';

interface ActFormProps {
  readonly onSubmit: () => void;
  /** What went wrong, where no field says it. */
  readonly error?: ErrorInfo | undefined;
  readonly busy: boolean;
  readonly confirm: string;
  readonly cancel?: string;
  readonly onClose: () => void;
  /** An act that cannot be taken back. */
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** The form of a dialog: what it asks, what went wrong, and the two buttons. */
export function ActForm({ onSubmit, error, busy, confirm, cancel = layoutTexts.cancel, onClose, danger = false, children }: ActFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  return (
    <form className="grid min-w-0 grid-cols-1 gap-4" noValidate onSubmit={submit}>
      {children}
      {error && <ErrorCallout error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind={danger ? 'danger' : 'primary'} type="submit" disabled={busy}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}
