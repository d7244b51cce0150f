import { createColumnHelper, useTable, type OnChangeFn, type Row, type SortingState } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { historyTexts as texts } from '../../texts/dashboard.ts';
import { findTexts } from '../../texts/history.ts';
import { counterparty } from '../../texts/parties.ts';
import { PaymentAmount } from '../parts/payment-amount.tsx';
import { ariaSort, sortable, SortHeader, type Sortable } from '../parts/sort-header.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useNarrow } from './use-narrow.ts';
import { PAGE_ROWS } from './use-payment-pages.ts';

/** Heights (px) of a row in the two layouts: all are alike, so that a place in a long history is known without drawing what is above it. */
const HEIGHT = { narrow: 108, wide: 56 };
const OVERSCAN = 8;

/** One row that is on screen; its payment is absent until its page was read. */
interface ShownRow {
  /** Place among all rows as they are sorted. */
  readonly index: number;
  readonly top: number;
  readonly payment: PaymentView | undefined;
}

const helper = createColumnHelper<Sortable, ShownRow>();
/** The ledger is read in the order of its time alone: any other would sort all of it for each page. */
const COLUMNS = helper.columns([
  helper.display({ id: 'status', header: texts.status }),
  helper.display({ id: 'amount', header: texts.amount }),
  helper.display({ id: 'server', header: texts.server }),
  helper.display({ id: 'tool', header: texts.tool }),
  helper.accessor(({ payment }) => payment?.createdAt, { id: 'time', enableSorting: true, header: ({ column }) => <SortHeader name={texts.time} column={column} /> }),
]);
const PLACES: Readonly<Record<string, string>> = { amount: 'text-right max-sm:sr-only', status: 'max-sm:sr-only', server: 'max-sm:sr-only', tool: 'max-md:sr-only', time: 'text-right max-sm:col-span-2' };

/** The two orders of the history, as the table has them. */
export const NEWEST_FIRST: SortingState = [{ id: 'time', desc: true }];
export const isOldestFirst = (sorting: SortingState): boolean => sorting[0]?.desc === false;

interface PaymentRowsProps {
  readonly count: number;
  /** The payment at a place, counted from the newest. */
  readonly rowAt: (place: number) => PaymentView | undefined;
  readonly onOpen: (payment: PaymentView) => void;
  /** First and last page that is on screen, counted from the newest payment. */
  readonly onPages: (from: number, to: number) => void;
  readonly sorting: SortingState;
  readonly onSorting: OnChangeFn<SortingState>;
}

/** Payments as a table of which only what is on screen is drawn. */
export function PaymentRows({ count, rowAt, onOpen, onPages, sorting, onSorting }: PaymentRowsProps) {
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

  const oldest = isOldestFirst(sorting);
  const placeOf = (index: number): number => (oldest ? count - 1 - index : index);
  const items = virtualizer.getVirtualItems();
  const pages = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0].map((index) => Math.floor(placeOf(index) / PAGE_ROWS));
  const [from, to] = [Math.min(...pages), Math.max(...pages)];
  useEffect(() => onPages(from, to), [from, to, onPages]);

  const shown = items.map(({ index, start }): ShownRow => ({ index, top: start - margin, payment: rowAt(placeOf(index)) }));
  const table = useTable({ features: sortable, columns: COLUMNS, data: shown, getRowId: ({ index }) => String(index), manualSorting: true, enableSortingRemoval: false, state: { sorting }, onSortingChange: onSorting });

  return (
    <div role="table" aria-label={texts.caption} aria-rowcount={count + 1} className="mt-4 overflow-clip rounded-2xl border border-line bg-surface">
      <div role="rowgroup">
        {table.getHeaderGroups().map((group) => (
          <div role="row" aria-rowindex={1} key={group.id} className={`${ROW} border-b border-line text-sm font-medium text-muted`}>
            {group.headers.map((header) => (
              <span role="columnheader" key={header.id} aria-sort={ariaSort(header.column)} className={PLACES[header.column.id]}>
                <table.FlexRender header={header} />
              </span>
            ))}
          </div>
        ))}
      </div>
      <div ref={list} role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {table.getRowModel().rows.map((row) => (
          <PaymentRow key={row.id} row={row} height={height} onOpen={onOpen} />
        ))}
      </div>
    </div>
  );
}

const ROW = 'grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 sm:grid-cols-[10.5rem_9rem_minmax(0,1fr)_auto] md:grid-cols-[10.5rem_9rem_minmax(0,1fr)_minmax(0,1.2fr)_8.5rem]';

interface PaymentRowProps {
  readonly row: Row<Sortable, ShownRow>;
  readonly height: number;
  readonly onOpen: (payment: PaymentView) => void;
}

/** The table makes its rows anew at each step of scrolling; one that shows the same is not drawn again. */
const isSame = (a: PaymentRowProps, b: PaymentRowProps): boolean =>
  a.height === b.height && a.onOpen === b.onOpen && a.row.original.top === b.row.original.top && a.row.original.payment === b.row.original.payment && a.row.original.index === b.row.original.index;

const PaymentRow = memo(function PaymentRow({ row, height, onOpen }: PaymentRowProps) {
  const { index, top, payment } = row.original;
  const place = { height, transform: `translateY(${top}px)` };
  if (!payment) {
    return (
      <div role="row" aria-rowindex={index + 2} className="absolute inset-x-0 top-0 flex items-center border-b border-line px-4" style={place}>
        <span role="cell" aria-label={findTexts.loadingRow} className="h-4 w-2/3 rounded bg-inset" />
      </div>
    );
  }
  const { tool, createdAt } = payment;
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
          <Untrusted text={counterparty(payment)} />
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
}, isSame);
