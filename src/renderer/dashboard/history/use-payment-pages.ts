import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useRef } from 'react';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import type { PaymentFilter, PaymentView } from '../../../shared/contract/payments.ts';
import { read, useLink, type RequestError } from '../server-state.tsx';

type Found = RouteOutput<'payments.find'>;

/** Rows that are read at once. */
export const PAGE_ROWS = 100;

/** Pages out of sight are let go after so long (ms): a long history is never held as a whole. */
const KEPT = 20_000;

export interface PaymentPages {
  readonly first: UseQueryResult<Found, RequestError>;
  /** The row at a place, once its page was read. */
  rowAt(index: number): PaymentView | undefined;
  /** A row that was read, by its id. */
  rowOf(id: string): PaymentView | undefined;
}

/** The pages of a filter that are on screen, the first one always. All name the newest payment of the first, so that none shifts another. */
export function usePaymentPages(filter: PaymentFilter, from: number, to: number): PaymentPages {
  const link = useLink();
  const first = useQuery<Found, RequestError>({
    queryKey: ['payments.find', filter],
    queryFn: () => read(link, 'payments.find', { filter, limit: PAGE_ROWS }),
    placeholderData: keepPreviousData,
  });
  const newest = first.data?.newest;
  const shown = useRef(new Map<number, Found>());
  const wanted = Array.from({ length: Math.max(0, to - Math.max(1, from) + 1) }, (_, index) => Math.max(1, from) + index);
  const others = useQueries({
    queries: wanted.map((page) => ({
      queryKey: ['payments.find', filter, newest, page],
      queryFn: () => read(link, 'payments.find', { filter, limit: PAGE_ROWS, offset: page * PAGE_ROWS, ...(newest !== undefined && { newest }) }),
      enabled: newest !== undefined && !first.isPlaceholderData,
      gcTime: KEPT,
    })),
  });

  // A page that is read anew because something was paid shows what it showed until its answer is there.
  const pages = new Map<number, Found>(first.data ? [[0, first.data]] : []);
  for (const [index, page] of wanted.entries()) {
    const found = others[index]?.data ?? (first.isPlaceholderData ? undefined : shown.current.get(page));
    if (found) pages.set(page, found);
  }
  shown.current = pages;

  return {
    first,
    rowAt: (index) => pages.get(Math.floor(index / PAGE_ROWS))?.payments[index % PAGE_ROWS],
    rowOf: (id) => [...pages.values()].flatMap(({ payments }) => payments).find((payment) => payment.id === id),
  };
}
