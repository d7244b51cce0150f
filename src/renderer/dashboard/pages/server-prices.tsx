import { connectTexts as texts } from '../../texts/dashboard.ts';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** What a server says its tools cost, and the pages that it asked the person to open. Nothing where it has said nothing. */
export function ServerPrices({ upstream }: { readonly upstream: string }) {
  const known = useRead('upstreams.prices', {});
  const prices = known.data?.prices.filter((price) => price.upstream === upstream) ?? [];
  const links = known.data?.links.filter((link) => link.upstream === upstream) ?? [];
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
                {price === '' ? <span className="text-muted">{texts.unlisted}</span> : <Untrusted text={price} className="tabular-nums" />}
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
