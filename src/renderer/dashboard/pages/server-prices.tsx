import type { MoneyView } from '../../../shared/contract/values.ts';
import { formatMoney } from '../../format/money.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** How many of the newest payments are looked through for what a tool cost last. */
const LOOKED_AT = 200;

/** What was last paid for a tool of that server; undefined where that is not among the newest payments. */
function useLastPaid(upstream: string): (tool: string) => MoneyView | undefined {
  const payments = useRead('payments.list', { limit: LOOKED_AT }).data?.payments ?? [];
  return (tool) => payments.find((payment) => payment.upstream === upstream && payment.tool === tool && payment.columns.money === 'settled')?.money;
}

function Price({ listed, lastPaid }: { readonly listed: string; readonly lastPaid: MoneyView | undefined }) {
  if (listed !== '') return <Untrusted text={listed} className="tabular-nums" />;
  return <span className="text-muted tabular-nums">{lastPaid ? <Untrusted text={texts.lastPaid(formatMoney(lastPaid))} /> : texts.unlisted}</span>;
}

/** What a server says its tools cost, and the pages that it asked the person to open. Nothing where it has said nothing. */
export function ServerPrices({ upstream }: { readonly upstream: string }) {
  const known = useRead('upstreams.prices', {});
  const prices = known.data?.prices.filter((price) => price.upstream === upstream) ?? [];
  const links = known.data?.links.filter((link) => link.upstream === upstream) ?? [];
  const lastPaid = useLastPaid(upstream);
  const more = known.data?.more ?? 0;
  return (
    <>
      {prices.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="text-muted">{texts.prices(prices.length)}</summary>
          <p className="mt-1 text-muted">{texts.pricesNote}</p>
          <ul className="mt-1">
            {prices.map(({ tool, price }) => (
              <li key={tool} className="flex flex-wrap items-baseline justify-between gap-x-3">
                <Untrusted text={tool} className="min-w-0 font-mono" />
                <Price listed={price} lastPaid={lastPaid(tool)} />
              </li>
            ))}
          </ul>
          {more > 0 && <p className="mt-1 text-muted">{texts.morePrices(more)}</p>}
        </details>
      )}
      {links.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="text-muted">{texts.links}</summary>
          <p className="mt-1 text-muted">{texts.linksNote}</p>
          <ul className="mt-1 grid gap-1">
            {links.map(({ tool, url, message, at }) => (
              <li key={`${tool} ${url}`}>
                {tool !== '' && <Untrusted text={`${tool} `} className="font-mono" />}
                <Moment at={at} />
                <br />
                <Untrusted text={url} className="font-mono" />
                {message !== '' && (
                  <>
                    <br />
                    <Untrusted text={message} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
