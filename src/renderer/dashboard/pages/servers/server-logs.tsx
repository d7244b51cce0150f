import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RouteOutput } from '../../../../shared/contract/contract.ts';
import { serverTexts as texts } from '../../../texts/servers.ts';
import { Loaded } from '../../parts/card.tsx';
import { Moment, Untrusted } from '../../parts/texts.tsx';
import { read, useLink, type RequestError } from '../../server-state.tsx';

/** So often (ms) an open log is read again; events would come with every line of a busy server. */
const EVERY = 1_000;

const TONES = { stderr: '', event: 'text-accent', error: 'text-danger' };

/** The last lines of a server, live while they are open. */
export function ServerLogs({ upstream }: { readonly upstream: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm text-muted" aria-label={texts.logsOf(upstream)}>
        {texts.logs}
      </summary>
      {open && <Lines upstream={upstream} />}
    </details>
  );
}

function Lines({ upstream }: { readonly upstream: string }) {
  const link = useLink();
  const logs = useQuery<RouteOutput<'upstreams.logs'>, RequestError>({ queryKey: ['upstreams.logs', { name: upstream }], queryFn: () => read(link, 'upstreams.logs', { name: upstream }), refetchInterval: EVERY, gcTime: 0 });
  return (
    <>
      <p className="mt-1 text-sm text-muted">{texts.logsNote}</p>
      <Loaded query={logs}>
        {({ lines }) =>
          lines.length === 0 ? (
            <p className="mt-2 text-sm">{texts.logsNone}</p>
          ) : (
            // Turned around, so that it begins at its end and stays there.
            <div tabIndex={0} role="log" aria-live="off" aria-label={texts.logsOf(upstream)} className="mt-2 flex max-h-80 flex-col-reverse overflow-auto rounded-xl bg-inset p-3 font-mono text-xs">
              <ol>
                {lines.map(({ number, at, kind, text, times }) => (
                  <li key={number} className={`py-0.5 ${TONES[kind]}`}>
                    <span className="text-muted">
                      <Moment at={at} />
                    </span>{' '}
                    {texts.logKinds[kind] !== '' && <span className="font-semibold">{texts.logKinds[kind]} </span>}
                    <Untrusted text={text} className="whitespace-pre-wrap" />
                    {times > 1 && <span className="text-muted"> ({texts.times(times)})</span>}
                  </li>
                ))}
              </ol>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
