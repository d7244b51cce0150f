import type { ReactNode } from 'react';
import type { PaymentFilter, PaymentTotals } from '../../../shared/contract/payments.ts';
import { formatCount } from '../../format/count.ts';
import { formatUsd } from '../../format/money.ts';
import { findTexts as texts } from '../../texts/history.ts';
import { Loaded } from '../parts/card.tsx';
import { Amount, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** What the payments of a filter come to, in dollars and in each token. */
export function Totals({ filter, count, aside }: { readonly filter: PaymentFilter; readonly count: number; readonly aside: ReactNode }) {
  const totals = useRead('payments.totals', { filter });
  return (
    <section aria-label={texts.totals} className="rounded-2xl border border-line bg-surface px-5 py-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="font-semibold" role="status">
          {texts.found(formatCount(count))}
        </p>
        {aside}
      </div>
      <Loaded query={totals} lines={1}>
        {(value) => <Figures totals={value} />}
      </Loaded>
    </section>
  );
}

function Figures({ totals: { tokens, usd, unpriced } }: { readonly totals: PaymentTotals }) {
  if (tokens.length === 0) return <p className="mt-1 text-sm text-muted">{texts.nothingMoved}</p>;
  return (
    <>
      <dl className="mt-2 flex flex-wrap gap-x-8 gap-y-2 tabular-nums">
        <Figure label={texts.moved} text={formatUsd(usd.movedUnits)} />
        {usd.heldUnits !== '0' && <Figure label={texts.held} text={formatUsd(usd.heldUnits)} />}
      </dl>
      {unpriced > 0 && <p className="mt-1 text-sm text-warn">{texts.unpriced(formatCount(unpriced))}</p>}
      <details className="mt-2 text-sm">
        <summary className="text-muted">{texts.byToken}</summary>
        <ul className="mt-1 divide-y divide-line">
          {tokens.map(({ asset, movedUnits, heldUnits }) => (
            <li key={`${asset.network} ${asset.address}`} className="flex flex-wrap justify-between gap-x-6 py-1.5">
              <Untrusted text={`${asset.symbol} · ${asset.networkName}`} />
              <span>
                <Amount money={{ asset, units: movedUnits }} />
                {heldUnits !== '0' && (
                  <span className="text-muted">
                    {' + '}
                    <Amount money={{ asset, units: heldUnits }} /> {texts.held.toLowerCase()}
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Figure({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="text-xl font-semibold tracking-tight wrap-anywhere">{text}</dd>
    </div>
  );
}
