import type { SpendingView } from '../../../shared/contract/payments.ts';
import { formatUsd } from '../../format/money.ts';
import { formatDay } from '../../format/time.ts';
import { spendingTexts as texts } from '../../texts/spending.ts';
import { Card, Loaded } from '../parts/card.tsx';
import { Gauge } from '../parts/gauge.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { DayChart } from './day-chart.tsx';

const DAYS = 30;
/** Servers that have a bar of their own. */
const MOST_SERVERS = 8;

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
          <DayChart days={days} label={texts.chart(formatUsd(total), days.length)} />
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
  return (
    <details className="mt-2 text-sm">
      <summary className="text-muted">{texts.table}</summary>
      <table className="mt-1 w-full tabular-nums">
        <caption className="sr-only">{texts.caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-muted">
            <th scope="col" className="py-1 font-medium">
              {texts.day}
            </th>
            <th scope="col" className="py-1 text-right font-medium">
              {texts.amount}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {days
            .filter(({ units }) => units !== '0')
            .toReversed()
            .map(({ day, units }) => (
              <tr key={day}>
                <th scope="row" className="py-1 text-left font-normal">
                  {formatDay(day)}
                </th>
                <td className="py-1 text-right wrap-anywhere">{formatUsd(units)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}

/** Horizontal bars in a list, so that a long name breaks and every figure can be read aloud. */
function Servers({ servers, total }: Pick<SpendingView, 'servers'> & { readonly total: bigint }) {
  const own = servers.slice(0, MOST_SERVERS);
  const rest = servers.slice(MOST_SERVERS);
  const bars = [
    ...own.map(({ upstream, units }) => ({ name: upstream, units: BigInt(units) })),
    ...(rest.length > 0 ? [{ name: texts.others(rest.length), units: rest.reduce((sum, { units }) => sum + BigInt(units), 0n) }] : []),
  ];
  return (
    <ul className="grid grid-cols-1 gap-3">
      {bars.map(({ name, units }) => (
        <li key={name}>
          <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
            <Untrusted text={name} className="font-medium" />
            <span className="tabular-nums wrap-anywhere">{formatUsd(units)}</span>
          </div>
          <Gauge label={texts.share(name)} used={units} limit={total} share />
        </li>
      ))}
    </ul>
  );
}
