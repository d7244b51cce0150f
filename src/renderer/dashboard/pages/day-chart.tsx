import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { SpendingView } from '../../../shared/contract/payments.ts';
import { drawnUsd, formatUsd, formatUsdShort } from '../../format/money.ts';
import { formatDay } from '../../format/time.ts';

type Day = SpendingView['days'][number];

const TICK = { fill: 'var(--muted)', fontSize: 12 } as const;

/** Spending by day as bars. A picture: its frame names it, and the table beside it has the exact figures. */
export function DayChart({ days }: Pick<SpendingView, 'days'>) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart data={[...days]} margin={{ top: 4, right: 4, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="day" tickFormatter={formatDay} tick={TICK} tickLine={false} axisLine={{ stroke: 'var(--line)' }} minTickGap={24} />
        <YAxis width={52} tickFormatter={formatUsdShort} tick={TICK} tickLine={false} axisLine={false} />
        <Tooltip cursor={{ fill: 'var(--inset)' }} isAnimationActive={false} content={({ payload }) => <Hint day={payload[0]?.payload} />} />
        <Bar dataKey={({ units }: Day) => drawnUsd(units)} fill="var(--accent)" radius={[3, 3, 0, 0]} minPointSize={(value) => (value === 0 ? 0 : 2)} isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  );
}

function Hint({ day }: { readonly day: Day | undefined }) {
  if (!day) return undefined;
  return (
    <p className="rounded-lg border border-line bg-surface px-3 py-1.5 text-sm shadow-lg">
      {formatDay(day.day)} <span className="font-semibold tabular-nums">{formatUsd(day.units)}</span>
    </p>
  );
}
