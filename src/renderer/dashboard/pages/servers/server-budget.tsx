import { formatUsd } from '../../../format/money.ts';
import { serverTexts as texts } from '../../../texts/servers.ts';
import { Gauge } from '../../parts/gauge.tsx';
import { useRead } from '../../server-state.tsx';

/** What a server took today of what it may. */
export function ServerBudget({ upstream }: { readonly upstream: string }) {
  const own = useRead('payments.spend', {}).data?.byUpstream.find((line) => line.upstream === upstream);
  if (!own) return <div />;
  const spent = BigInt(own.todayUnits);
  const limit = own.dayCapUnits === undefined ? undefined : BigInt(own.dayCapUnits);
  return (
    <div className="grid content-start">
      <p className="text-sm text-muted">{texts.today}</p>
      <p className="mb-1.5 tabular-nums">{limit === undefined ? texts.noLimit(formatUsd(spent)) : texts.ofLimit(formatUsd(spent), formatUsd(limit))}</p>
      {limit !== undefined && <Gauge label={texts.gauge(upstream)} used={spent} limit={limit} size="small" />}
    </div>
  );
}
