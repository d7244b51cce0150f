import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import type { SpendingView } from '../../../shared/contract/payments.ts';
import { formatUsd, formatUsdShort, perMille, roundScale } from '../../format/money.ts';
import { formatDay } from '../../format/time.ts';

/** The scale's end is a thousand high: an amount becomes a number for drawing alone. */
const TOP = 1000;
/** A bar below this could not be seen. */
const SMALLEST = 12;

const TICK = { fill: 'var(--muted)', fontSize: 12 };

/** Spending by day as bars: a picture with a name; arrow keys go from day to day. The exact figures stand in a table beside it. */
export function DayBars({ days, label }: Pick<SpendingView, 'days'> & { readonly label: string }) {
  const scale = roundScale(days.reduce((most, { units }) => (BigInt(units) > most ? BigInt(units) : most), 0n));
  const bars = days.map(({ day, units }) => ({ day, height: BigInt(units) > 0n ? Math.max(SMALLEST, perMille(BigInt(units), scale)) : 0 }));
  const amounts = new Map(days.map(({ day, units }) => [day, units]));
  return (
    <BarChart responsive data={bars} role="img" aria-label={label} className="h-52 w-full rounded-lg text-xs tabular-nums" margin={MARGIN} barCategoryGap="22%">
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis dataKey="day" tickFormatter={formatDay} minTickGap={36} tickLine={false} axisLine={false} tick={TICK} />
      <YAxis domain={[0, TOP]} ticks={[0, TOP / 2, TOP]} tickFormatter={(height: number) => formatUsdShort((scale * BigInt(height)) / BigInt(TOP))} width={52} tickLine={false} axisLine={false} tick={TICK} />
      <Tooltip
        cursor={{ fill: 'var(--inset)' }}
        isAnimationActive={false}
        content={({ active, label: day }) => {
          const amount = typeof day === 'string' && active ? amounts.get(day) : undefined;
          return amount === undefined || typeof day !== 'string' ? null : (
            <p className="rounded-lg bg-ink px-2.5 py-1.5 text-canvas shadow-lg">
              {formatDay(day)} <span className="font-semibold">{formatUsd(amount)}</span>
            </p>
          );
        }}
      />
      <Bar dataKey="height" fill="var(--accent)" radius={RADIUS} isAnimationActive={false} />
    </BarChart>
  );
}

const MARGIN = { top: 8, right: 4, bottom: 0, left: 0 };
const RADIUS: [number, number, number, number] = [3, 3, 0, 0];
