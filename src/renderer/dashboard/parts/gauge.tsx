import { formatUsd, perMille } from '../../format/money.ts';
import { overviewTexts } from '../../texts/dashboard.ts';

interface GaugeProps {
  readonly label: string;
  /** Millionths of a dollar. */
  readonly used: bigint;
  readonly limit: bigint;
  readonly size?: 'large' | 'small';
  /** The bar shows a share of a whole, not the use of a limit: a full one is no warning. */
  readonly share?: boolean;
}

/** Thousandths from which a limit is nearly used, and below which a bar could not be seen. */
const NEARLY = 800;
const SMALLEST = 6;

/** How much of a limit is used, as a bar. Sizes are SVG attributes: the page's CSP allows no inline style. */
export function Gauge({ label, used, limit, size = 'large', share = false }: GaugeProps) {
  const part = perMille(used, limit);
  const tone = share || part < NEARLY ? 'fill-accent' : part >= 1000 ? 'fill-danger' : 'fill-warn';
  return (
    <svg
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={part}
      aria-valuetext={overviewTexts.gaugeValue(formatUsd(used), formatUsd(limit))}
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      className={`block w-full rounded-full bg-inset ${size === 'large' ? 'h-2.5' : 'h-1.5'}`}
    >
      <rect width={used > 0n ? Math.max(part, SMALLEST) : 0} height="10" className={tone} />
    </svg>
  );
}
