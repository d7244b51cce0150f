import { X } from 'lucide-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { layoutTexts } from '../../texts/dashboard.ts';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** `side` and `left` are drawers along the right and the left edge. */
  readonly form?: 'centre' | 'wide' | 'side' | 'left';
}

const FORMS = {
  centre: 'm-auto w-[min(26rem,calc(100vw-1.5rem))] rounded-2xl max-h-[calc(100dvh-2rem)]',
  wide: 'm-auto w-[min(52rem,calc(100vw-1.5rem))] rounded-2xl max-h-[calc(100dvh-2rem)]',
  side: 'my-0 mr-0 ml-auto h-dvh max-h-none w-[min(32rem,100vw)] max-w-none sm:rounded-l-2xl',
  left: 'my-0 mr-auto ml-0 h-dvh max-h-none w-[min(17rem,calc(100vw-3rem))] max-w-none rounded-r-2xl',
};

/** A modal dialog on the platform's own element: it keeps the focus, closes on Escape and gives the focus back. */
export function Dialog({ open, title, onClose, children, form = 'centre' }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();

  useEffect(() => {
    const dialog = ref.current;
    if (!open && dialog?.open) dialog.close();
    if (!open || !dialog) return;
    const isNew = !dialog.open;
    if (isNew) dialog.showModal();
    // Another title is another step of what is done here: what had the focus is gone.
    const first = dialog.querySelector<HTMLElement>('input, textarea') ?? (isNew ? undefined : dialog.querySelector('h2'));
    first?.focus();
  }, [open, title]);

  return (
    <dialog
      ref={ref}
      aria-labelledby={heading}
      onClose={onClose}
      onMouseDown={(event) => event.target === ref.current && ref.current.close()}
      className={`border border-line bg-surface p-0 text-ink shadow-2xl ${FORMS[form]}`}
    >
      {open && (
        <div className="p-5">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={heading} tabIndex={-1} className="min-w-0 text-lg font-semibold wrap-anywhere outline-none">
              {title}
            </h2>
            <button type="button" aria-label={layoutTexts.close} className="-m-1 rounded-lg p-1.5 text-muted hover:bg-inset hover:text-ink" onClick={() => ref.current?.close()}>
              <X aria-hidden="true" className="size-5" />
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
