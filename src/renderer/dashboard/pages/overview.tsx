import { Link } from 'wouter';
import type { AppStatus } from '../../../shared/contract/app.ts';
import type { SpendView } from '../../../shared/contract/payments.ts';
import type { WaitingView } from '../../../shared/contract/approvals.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCountdown } from '../../format/time.ts';
import { overviewTexts as texts } from '../../texts/dashboard.ts';
import { askedBy, counterparty, serverName } from '../../texts/parties.ts';
import { Callout } from '../parts/callout.tsx';
import { Card, Loaded } from '../parts/card.tsx';
import { Gauge } from '../parts/gauge.tsx';
import { OpenApprovals } from '../parts/open-approvals.tsx';
import { Page } from '../parts/page.tsx';
import { Amount, Untrusted } from '../parts/texts.tsx';
import { useNow } from '../parts/use-now.ts';
import { useRead } from '../server-state.tsx';
import { Balances } from './balances.tsx';
import { FirstSteps } from './onboarding/onboarding.tsx';
import { RECENT_PAYMENTS, RecentPayments } from './recent-payments.tsx';
import { Spending } from './spending.tsx';

/** What there is, what was spent, what waits. */
export function OverviewPage() {
  const status = useRead('app.status', {});
  const spend = useRead('payments.spend', {});
  const waiting = useRead('approvals.waiting', {});
  const isNew = useRead('payments.list', { limit: RECENT_PAYMENTS }).data?.payments.length === 0;
  return (
    <Page title={texts.title}>
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        {status.data && <Warnings status={status.data} />}
        {status.data?.environment === 'sandbox' && status.data.keys.passphraseBeside && (
          <div className="md:col-span-2">
            <Callout tone="info">{texts.playKeys}</Callout>
          </div>
        )}
        <FirstSteps />
        <Card title={texts.waiting} className={waiting.data?.waiting.length ? 'border-accent md:col-span-2' : 'md:col-span-2'} aside={waiting.data?.waiting.length ? <OpenApprovals label={texts.openApprovals} kind="primary" /> : undefined}>
          <Loaded query={waiting} lines={1}>
            {(value) => <Waiting waiting={value.waiting} />}
          </Loaded>
        </Card>
        <Card title={texts.today} className="md:col-span-2">
          <Loaded query={spend}>
            {(value) => (
              <div className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
                <Today spend={value} />
                <section aria-label={texts.perServer}>
                  <h3 className="mb-2 text-sm text-muted">{texts.perServer}</h3>
                  <PerServer spend={value} />
                </section>
              </div>
            )}
          </Loaded>
        </Card>
        {!isNew && <Spending />}
        <Balances />
        <RecentPayments />
      </div>
    </Page>
  );
}

function Warnings({ status }: { readonly status: AppStatus }) {
  const unreachable = status.networks.filter(({ reachable }) => !reachable).map(({ name }) => texts.unreachable(name));
  const all = [...status.warnings, ...unreachable];
  if (all.length === 0) return undefined;
  return (
    <section aria-label={texts.warnings} className="md:col-span-2">
      <Callout tone="warn">
        <p className="font-semibold">{texts.warnings}</p>
        <ul className="mt-1 grid gap-1">
          {all.map((warning) => (
            <li key={warning}>
              <Untrusted text={warning} />
            </li>
          ))}
        </ul>
      </Callout>
    </section>
  );
}


function Waiting({ waiting }: { readonly waiting: readonly WaitingView[] }) {
  const now = useNow(1_000);
  if (waiting.length === 0) return <p className="text-muted">{texts.noWaiting}</p>;
  return (
    <ul className="divide-y divide-line">
      {waiting.map(({ paymentId, money, upstream, tool, client, expiresAt }) => (
        <li key={paymentId} className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 py-2 first:pt-0 last:pb-0">
          <div className="max-h-24 min-w-0 overflow-auto">
            <Amount money={money} className="font-semibold" /> <span className="text-muted">·</span> <Untrusted text={counterparty({ upstream })} /> <span className="text-muted">·</span>{' '}
            <Untrusted text={tool} className="font-mono text-sm" />
          </div>
          <p className="text-sm text-muted">
            <Untrusted text={askedBy(client)} />, <span className="tabular-nums">{texts.expiresIn(formatCountdown(expiresAt - now))}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Longest figure that still stands in the large size. */
const LARGE = 14;

function Today({ spend }: { readonly spend: SpendView }) {
  const used = BigInt(spend.todayUnits);
  const figure = formatUsd(used);
  const limit = spend.dayCapUnits === undefined ? undefined : BigInt(spend.dayCapUnits);
  return (
    <div className="grid grid-cols-1 content-start gap-3 wrap-anywhere">
      <p className="tabular-nums">
        <span className={`font-semibold tracking-tight ${figure.length <= LARGE ? 'text-4xl' : 'text-xl'}`}>{figure}</span>{' '}
        {limit !== undefined && <span className="text-muted">{texts.ofLimit(formatUsd(limit))}</span>}
      </p>
      {limit === undefined ? (
        <p className="text-muted">
          {texts.noDayLimit}{' '}
          <Link href="/budgets" className="font-medium text-accent underline underline-offset-2">
            {texts.setLimit}
          </Link>
        </p>
      ) : (
        <>
          <Gauge label={texts.gauge} used={used} limit={limit} />
          <p className="text-sm text-muted tabular-nums">{texts.left(formatUsd(limit > used ? limit - used : 0n))}</p>
        </>
      )}
      <p className="text-sm text-muted">{texts.todayNote}</p>
    </div>
  );
}

function PerServer({ spend }: { readonly spend: SpendView }) {
  if (spend.byUpstream.length === 0) return <p className="text-muted">{texts.noSpend}</p>;
  const total = BigInt(spend.todayUnits);
  return (
    <ul className="grid grid-cols-1 content-start gap-x-8 gap-y-3 xl:grid-cols-2">
      {spend.byUpstream.map(({ upstream, todayUnits, dayCapUnits }) => (
        <li key={upstream}>
          <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
            <Untrusted text={serverName(upstream)} className="font-medium" />
            <span className="text-sm tabular-nums wrap-anywhere">
              {formatUsd(todayUnits)} {dayCapUnits !== undefined && <span className="text-muted">{texts.ofLimit(formatUsd(dayCapUnits))}</span>}
            </span>
          </div>
          <Gauge label={`${texts.gauge}: ${serverName(upstream)}`} used={BigInt(todayUnits)} limit={dayCapUnits === undefined ? total : BigInt(dayCapUnits)} share={dayCapUnits === undefined} size="small" />
        </li>
      ))}
    </ul>
  );
}
