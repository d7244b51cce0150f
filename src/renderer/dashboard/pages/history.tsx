import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import type { PaymentView } from '../../../shared/contract/payments.ts';
import { isLinkLost } from '../../client/link.ts';
import { historyTexts as texts, overviewTexts } from '../../texts/dashboard.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Empty, Skeleton } from '../parts/card.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { PaymentAmount } from '../parts/payment-amount.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { CopyButton, Moment, Untrusted } from '../parts/texts.tsx';
import { read, useLink, type RequestError } from '../server-state.tsx';
import { PaymentDetails } from './payment-details.tsx';

type ListPage = RouteOutput<'payments.list'>;

/** Rows of the first page, which has to come fast, and of every further one. */
const FIRST_PAGE = 50;
const NEXT_PAGE = 200;

function useHistory() {
  const link = useLink();
  return useInfiniteQuery<ListPage, RequestError, readonly PaymentView[], readonly unknown[], string | undefined>({
    queryKey: ['payments.list', 'pages'],
    queryFn: ({ pageParam }) => read(link, 'payments.list', pageParam === undefined ? { limit: FIRST_PAGE } : { limit: NEXT_PAGE, before: pageParam }),
    initialPageParam: undefined,
    getNextPageParam: ({ payments, more }) => (more ? payments.at(-1)?.id : undefined),
    select: ({ pages }) => pages.flatMap(({ payments }) => payments),
  });
}

/** Every payment, newest first, with all that is known of it. */
export function HistoryPage() {
  const history = useHistory();
  const [openId, setOpenId] = useState<string>();
  const payments = history.data;
  // Looked up anew, so that an open drawer follows the payment's life.
  const open = payments?.find(({ id }) => id === openId);
  const lost = history.error !== null && isLinkLost(history.error.info);

  return (
    <Page title={texts.title}>
      {history.error && !lost && (
        <div className="mb-4">
          <ErrorCallout error={history.error.info} onRetry={() => void history.refetch()} />
        </div>
      )}
      {!payments && (!history.error || lost) && <Skeleton lines={9} />}
      {payments?.length === 0 && (
        <div className="rounded-2xl border border-line bg-surface p-5">
          <Empty title={overviewTexts.noPayments} hint={overviewTexts.noPaymentsHint}>
            <Link href="/connect" className={buttonClass()}>
              {overviewTexts.connect}
            </Link>
          </Empty>
        </div>
      )}
      {payments && payments.length > 0 && (
        <>
          <PaymentTable payments={payments} onOpen={setOpenId} />
          <div className="mt-4 text-center text-sm text-muted">
            {history.hasNextPage ? (
              <Button disabled={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
                {history.isFetchingNextPage ? texts.loadingOlder : texts.older}
              </Button>
            ) : (
              texts.end
            )}
          </div>
        </>
      )}
      <Dialog form="side" open={open !== undefined} title={texts.details} onClose={() => setOpenId(undefined)}>
        {open && <PaymentDetails payment={open} />}
      </Dialog>
    </Page>
  );
}

interface TableProps {
  readonly payments: readonly PaymentView[];
  readonly onOpen: (id: string) => void;
}

const HEAD = 'px-4 py-2.5 text-left text-sm font-medium text-muted';

function PaymentTable({ payments, onOpen }: TableProps) {
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-surface">
      <table className="w-full table-fixed border-collapse">
        <caption className="sr-only">{texts.caption}</caption>
        <thead className="border-b border-line">
          <tr>
            <th scope="col" className={`${HEAD} w-[58%] sm:w-44`}>
              {texts.status}
            </th>
            <th scope="col" className={`${HEAD} text-right sm:w-40`}>
              {texts.amount}
            </th>
            <th scope="col" className={`${HEAD} max-sm:hidden`}>
              {texts.server}
            </th>
            <th scope="col" className={`${HEAD} max-md:hidden`}>
              {texts.tool}
            </th>
            <th scope="col" className={`${HEAD} max-xl:hidden`}>
              {texts.transaction}
            </th>
            <th scope="col" className={`${HEAD} w-40 max-sm:hidden`}>
              {texts.time}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {payments.map((payment) => (
            <PaymentRow key={payment.id} payment={payment} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const CELL = 'px-4 py-3 align-top';

function PaymentRow({ payment, onOpen }: { readonly payment: PaymentView; readonly onOpen: (id: string) => void }) {
  const { id, upstream, tool, transaction, createdAt } = payment;
  return (
    <tr className="relative hover:bg-inset">
      <td className={CELL}>
        {/* The button's hit area is the whole row; the copy button lies above it. */}
        <button type="button" aria-haspopup="dialog" className="rounded-full text-left after:absolute after:inset-0" onClick={() => onOpen(id)}>
          <StatusBadge payment={payment} />
          <span className="sr-only">{texts.openDetails(tool)}</span>
        </button>
        <p className="mt-1.5 line-clamp-2 text-sm sm:hidden">
          <Untrusted text={upstream} /> <Untrusted text={tool} className="font-mono text-muted" />
        </p>
        <p className="text-sm text-muted sm:hidden">
          <Moment at={createdAt} />
        </p>
      </td>
      <td className={`${CELL} text-right`}>
        <PaymentAmount payment={payment} className="font-medium" />
      </td>
      <td className={`${CELL} max-sm:hidden`}>
        <span className="line-clamp-2">
          <Untrusted text={upstream} />
        </span>
        <span className="line-clamp-2 font-mono text-sm text-muted md:hidden">
          <Untrusted text={tool} />
        </span>
      </td>
      <td className={`${CELL} max-md:hidden`}>
        <span className="line-clamp-2 font-mono text-sm">
          <Untrusted text={tool} />
        </span>
      </td>
      <td className={`${CELL} max-xl:hidden`}>
        {transaction ? (
          <span className="flex items-center gap-1">
            <bdi dir="ltr" title={transaction} className="truncate font-mono text-sm">
              {transaction}
            </bdi>
            <span className="relative z-10">
              <CopyButton text={transaction} what={texts.transaction.toLowerCase()} />
            </span>
          </span>
        ) : (
          <span className="text-muted">{texts.none}</span>
        )}
      </td>
      <td className={`${CELL} text-sm whitespace-nowrap text-muted max-sm:hidden`}>
        <Moment at={createdAt} />
      </td>
    </tr>
  );
}
