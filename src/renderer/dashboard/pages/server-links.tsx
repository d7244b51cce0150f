import { connectTexts as texts } from '../../texts/dashboard.ts';
import { Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** The pages that a server asked the person to open. Nothing where there is none. */
export function ServerLinks({ upstream }: { readonly upstream: string }) {
  const links = useRead('upstreams.prices', {}).data?.links.filter((link) => link.upstream === upstream) ?? [];
  if (links.length === 0) return null;
  return (
    <details className="text-sm">
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
  );
}
