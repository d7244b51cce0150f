import type { MoneyView } from '../../../../shared/contract/values.ts';
import { formatMoney } from '../../../format/money.ts';
import { connectTexts } from '../../../texts/dashboard.ts';
import { serverTexts as texts } from '../../../texts/servers.ts';
import { Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';
import { ServerLinks } from '../server-links.tsx';

/** So many of a server's newest payments are looked through for what a tool cost last. */
const LOOKED_AT = 200;

interface ToolCost {
  readonly tool: string;
  readonly listed: string;
  readonly paid: MoneyView | undefined;
}

/** The tools that say a price, have asked for money or were paid lately; with what they list and what was last paid. */
function useToolCosts(upstream: string): { readonly tools: readonly ToolCost[]; readonly more: number } {
  const known = useRead('upstreams.prices', {}).data;
  const payments = useRead('payments.find', { filter: { upstream }, limit: LOOKED_AT }).data?.payments ?? [];
  const listed = new Map(known?.prices.filter((price) => price.upstream === upstream).map(({ tool, price }) => [tool, price]));
  const paid = new Map(payments.filter(({ columns }) => columns.money === 'settled').toReversed().map(({ tool, money }) => [tool, money]));
  const names = [...new Set([...listed.keys(), ...paid.keys()])].toSorted((a, b) => a.localeCompare(b));
  return { tools: names.map((tool) => ({ tool, listed: listed.get(tool) ?? '', paid: paid.get(tool) })), more: known?.more ?? 0 };
}

/** What a server's tools cost. Nothing where none is known to. */
export function ServerTools({ upstream }: { readonly upstream: string }) {
  const { tools, more } = useToolCosts(upstream);
  return (
    <>
      {tools.length > 0 && (
        <details>
          <summary className="text-sm text-muted">{texts.tools(tools.length)}</summary>
          <p className="mt-1 text-sm text-muted">{texts.toolsNote}</p>
          <div className="mt-2 max-h-96 overflow-auto" tabIndex={0} role="region" aria-label={texts.tools(tools.length)}>
            <table className="w-full text-sm">
              <thead className="text-left text-muted">
                <tr>
                  <th className="py-1 pr-3 font-normal">{texts.toolColumns.tool}</th>
                  <th className="py-1 pr-3 font-normal">{texts.toolColumns.listed}</th>
                  <th className="py-1 font-normal">{texts.toolColumns.paid}</th>
                </tr>
              </thead>
              <tbody className="divide-y divide-line">
                {tools.map(({ tool, listed, paid }) => (
                  <tr key={tool}>
                    <th scope="row" className="py-1 pr-3 text-left font-normal">
                      <Untrusted text={tool} className="font-mono" />
                    </th>
                    <td className="py-1 pr-3 tabular-nums">{listed === '' ? <span className="text-muted">{texts.unlisted}</span> : <Untrusted text={listed} />}</td>
                    <td className="py-1 tabular-nums">{paid ? <Untrusted text={formatMoney(paid)} /> : <span className="text-muted">{texts.neverPaid}</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {more > 0 && <p className="mt-1 text-sm text-muted">{connectTexts.morePrices(more)}</p>}
        </details>
      )}
      <ServerLinks upstream={upstream} />
    </>
  );
}
