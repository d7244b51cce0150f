import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ActivityEntry } from '../../../shared/contract/activity.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { formatMoment } from '../../format/time.ts';
import { isLinkLost } from '../../client/link.ts';
import { activityTexts as texts, actName, authorName } from '../../texts/activity.ts';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Empty, Skeleton } from '../parts/card.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { LedgerCard } from './activity/ledger-card.tsx';
import { useSubjectWords } from './activity/use-subject-words.ts';
import { read, useLink, type RequestError } from '../server-state.tsx';

type ListPage = RouteOutput<'activity.list'>;

const AT_ONCE = 100;

function useActivity() {
  const link = useLink();
  return useInfiniteQuery<ListPage, RequestError, readonly ActivityEntry[], readonly unknown[], number>({
    queryKey: ['activity.list'],
    queryFn: ({ pageParam }) => read(link, 'activity.list', { offset: pageParam, limit: AT_ONCE }),
    initialPageParam: 0,
    getNextPageParam: ({ more }, pages) => (more ? pages.length * AT_ONCE : undefined),
    select: ({ pages }) => pages.flatMap(({ entries }) => entries),
  });
}

/** What was done beside payments, and whether the ledger is as it was written. */
export function ActivityPage() {
  const activity = useActivity();
  const words = useSubjectWords();
  const columns = useMemo(() => columnsOf(words), [words]);
  const lost = activity.error !== null && isLinkLost(activity.error.info);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 gap-4">
        <LedgerCard />
        {activity.error && !lost && <ErrorCallout error={activity.error.info} onRetry={() => void activity.refetch()} />}
        {!activity.data && (!activity.error || lost) && <Skeleton lines={9} />}
        {activity.data?.length === 0 && (
          <div className="rounded-2xl border border-line bg-surface p-5">
            <Empty title={texts.none} hint={texts.noneHint} />
          </div>
        )}
        {activity.data && activity.data.length > 0 && (
          <>
            <div className="rounded-2xl border border-line bg-surface px-5 py-4 max-sm:py-1">
              <DataTable label={texts.list} columns={columns} rows={activity.data} keyOf={({ id }) => id} sorted={NEWEST_FIRST} />
            </div>
            <div className="text-center text-sm text-muted">
              {activity.hasNextPage ? (
                <Button disabled={activity.isFetchingNextPage} onClick={() => void activity.fetchNextPage()}>
                  {texts.older}
                </Button>
              ) : (
                texts.end
              )}
            </div>
          </>
        )}
      </div>
    </Page>
  );
}

type SubjectWords = ReturnType<typeof useSubjectWords>;

const columnsOf = (words: SubjectWords): readonly TableColumn<ActivityEntry>[] => [
  { id: 'act', name: texts.what, cell: (entry) => <Act entry={entry} subject={words(entry)} />, sortBy: ({ act }) => actName(act), plain: true },
  { id: 'author', name: texts.author, cell: ({ author }) => <Untrusted text={authorName(author)} className="text-sm text-muted first-letter:uppercase inline-block sm:whitespace-nowrap" />, sortBy: ({ author }) => authorName(author) },
  {
    id: 'at',
    name: texts.at,
    end: true,
    sortBy: ({ at }) => at,
    cell: ({ at }) => (
      <time dateTime={new Date(at).toISOString()} className="text-sm text-muted tabular-nums sm:whitespace-nowrap">
        {formatMoment(at)}
      </time>
    ),
  },
];
const NEWEST_FIRST = { id: 'at', desc: true };

function Act({ entry: { act, outcome }, subject }: { readonly entry: ActivityEntry; readonly subject: string }) {
  return (
    <div className="max-h-32 min-w-0 overflow-auto">
      <span className="font-medium">{actName(act)}</span> {subject && <Untrusted text={subject} className="text-muted" />}
      {outcome && <p className="text-sm font-medium text-warn">{texts.refused(outcome)}</p>}
    </div>
  );
}
