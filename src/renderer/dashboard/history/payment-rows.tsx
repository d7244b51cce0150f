import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { historyTexts as texts } from '../../texts/dashboard.ts';
import { findTexts } from '../../texts/history.ts';
import { PaymentAmount } from '../parts/payment-amount.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useNarrow } from './use-narrow.ts';
import { PAGE_ROWS } from './use-payment-pages.ts';

/** Heights (px) of a row in the two layouts: all are alike, so that a place in a long history is known without drawing what is above it. */
const HEIGHT = { narrow: 108, wide: 56 };
const OVERSCAN = 8;

interface PaymentRowsProps {
  readonly count: number;
  readonly rowAt: (index: number) => PaymentView | undefined;
  readonly onOpen: (payment: PaymentView) => void;
  /** First and last page that is on screen. */
  readonly onPages: (from: number, to: number) => void;
}

/** Payments as a table of which only what is on screen is drawn. */
export function PaymentRows({ count, rowAt, onOpen, onPages }: PaymentRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const height = HEIGHT[useNarrow() ? 'narrow' : 'wide'];
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    // What stands above the rows grows and shrinks with the filters.
    const measure = () => setMargin(element.getBoundingClientRect().top + window.scrollY);
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    measure();
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({ count, estimateSize: () => height, overscan: OVERSCAN, scrollMargin: margin });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);

  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onPages(Math.floor(first / PAGE_ROWS), Math.floor(last / PAGE_ROWS)), [first, last, onPages]);

  return (
    <div role="table" aria-label={texts.caption} aria-rowcount={count + 1} className="mt-4 overflow-clip rounded-2xl border border-line bg-surface">
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={`${ROW} border-b border-line text-sm font-medium text-muted max-sm:sr-only`}>
          <span role="columnheader">{texts.status}</span>
          <span role="columnheader" className="text-right">
            {texts.amount}
          </span>
          <span role="columnheader">{texts.server}</span>
          <span role="columnheader" className="max-md:hidden">
            {texts.tool}
          </span>
          <span role="columnheader" className="text-right">
            {texts.time}
          </span>
        </div>
      </div>
      <div ref={list} role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => (
          <Row key={index} index={index} top={start - margin} height={height} payment={rowAt(index)} onOpen={onOpen} />
        ))}
      </div>
    </div>
  );
}

const ROW = 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 sm:grid-cols-[10.5rem_9rem_minmax(0,1fr)_auto] md:grid-cols-[10.5rem_9rem_minmax(0,1fr)_minmax(0,1.2fr)_8.5rem]';

interface RowProps {
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly payment: PaymentView | undefined;
  readonly onOpen: (payment: PaymentView) => void;
}

const Row = memo(function Row({ index, top, height, payment, onOpen }: RowProps) {
  const place = { height, transform: `translateY(${top}px)` };
  if (!payment) {
    return (
      <div role="row" aria-rowindex={index + 2} className="absolute inset-x-0 top-0 flex items-center border-b border-line px-4" style={place}>
        <span role="cell" aria-label={findTexts.loadingRow} className="h-4 w-2/3 rounded bg-inset" />
      </div>
    );
  }
  const { upstream, tool, createdAt } = payment;
  return (
    <div role="row" aria-rowindex={index + 2} className={`absolute inset-x-0 top-0 ${ROW} overflow-hidden border-b border-line hover:bg-inset`} style={place}>
      <span role="cell">
        {/* The button's hit area is the whole row. */}
        <button type="button" aria-haspopup="dialog" className="rounded-full text-left after:absolute after:inset-0" onClick={() => onOpen(payment)}>
          <StatusBadge payment={payment} />
          <span className="sr-only">{texts.openDetails(tool)}</span>
        </button>
      </span>
      <span role="cell" className="min-w-0 overflow-hidden text-right">
        <PaymentAmount payment={payment} className="line-clamp-2 font-medium max-sm:max-w-40" />
      </span>
      <span role="cell" className="min-w-0 max-sm:col-span-2">
        <span className="block truncate">
          <Untrusted text={upstream} />
        </span>
        <span className="block truncate font-mono text-sm text-muted md:hidden">
          <Untrusted text={tool} />
        </span>
      </span>
      <span role="cell" className="min-w-0 truncate font-mono text-sm max-md:hidden">
        <Untrusted text={tool} />
      </span>
      <span role="cell" className="truncate text-sm whitespace-nowrap text-muted max-sm:absolute max-sm:right-4 max-sm:bottom-2 sm:text-right">
        <Moment at={createdAt} />
      </span>
    </div>
  );
});
