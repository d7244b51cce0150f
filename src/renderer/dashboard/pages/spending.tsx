import { useMemo } from 'react';
import type { SpendingView } from '../../../shared/contract/payments.ts';
import { formatShare, formatUsd, perMille } from '../../format/money.ts';
import { formatDay } from '../../format/time.ts';
import { spendingTexts as texts } from '../../texts/spending.ts';
import { serverName } from '../../texts/parties.ts';
import { ChartRoom, DayBars, ShareRing } from '../charts/lazy-charts.tsx';
import { Card, Loaded } from '../parts/card.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

const DAYS = 30;

/** What was spent in the last days, by day and by server. */
export function Spending() {
  const spending = useRead('payments.spending', { days: DAYS });
  return (
    <Card title={texts.title} className="md:col-span-2">
      <Loaded query={spending} lines={6}>
        {(value) => <Charts spending={value} />}
      </Loaded>
    </Card>
  );
}

function Charts({ spending: { days, servers } }: { readonly spending: SpendingView }) {
  const total = days.reduce((sum, { units }) => sum + BigInt(units), 0n);
  if (total === 0n) return <p className="text-muted">{texts.none}</p>;
  return (
    <>
      <p className="font-medium tabular-nums wrap-anywhere">{texts.total(formatUsd(total))}</p>
      <div className="mt-3 grid grid-cols-1 gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <section aria-label={texts.perDay} className="min-w-0">
          <h3 className="mb-2 text-sm text-muted">{texts.perDay}</h3>
          <ChartRoom className="h-52">
            <DayBars days={days} label={texts.chart(formatUsd(total), days.length)} />
          </ChartRoom>
          <DayTable days={days} />
        </section>
        <section aria-label={texts.perServer} className="min-w-0">
          <h3 className="mb-2 text-sm text-muted">{texts.perServer}</h3>
          <Servers servers={servers} total={total} />
        </section>
      </div>
    </>
  );
}

/** The chart's figures, exact and for every reader. */
function DayTable({ days }: Pick<SpendingView, 'days'>) {
  const spent = useMemo(() => days.filter(({ units }) => units !== '0'), [days]);
  return (
    <details className="mt-2 text-sm">
      <summary className="mb-2 text-muted">{texts.table}</summary>
      <DataTable label={texts.caption} columns={DAY_COLUMNS} rows={spent} keyOf={({ day }) => day} sorted={NEWEST_FIRST} />
    </details>
  );
}

type Day = SpendingView['days'][number];

const DAY_COLUMNS: readonly TableColumn<Day>[] = [
  { id: 'day', name: texts.day, cell: ({ day }) => formatDay(day), sortBy: ({ day }) => day, plain: true },
  { id: 'amount', name: texts.amount, cell: ({ units }) => <span className="wrap-anywhere tabular-nums">{formatUsd(units)}</span>, sortBy: ({ units }) => BigInt(units), end: true, plain: true },
];
const NEWEST_FIRST = { id: 'day', desc: true };

/** Colours of the ring and of the dots in the list; the last stands for all that have none of their own. */
const COLOURS = [
  { fill: 'var(--chart-1)', dot: 'bg-chart-1' },
  { fill: 'var(--chart-2)', dot: 'bg-chart-2' },
  { fill: 'var(--chart-3)', dot: 'bg-chart-3' },
  { fill: 'var(--chart-4)', dot: 'bg-chart-4' },
  { fill: 'var(--chart-5)', dot: 'bg-chart-5' },
  { fill: 'var(--control)', dot: 'bg-control' },
] as const;

/** A ring, and a list with every name in full and every figure. */
function Servers({ servers, total }: Pick<SpendingView, 'servers'> & { readonly total: bigint }) {
  const own = servers.slice(0, COLOURS.length - 1);
  const rest = servers.slice(COLOURS.length - 1);
  const parts = [
    ...own.map(({ upstream, units }) => ({ name: serverName(upstream), units: BigInt(units) })),
    ...(rest.length > 0 ? [{ name: texts.others(rest.length), units: rest.reduce((sum, { units }) => sum + BigInt(units), 0n) }] : []),
  ].map((part, place) => ({ ...part, share: perMille(part.units, total), ...(COLOURS[place] ?? COLOURS[COLOURS.length - 1]!) }));
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-4">
      <ChartRoom className="size-36">
        <ShareRing shares={parts} />
      </ChartRoom>
      <ul className="grid min-w-48 grow grid-cols-1 gap-2">
        {parts.map(({ name, units, share, dot }) => (
          <li key={name} className="flex items-baseline gap-x-2.5 text-sm">
            <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-full ${dot}`} />
            <Untrusted text={name} className="min-w-0 grow font-medium" />
            <span className="text-right tabular-nums wrap-anywhere">
              {formatUsd(units)} <span className="text-muted">{formatShare(share)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
