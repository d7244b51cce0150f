import { useState } from 'react';
import type { ListingView, SourceView } from '../../../shared/contract/discovery.ts';
import { discoverTexts as texts } from '../../texts/discover.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { OwnCommandLine } from '../parts/command-line.tsx';
import { TextField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { ApproveDialog } from './approve-dialog.tsx';
import { ApprovedCard } from './approved-card.tsx';
import { GroupsCard } from './groups-card.tsx';
import { ListedPrices } from './listed-prices.tsx';

const PAGE = 25;
const MOST = 100;

/** Paid APIs that Bazaars list, and those that agents may use as tools. */
export function DiscoverPage() {
  const [draft, setDraft] = useState('');
  const [query, setQuery] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const [approving, setApproving] = useState<ListingView>();
  const found = useRead('discovery.search', { query, limit });
  const readAnew = useAct('discovery.search');

  function submit() {
    setQuery(draft.trim());
    setLimit(PAGE);
  }

  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card title={query === '' ? texts.latest : texts.found(query)}>
          <form
            role="search"
            className="mb-4 flex items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
            <div className="grow">
              <TextField label={texts.search} value={draft} onChange={setDraft} placeholder={texts.placeholder} maxLength={200} />
            </div>
            <Button type="submit" kind="primary">
              {texts.find}
            </Button>
          </form>
          <Loaded query={found} lines={8}>
            {({ listings, more }) => (
              <>
                {listings.length === 0 ? (
                  <Empty title={query === '' ? texts.empty : texts.none} hint={query === '' ? texts.emptyHint : texts.noneHint} />
                ) : (
                  <ul className="divide-y divide-line">
                    {listings.map((listing) => (
                      <Result key={`${listing.method} ${listing.url}`} listing={listing} onApprove={() => setApproving(listing)} />
                    ))}
                  </ul>
                )}
                {more && limit < MOST && (
                  <Button className="mt-4 w-full" onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>
                    {texts.more}
                  </Button>
                )}
                {more && limit >= MOST && <p className="mt-4 text-sm text-muted">{texts.tooMany}</p>}
              </>
            )}
          </Loaded>
        </Card>
        <div className="grid min-w-0 gap-4">
          <ApprovedCard />
          <GroupsCard />
          {found.data && <SourcesCard sources={found.data.sources} isReading={readAnew.isPending} onRead={() => readAnew.mutate({ query, limit, refresh: 'all' })} />}
        </div>
      </div>
      <ApproveDialog listing={approving} onClose={() => setApproving(undefined)} />
    </Page>
  );
}

function Result({ listing, onApprove }: { readonly listing: ListingView; readonly onApprove: () => void }) {
  const { url, method, host, name, description, approvedFor } = listing;
  const seller = name === '' ? host : name;
  return (
    <li className="py-3.5 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 grow basis-60">
          <p className="line-clamp-3 font-medium">
            <Untrusted text={description === '' ? seller : description} />
          </p>
          {description !== '' && (
            <p className="text-sm text-muted">
              <Untrusted text={seller} />
            </p>
          )}
          <p className="text-sm text-muted">
            <span className="font-mono">{method} </span>
            <Untrusted text={url} className="font-mono" />
          </p>
          <p className="mt-1 text-sm">
            <ListedPrices prices={listing.prices} />
          </p>
          {approvedFor.length > 0 && <p className="mt-1 text-sm text-ok">{texts.approvedFor(approvedFor.join(', '))}</p>}
        </div>
        <Button onClick={onApprove} aria-label={texts.approveNamed(url)}>
          {approvedFor.length > 0 ? texts.approveAgain : texts.approve}
        </Button>
      </div>
    </li>
  );
}

interface SourcesCardProps {
  readonly sources: readonly SourceView[];
  readonly isReading: boolean;
  readonly onRead: () => void;
}

/** The lists, and how old what they said is. */
function SourcesCard({ sources, isReading, onRead }: SourcesCardProps) {
  const busy = isReading || sources.some(({ reading }) => reading);
  return (
    <Card title={texts.sources}>
      {sources.length === 0 ? (
        <Empty title={texts.noSources} hint={texts.noSourcesHint}>
          <OwnCommandLine words={texts.noSourcesCommand} what={texts.noSourcesWhat} />
        </Empty>
      ) : (
        <>
          <ul className="grid gap-3">
            {sources.map((source) => (
              <li key={source.url}>
                <Untrusted text={source.url} className="font-mono text-sm" />
                <p className="text-sm text-muted">
                  {texts.entries(source.entries)}
                  {', '}
                  {source.fetchedAt === undefined ? (
                    texts.neverRead
                  ) : (
                    <>
                      {texts.readAt} <Moment at={source.fetchedAt} />
                    </>
                  )}
                  {source.skipped > 0 && `, ${texts.skipped(source.skipped)}`}
                  {source.leftOut && `, ${texts.leftOut}`}
                </p>
                {source.problem !== '' && (
                  <p className="text-sm text-warn">
                    <Untrusted text={source.problem} />
                  </p>
                )}
              </li>
            ))}
          </ul>
          <Button className="mt-4" disabled={busy} onClick={onRead}>
            {busy ? texts.reading : texts.read}
          </Button>
        </>
      )}
    </Card>
  );
}
