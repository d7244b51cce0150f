import { X } from 'lucide-react';
import { Dialog as Modal } from 'radix-ui';
import { useEffect, useRef, type ReactNode } from 'react';
import { layoutTexts } from '../../texts/dashboard.ts';
import { useStillPage } from './use-still-page.ts';

interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** `side` and `left` are drawers along the right and the left edge. */
  readonly form?: 'centre' | 'wide' | 'side' | 'left';
}

const FORMS = {
  centre: 'm-auto w-[min(27rem,calc(100vw-1.5rem))] rounded-2xl max-h-[calc(100dvh-2rem)]',
  wide: 'm-auto w-[min(52rem,calc(100vw-1.5rem))] rounded-2xl max-h-[calc(100dvh-2rem)]',
  side: 'ml-auto h-dvh w-[min(32rem,100vw)] sm:rounded-l-2xl',
  left: 'mr-auto h-dvh w-[min(17rem,calc(100vw-3rem))] rounded-r-2xl',
};

/**
 * A modal dialog: it keeps the focus, closes on Escape or a click beside it, and gives the focus back. Radix's own overlay is left out,
 * since it injects a style sheet, which the page's policy refuses; the veil here is a plain element.
 */
export function Dialog({ open, title, onClose, children, form = 'centre' }: DialogProps) {
  const content = useRef<HTMLDivElement>(null);
  const opener = useRef<Element>(null);
  useStillPage(open);

  useEffect(() => {
    // Another title is another step of what is done here: what had the focus is gone.
    if (open) focusFirst(content.current);
  }, [open, title]);

  return (
    <Modal.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Modal.Portal>
        <div className="fixed inset-0 z-40 flex bg-veil">
          <Modal.Content
            ref={content}
            aria-describedby={undefined}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              opener.current = document.activeElement;
              focusFirst(content.current);
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              giveBackFocus(opener.current);
            }}
            className={`appear overflow-y-auto overscroll-contain border border-line bg-surface p-5 text-ink shadow-2xl ${FORMS[form]}`}
          >
            <div className="mb-4 flex items-start justify-between gap-4">
              <Modal.Title tabIndex={-1} className="min-w-0 text-lg font-semibold wrap-anywhere outline-none">
                {title}
              </Modal.Title>
              <Modal.Close aria-label={layoutTexts.close} className="-m-1 rounded-lg p-1.5 text-muted hover:bg-inset hover:text-ink">
                <X aria-hidden="true" className="size-5" />
              </Modal.Close>
            </div>
            {children}
          </Modal.Content>
        </div>
      </Modal.Portal>
    </Modal.Root>
  );
}

function focusFirst(content: HTMLElement | null): void {
  const field = content?.querySelector<HTMLElement>('input:not([type=radio], [type=checkbox]), textarea');
  (field ?? content?.querySelector<HTMLElement>('h2'))?.focus();
}

/** What opened the dialog may be gone or closed with it: the dialog below has the focus then, or the page's heading. */
function giveBackFocus(opener: Element | null): void {
  // Whoever took the focus meanwhile, as a page that was gone to does, keeps it.
  if (document.activeElement !== document.body) return;
  for (const place of [opener, [...document.querySelectorAll('[role=dialog] h2')].at(-1), document.querySelector('main h1')]) {
    if (place instanceof HTMLElement) place.focus();
    if (document.activeElement !== document.body) return;
  }
}
