import { createSortedRowModel, rowSortingFeature, tableFeatures, type Column_RowSorting, type RowData } from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { tableTexts as texts } from '../../texts/table.ts';

/** What the tables of the pages can do: be put in order by a column. */
export const sortable = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
export type Sortable = typeof sortable;

/** What of a column says how the table is sorted. */
type SortColumn = Pick<Column_RowSorting<Sortable, RowData>, 'getCanSort' | 'getIsSorted' | 'toggleSorting'>;

const WORDS = { asc: 'ascending', desc: 'descending' } as const;

/** `aria-sort` of a column; absent where the table cannot be sorted by it. */
export function ariaSort(column: SortColumn): 'ascending' | 'descending' | 'none' | undefined {
  const sorted = column.getIsSorted();
  return column.getCanSort() ? (sorted === false ? 'none' : WORDS[sorted]) : undefined;
}

/** A column's name; a button where the table can be sorted by it. */
export function SortHeader({ name, column }: { readonly name: string; readonly column: SortColumn }) {
  if (!column.getCanSort()) return name;
  const sorted = column.getIsSorted();
  const Icon = sorted === 'asc' ? ArrowUp : sorted === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <button type="button" title={texts.sortBy(name)} className={`-mx-1.5 inline-flex items-center gap-1 whitespace-nowrap rounded-md px-1.5 py-0.5 font-medium hover:bg-inset hover:text-ink ${sorted === false ? '' : 'text-ink'}`} onClick={() => column.toggleSorting()}>
      {name}
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
    </button>
  );
}
