import { createColumnHelper, useTable, type RowData, type SortingState } from '@tanstack/react-table';
import { useMemo, type ReactNode } from 'react';
import { ariaSort, sortable, SortHeader, type Sortable } from './sort-header.tsx';

/** One column of a table. */
export interface TableColumn<T> {
  readonly id: string;
  readonly name: string;
  readonly cell: (row: T) => ReactNode;
  /** What the rows are sorted by; a column without it does not sort. */
  readonly sortBy?: (row: T) => string | number | bigint;
  /** Figures and moments stand at the right. */
  readonly end?: boolean;
  /** On a narrow window cells stand below each other; this one has no need of its column's name there. */
  readonly plain?: boolean;
}

interface DataTableProps<T> {
  /** What the table shows, for who cannot see it. */
  readonly label: string;
  /** Stays the same object from one drawing to the next. */
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** How it is sorted at first. */
  readonly sorted?: { readonly id: string; readonly desc: boolean };
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  const [left, right] = [a as number | bigint, b as number | bigint];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Rows in columns, sorted by the columns' names; on a narrow window each row's cells stand below each other. */
export function DataTable<T extends RowData>({ label, columns, rows, keyOf, sorted }: DataTableProps<T>) {
  const definitions = useMemo(() => {
    const helper = createColumnHelper<Sortable, T>();
    return columns.map(({ id, name, cell, sortBy }) =>
      helper.accessor((row): unknown => sortBy?.(row), {
        id,
        enableSorting: sortBy !== undefined,
        sortFn: (a, b, by) => compare(a.getValue(by), b.getValue(by)),
        header: ({ column }) => <SortHeader name={name} column={column} />,
        cell: ({ row }) => cell(row.original),
      }),
    );
  }, [columns]);
  const table = useTable({ features: sortable, columns: definitions, data: rows, getRowId: keyOf, enableSortingRemoval: false, initialState: { sorting: sorted ? [sorted] : NOT_SORTED } });

  const looks = new Map(columns.map((column) => [column.id, column]));
  // The roles are what the elements have by themselves, but for browsers that take them away where a table is no longer drawn as one.
  return (
    <table role="table" aria-label={label} className="w-full max-sm:block">
      <thead role="rowgroup" className="max-sm:hidden">
        {table.getHeaderGroups().map((group) => (
          <tr role="row" key={group.id} className="border-b border-line text-left text-sm text-muted">
            {group.headers.map((header) => (
              <th role="columnheader" key={header.id} scope="col" aria-sort={ariaSort(header.column)} className={`pr-6 pb-2 font-medium last:pr-0 ${looks.get(header.column.id)?.end ? 'text-right' : ''}`}>
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody role="rowgroup" className="divide-y divide-line max-sm:block">
        {table.getRowModel().rows.map((row) => (
          <tr role="row" key={row.id} className="align-top max-sm:grid max-sm:gap-1.5 max-sm:py-3">
            {row.getAllCells().map((cell) => (
              <td role="cell" key={cell.id} className={`sm:py-2.5 sm:pr-6 sm:last:pr-0 ${looks.get(cell.column.id)?.end ? 'sm:text-right' : ''}`}>
                {!looks.get(cell.column.id)?.plain && (
                  <span aria-hidden="true" className="mr-2 text-sm text-muted sm:hidden">
                    {looks.get(cell.column.id)?.name}
                  </span>
                )}
                <table.FlexRender cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NOT_SORTED: SortingState = [];
