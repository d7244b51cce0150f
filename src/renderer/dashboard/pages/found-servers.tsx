import { useState } from 'react';
import type { ClientServer } from '../../../shared/contract/clients.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { addServerTexts } from '../../texts/servers.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { ProtectDialog } from './protect-dialog.tsx';

/** The servers that the clients here reach by themselves; nothing where there is none. */
export function FoundServersCard() {
  const found = useRead('clients.importable', {});
  if (found.data?.servers.length === 0) return null;
  return (
    <Card title={texts.found}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.foundNote}</p>
      <FoundServers />
    </Card>
  );
}

/** The list of them, with what can be done to each. */
export function FoundServers() {
  const found = useRead('clients.importable', {});
  const [protecting, setProtecting] = useState<ClientServer>();
  return (
    <>
      <Loaded query={found}>
        {({ servers }) =>
          servers.length === 0 ? (
            <Empty title={addServerTexts.importNone} />
          ) : (
            <ul className="divide-y divide-line">
              {servers.map((server) => (
                <FoundServer key={`${server.kind} ${server.name}`} server={server} onProtect={() => setProtecting(server)} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ProtectDialog server={protecting} onClose={() => setProtecting(undefined)} />
    </>
  );
}

function FoundServer({ server, onProtect }: { readonly server: ClientServer; readonly onProtect: () => void }) {
  const { kind, name, client, state, address, secrets, problem } = server;
  const importing = useAct('clients.import');
  const back = useAct('clients.unprotect');
  const announce = useAnnounce();
  const error = importing.error ?? back.error;
  return (
    <li className="py-2.5 first:pt-0 last:pb-0">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Untrusted text={name} className="font-medium" />
        <span className="text-sm text-muted">{texts.foundIn(client)}</span>
        {texts.foundStates[state] !== '' && <span className={`text-sm ${state === 'protected' ? 'text-ok' : 'text-muted'}`}>{texts.foundStates[state]}</span>}
      </p>
      {address !== '' && (
        <p className="line-clamp-3 text-sm text-muted">
          <Untrusted text={address} className="font-mono" />
        </p>
      )}
      {problem && <p className="text-sm text-muted">{problem}</p>}
      {secrets.length > 0 && (
        <p className="text-sm text-muted">
          <Untrusted text={texts.foundSecrets(secrets.join(', '))} />
        </p>
      )}
      {error && (
        <div className="mt-2">
          <ErrorCallout error={error.info} />
        </div>
      )}
      <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
        {(state === 'free' || state === 'imported') && (
          <Button aria-label={texts.protectOne(name)} onClick={onProtect}>
            {texts.protect}
          </Button>
        )}
        {state === 'free' && (
          <Button kind="quiet" disabled={importing.isPending} aria-label={texts.importOne(name)} onClick={() => importing.mutate({ kind, name }, { onSuccess: ({ upstream }) => announce(texts.imported(upstream)) })}>
            {texts.import}
          </Button>
        )}
        {state === 'protected' && (
          <Button disabled={back.isPending} aria-label={texts.unprotectOne(name)} onClick={() => back.mutate({ kind, name }, { onSuccess: () => announce(texts.unprotected(name)) })}>
            {back.isPending ? texts.unprotecting : texts.unprotect}
          </Button>
        )}
      </div>
    </li>
  );
}
