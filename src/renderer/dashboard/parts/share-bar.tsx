import { perMille } from '../../format/money.ts';

interface ShareBarProps {
  readonly label: string;
  readonly part: bigint;
  readonly whole: bigint;
  /** What is read aloud. */
  readonly text: string;
}

/** Below this a share could not be seen. */
const SMALLEST = 6;

/** A share of a whole in any unit, as a bar. Sizes are SVG attributes: the page's CSP allows no inline style. */
export function ShareBar({ label, part, whole, text }: ShareBarProps) {
  const share = perMille(part, whole);
  return (
    <svg role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={1000} aria-valuenow={share} aria-valuetext={text} viewBox="0 0 1000 10" preserveAspectRatio="none" className="block h-1.5 w-full rounded-full bg-inset">
      <rect width={part > 0n ? Math.max(share, SMALLEST) : 0} height="10" className="fill-accent" />
    </svg>
  );
}
