import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { isLinkLost } from '../../client/link.ts';
import { historyTexts as texts, overviewTexts } from '../../texts/dashboard.ts';
import { findTexts } from '../../texts/history.ts';
import { ExportButtons } from '../history/export-buttons.tsx';
import { FilterBar } from '../history/filter-bar.tsx';
import { filterOf, NO_FILTER } from '../history/filter-draft.ts';
import { NEWEST_FIRST, PaymentRows } from '../history/payment-rows.tsx';
import { Totals } from '../history/totals.tsx';
import { usePaymentPages } from '../history/use-payment-pages.ts';
import { useSettled, useThrottled } from '../history/use-slowly.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Empty, Skeleton } from '../parts/card.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { PaymentDetails } from './payment-details.tsx';

/** A search begins when its reader stops typing for so long (ms). */
const TYPING = 250;
/** Pages that are scrolled past are not read: one look in so many milliseconds is. */
const SCROLLING = 120;

/** Every payment, newest first: found by filters, added up, exported, and each with all that is known of it. */
export function HistoryPage() {
  const [draft, setDraft] = useState(NO_FILTER);
  const settled = useSettled(draft, TYPING);
  const filter = useMemo(() => filterOf(settled), [settled]);
  const [range, setRange] = useState('0:0');
  const onPages = useCallback((from: number, to: number) => setRange(`${from}:${to}`), []);
  const [from = 0, to = 0] = useThrottled(range, SCROLLING).split(':').map(Number);
  const { first, rowAt, rowOf } = usePaymentPages(filter, from, to);
  const [sorting, setSorting] = useState(NEWEST_FIRST);
  const [opened, setOpened] = useState<PaymentView>();
  // Looked up anew, so that an open drawer follows the payment's life.
  const open = opened && (rowOf(opened.id) ?? opened);
  const lost = first.error !== null && isLinkLost(first.error.info);
  const isFiltered = Object.keys(filter).length > 0;
  const count = first.data?.count ?? 0;

  return (
    <Page title={texts.title}>
      {first.error && !lost && (
        <div className="mb-4">
          <ErrorCallout error={first.error.info} onRetry={() => void first.refetch()} />
        </div>
      )}
      {first.data && (count > 0 || isFiltered) && <FilterBar draft={draft} onChange={setDraft} />}
      {!first.data && (!first.error || lost) && <Skeleton lines={9} />}
      {first.data && count === 0 && !isFiltered && (
        <Panel>
          <Empty title={overviewTexts.noPayments} hint={overviewTexts.noPaymentsHint}>
            <Link href="/connect" className={buttonClass()}>
              {overviewTexts.connect}
            </Link>
          </Empty>
        </Panel>
      )}
      {first.data && count === 0 && isFiltered && (
        <Panel>
          <Empty title={findTexts.none} hint={findTexts.noneHint}>
            <Button onClick={() => setDraft(NO_FILTER)}>{findTexts.clear}</Button>
          </Empty>
        </Panel>
      )}
      {count > 0 && (
        <>
          <Totals filter={filter} count={count} aside={<ExportButtons filter={filter} />} />
          <PaymentRows count={count} rowAt={rowAt} onOpen={setOpened} onPages={onPages} sorting={sorting} onSorting={setSorting} />
        </>
      )}
      <Dialog form="side" open={open !== undefined} title={texts.details} onClose={() => setOpened(undefined)}>
        {open && <PaymentDetails payment={open} />}
      </Dialog>
    </Page>
  );
}

const Panel = ({ children }: { readonly children: ReactNode }) => <div className="rounded-2xl border border-line bg-surface p-5">{children}</div>;
