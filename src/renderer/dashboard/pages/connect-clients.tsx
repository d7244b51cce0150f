import { useState } from 'react';
import type { ClientEntries, ClientKind, ClientRegistration } from '../../../shared/contract/clients.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button, buttonClass } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty } from '../parts/card.tsx';
import { CopyButton, Untrusted } from '../parts/texts.tsx';
import { useAct } from '../server-state.tsx';
import { RegisterDialog } from './register-dialog.tsx';

/** The clients that are here, and folded those that are not. */
export function ClientsCard({ clients, entries }: { readonly clients: readonly ClientRegistration[]; readonly entries: ClientEntries }) {
  const [registering, setRegistering] = useState<ClientKind>();
  const here = clients.filter(({ state }) => state !== 'absent');
  const others = clients.filter(({ state }) => state === 'absent');
  return (
    <Card title={texts.clients}>
      {here.length === 0 ? (
        <Empty title={texts.clientsNone} hint={texts.clientsNoneHint} />
      ) : (
        <ul className="divide-y divide-line">
          {here.map((client) => (
            <ClientRow key={client.kind} client={client} onRegister={() => setRegistering(client.kind)} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <details className="mt-3 border-t border-line pt-3">
          <summary className="cursor-pointer text-muted">{texts.otherClients(others.length)}</summary>
          <ul className="mt-2 grid gap-2">
            {others.map(({ kind, name, path }) => (
              <li key={kind}>
                {name}
                <Untrusted text={path} className="block font-mono text-sm text-muted" />
              </li>
            ))}
          </ul>
        </details>
      )}
      <RegisterDialog client={clients.find(({ kind }) => kind === registering)} entries={entries} onClose={() => setRegistering(undefined)} />
    </Card>
  );
}

const STATE_LOOKS: Record<ClientRegistration['state'], string> = {
  absent: 'bg-inset text-muted',
  unregistered: 'bg-accent-soft text-accent',
  registered: 'bg-ok-soft text-ok',
  malformed: 'bg-danger-soft text-danger',
};

function ClientRow({ client, onRegister }: { readonly client: ClientRegistration; readonly onRegister: () => void }) {
  const undo = useAct('clients.undo');
  const link = useAct('clients.link');
  const announce = useAnnounce();
  const { state, name, path, kind, undoable, hasLink } = client;
  const error = undo.error ?? link.error;
  return (
    <li className="py-4 first:pt-0 last:pb-0">
      <h3 className="flex flex-wrap items-center justify-between gap-2 font-medium">
        {name}
        <span className={`rounded-full px-2.5 py-0.5 text-sm font-medium ${STATE_LOOKS[state]}`}>{texts.states[state]}</span>
      </h3>
      <p className="mt-1 text-muted">{texts.notes[state]}</p>
      <p className="mt-1 flex items-start justify-between gap-2">
        <span className="sr-only">{texts.file}</span>
        <Untrusted text={path} className="min-w-0 font-mono text-sm" />
        <CopyButton text={path} what={texts.file.toLowerCase()} />
      </p>
      {error && (
        <div className="mt-3">
          <ErrorCallout error={error.info} />
        </div>
      )}
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        {(state === 'unregistered' || state === 'registered') && (
          <Button kind={state === 'unregistered' ? 'primary' : 'plain'} aria-label={`${state === 'unregistered' ? texts.preview : texts.previewAgain} ${name}`} onClick={onRegister}>
            {state === 'unregistered' ? texts.preview : texts.previewAgain}
          </Button>
        )}
        {undoable && (
          <Button disabled={undo.isPending} aria-label={`${texts.undo} ${name}`} onClick={() => undo.mutate({ kind }, { onSuccess: () => announce(texts.undone(name)) })}>
            {undo.isPending ? texts.undoing : texts.undo}
          </Button>
        )}
        {hasLink && state === 'unregistered' && link.data === undefined && (
          <Button kind="quiet" disabled={link.isPending} aria-label={texts.linkFor(name)} onClick={() => link.mutate({ kind })}>
            {texts.link}
          </Button>
        )}
      </div>
      {link.data && state === 'unregistered' && (
        <div className="mt-3 grid gap-2 rounded-xl bg-inset p-3">
          <p className="text-sm text-muted">{texts.linkNote}</p>
          <p className="flex flex-wrap items-center gap-2">
            <a href={link.data.url} className={buttonClass('primary')}>
              {texts.linkOpen(name)}
            </a>
            <CopyButton text={link.data.url} what={texts.linkWhat} />
          </p>
        </div>
      )}
    </li>
  );
}
