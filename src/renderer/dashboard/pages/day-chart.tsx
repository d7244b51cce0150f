import type { SpendingView } from '../../../shared/contract/payments.ts';
import { formatUsd, perMille, roundScale } from '../../format/money.ts';
import { formatDay } from '../../format/time.ts';
import { spendingTexts as texts } from '../../texts/spending.ts';

/** Units of the drawing: a day is so wide, with a bar in its middle, and the scale's end is a thousand high. */
const DAY = 10;
const BAR = 7;
const TOP = 1000;
/** A bar below this could not be seen. */
const SMALLEST = 12;

/**
 * Spending by day as bars: a picture with a name, and a table beside it with the exact figures. Drawn by attributes, since the page's CSP
 * allows no inline style; words stand beside the drawing, which is stretched.
 */
export function DayChart({ days, label }: Pick<SpendingView, 'days'> & { readonly label: string }) {
  const scale = roundScale(days.reduce((most, { units }) => (BigInt(units) > most ? BigInt(units) : most), 0n));
  const width = days.length * DAY;
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-muted tabular-nums">
      <div aria-hidden="true" className="flex h-44 flex-col justify-between text-right leading-none">
        <span className="max-w-20 truncate">{formatUsd(scale)}</span>
        <span className="max-w-20 truncate">{formatUsd(scale / 2n)}</span>
        <span>{formatUsd(0n)}</span>
      </div>
      <svg role="img" aria-label={label} viewBox={`0 0 ${width} ${TOP}`} preserveAspectRatio="none" className="my-1.5 h-41 w-full overflow-visible">
        {[0, TOP / 2, TOP].map((y) => (
          <line key={y} x1="0" x2={width} y1={y} y2={y} vectorEffect="non-scaling-stroke" className="stroke-line" />
        ))}
        {days.map(({ day, units }, index) => {
          const height = BigInt(units) > 0n ? Math.max(SMALLEST, perMille(BigInt(units), scale)) : 0;
          return (
            <g key={day} className="group">
              <title>{texts.dayHint(formatDay(day), formatUsd(units))}</title>
              <rect x={index * DAY} width={DAY} height={TOP} className="fill-transparent group-hover:fill-inset" />
              <rect x={index * DAY + (DAY - BAR) / 2} width={BAR} y={TOP - height} height={height} className="fill-accent" />
            </g>
          );
        })}
      </svg>
      <span />
      <div aria-hidden="true" className="flex justify-between">
        {[days[0], days[Math.floor(days.length / 2)], days.at(-1)].map((day, place) => (
          <span key={place}>{day && formatDay(day.day)}</span>
        ))}
      </div>
    </div>
  );
}
