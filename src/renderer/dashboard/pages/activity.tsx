import { useInfiniteQuery } from '@tanstack/react-query';
import type { ActivityEntry } from '../../../shared/contract/activity.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { formatMoment } from '../../format/time.ts';
import { isLinkLost } from '../../client/link.ts';
import { activityTexts as texts, actName } from '../../texts/activity.ts';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded, Skeleton } from '../parts/card.tsx';
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
            <ul aria-label={texts.list} className="divide-y divide-line rounded-2xl border border-line bg-surface px-5">
              {activity.data.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ul>
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

function Entry({ entry: { at, author, act, subject, outcome } }: { readonly entry: ActivityEntry }) {
  return (
    <li className="grid gap-x-6 py-3 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="max-h-32 min-w-0 overflow-auto">
        <span className="font-medium">{actName(act)}</span>{' '}
        {subject && <Untrusted text={act === 'policy.version' ? texts.version(subject) : subject} className="text-muted" />}
        {outcome && <p className="text-sm font-medium text-warn">{texts.refused(outcome)}</p>}
      </div>
      <p className="text-sm text-muted sm:text-right">
        <Untrusted text={author} />
        <time dateTime={new Date(at).toISOString()} className="block">
          {formatMoment(at)}
        </time>
      </p>
    </li>
  );
}
