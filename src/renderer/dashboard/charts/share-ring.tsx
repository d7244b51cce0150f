import { Pie, PieChart } from 'recharts';

/** A part of a whole: thousandths, and the colour that stands beside its name in the list. */
export interface Share {
  readonly name: string;
  readonly share: number;
  readonly fill: string;
}

/** Shares as a ring. The list beside it has the names and the figures, so a screen reader passes it by. */
export function ShareRing({ shares }: { readonly shares: readonly Share[] }) {
  return (
    <div aria-hidden="true">
      <PieChart responsive accessibilityLayer={false} className="size-36">
        <Pie data={[...shares]} dataKey="share" nameKey="name" innerRadius="64%" outerRadius="100%" startAngle={90} endAngle={-270} minAngle={3} stroke="var(--surface)" strokeWidth={2} isAnimationActive={false} rootTabIndex={-1} />
      </PieChart>
    </div>
  );
}
