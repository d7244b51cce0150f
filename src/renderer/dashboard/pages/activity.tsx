import { useInfiniteQuery } from '@tanstack/react-query';
import type { ActivityEntry } from '../../../shared/contract/activity.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { formatMoment } from '../../format/time.ts';
import { isLinkLost } from '../../client/link.ts';
import { activityTexts as texts, actName, authorName } from '../../texts/activity.ts';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded, Skeleton } from '../parts/card.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { read, useLink, useRead, type RequestError } from '../server-state.tsx';

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
              <DataTable label={texts.list} columns={COLUMNS} rows={activity.data} keyOf={({ id }) => id} sorted={NEWEST_FIRST} />
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

function LedgerCard() {
  const ledger = useRead('ledger.status', {});
  return (
    <Card title={texts.ledger}>
      <Loaded query={ledger} lines={1}>
        {({ findings, verified }) =>
          findings.length > 0 ? (
            <Callout tone="danger">
              <p>{texts.findings}</p>
              <ul className="mt-1 list-disc pl-5">
                {findings.map((finding) => (
                  <li key={finding}>
                    <Untrusted text={finding} />
                  </li>
                ))}
              </ul>
            </Callout>
          ) : (
            <p className="text-muted">{verified ? texts.whole : texts.unverified}</p>
          )
        }
      </Loaded>
    </Card>
  );
}

const COLUMNS: readonly TableColumn<ActivityEntry>[] = [
  { id: 'act', name: texts.what, cell: (entry) => <Act entry={entry} />, sortBy: ({ act }) => actName(act), plain: true },
  { id: 'author', name: texts.author, cell: ({ author }) => <Untrusted text={authorName(author)} className="text-sm text-muted first-letter:uppercase sm:block sm:whitespace-nowrap" />, sortBy: ({ author }) => authorName(author) },
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

function Act({ entry: { act, subject, outcome } }: { readonly entry: ActivityEntry }) {
  return (
    <div className="max-h-32 min-w-0 overflow-auto">
      <span className="font-medium">{actName(act)}</span> {subject && <Untrusted text={act === 'policy.version' ? texts.version(subject) : subject} className="text-muted" />}
      {outcome && <p className="text-sm font-medium text-warn">{texts.refused(outcome)}</p>}
    </div>
  );
}
