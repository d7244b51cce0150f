import { useState } from 'react';
import type { ClientEntries, ClientKind, ClientRegistration } from '../../../shared/contract/clients.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { CopyButton, Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { RegisterDialog } from './register-dialog.tsx';
import { ServerPrices } from './server-prices.tsx';
import { ServerSignIn } from './server-sign-in.tsx';

/** How agents reach Bursar: registration in a client, the JSON to copy, the HTTP address with its token. */
export function ConnectPage() {
  const clients = useRead('clients.list', {});
  const [registering, setRegistering] = useState<ClientKind>();
  const [entries, setEntries] = useState<ClientEntries>('all');
  const registered = clients.data?.clients.find(({ kind }) => kind === registering);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <Loaded query={clients} lines={6}>
          {(value) => (
            <>
              <EntriesCard entries={entries} onChange={setEntries} />
              {value.clients.map((client) => (
                <ClientCard key={client.kind} client={client} onRegister={() => setRegistering(client.kind)} />
              ))}
              <SnippetCard snippet={value.snippets[entries]} isEach={entries === 'each'} />
              <HttpCard url={value.httpUrl} problem={value.httpProblem} />
            </>
          )}
        </Loaded>
        <ServersCard />
      </div>
      <RegisterDialog client={registered} entries={entries} onClose={() => setRegistering(undefined)} />
    </Page>
  );
}

/** How servers appear in a client, for all that this page writes or gives to copy. */
function EntriesCard({ entries, onChange }: { readonly entries: ClientEntries; readonly onChange: (entries: ClientEntries) => void }) {
  return (
    <Card title={texts.entries}>
      <fieldset className="grid gap-3">
        <legend className="sr-only">{texts.entries}</legend>
        {(['all', 'each'] as const).map((form) => (
          <label key={form} className="flex items-start gap-2">
            <input type="radio" name="entries" className="mt-1" checked={entries === form} onChange={() => onChange(form)} />
            <span>
              {texts.entriesForms[form]}
              <span className="block text-sm text-muted">{texts.entriesNotes[form]}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
}

/** The JSON for other clients; without a server there is nothing to hand on. */
function SnippetCard({ snippet, isEach }: { readonly snippet: string; readonly isEach: boolean }) {
  const isEmpty = useRead('upstreams.list', {}).data?.upstreams.length === 0;
  if (isEmpty && isEach) {
    return (
      <Card title={texts.snippet}>
        <Empty title={texts.snippetNone} hint={texts.noServersHint} />
      </Card>
    );
  }
  return (
    <Card title={texts.snippet} aside={<CopyButton text={snippet} what={texts.snippetJson} />}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.snippetNote}</p>
      <pre tabIndex={0} role="region" aria-label={texts.snippetJson} className="untrusted max-h-80 overflow-auto rounded-xl bg-inset p-4 font-mono text-sm whitespace-pre-wrap">
        {snippet}
      </pre>
    </Card>
  );
}

const STATE_LOOKS: Record<ClientRegistration['state'], string> = {
  absent: 'bg-inset text-muted',
  unregistered: 'bg-accent-soft text-accent',
  registered: 'bg-ok-soft text-ok',
  malformed: 'bg-danger-soft text-danger',
};

function ClientCard({ client, onRegister }: { readonly client: ClientRegistration; readonly onRegister: () => void }) {
  const undo = useAct('clients.undo');
  const announce = useAnnounce();
  const { state, name, path, kind, undoable } = client;
  const badge = <span className={`rounded-full px-2.5 py-0.5 text-sm font-medium ${STATE_LOOKS[state]}`}>{texts.states[state]}</span>;
  return (
    <Card title={name} aside={badge}>
      <p className="text-muted">{texts.notes[state]}</p>
      <dl className="mt-3">
        <dt className="text-sm text-muted">{texts.file}</dt>
        <dd className="flex items-start justify-between gap-2">
          <Untrusted text={path} className="min-w-0 font-mono text-sm" />
          <CopyButton text={path} what={texts.file.toLowerCase()} />
        </dd>
      </dl>
      {undo.error && (
        <div className="mt-3">
          <ErrorCallout error={undo.error.info} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2 empty:hidden">
        {(state === 'unregistered' || state === 'registered') && (
          <Button kind={state === 'unregistered' ? 'primary' : 'plain'} onClick={onRegister}>
            {state === 'unregistered' ? texts.preview : texts.previewAgain}
          </Button>
        )}
        {undoable && (
          <Button disabled={undo.isPending} onClick={() => undo.mutate({ kind }, { onSuccess: () => announce(texts.undone(name)) })}>
            {undo.isPending ? texts.undoing : texts.undo}
          </Button>
        )}
      </div>
    </Card>
  );
}

function HttpCard({ url, problem }: { readonly url: string; readonly problem: string | undefined }) {
  const token = useAct('clients.token');
  const shown = token.data?.token;
  return (
    <Card title={texts.http}>
      {problem && (
        <div className="mb-3">
          <Callout tone="warn">{problem}</Callout>
        </div>
      )}
      <dl className="grid gap-3">
        <div>
          <dt className="text-sm text-muted">{texts.address}</dt>
          <dd>
            <Untrusted text={url} className="min-w-0 font-mono text-sm" />
            <span className="block text-sm text-muted">{texts.addressNote}</span>
          </dd>
        </div>
        <div>
          <dt className="text-sm text-muted">{texts.token}</dt>
          <dd className="flex flex-wrap items-center justify-between gap-2">
            {shown === undefined ? <span className="text-muted">{texts.hidden}</span> : <Untrusted text={shown} className="min-w-0 font-mono text-sm" />}
            <span className="flex items-center gap-2">
              {shown !== undefined && <CopyButton text={shown} what={texts.token.toLowerCase()} />}
              <Button disabled={token.isPending} aria-label={shown === undefined ? texts.revealToken : texts.hideToken} onClick={() => (shown === undefined ? token.mutate({}) : token.reset())}>
                {shown === undefined ? texts.reveal : texts.hide}
              </Button>
            </span>
          </dd>
        </div>
      </dl>
      <p className="mt-3 text-sm text-muted">{texts.tokenNote}</p>
      {token.error && (
        <div className="mt-3">
          <ErrorCallout error={token.error.info} />
        </div>
      )}
    </Card>
  );
}

function ServersCard() {
  const upstreams = useRead('upstreams.list', {});
  return (
    <Card title={texts.servers}>
      <Loaded query={upstreams}>
        {(value) =>
          value.upstreams.length === 0 ? (
            <Empty title={texts.noServers} hint={texts.noServersHint} />
          ) : (
            <>
              <p className="-mt-2 mb-3 text-sm text-muted">{texts.serversNote}</p>
              <ul className="divide-y divide-line">
                {value.upstreams.map(({ name, address, mcpUrl, enabled, authorization }) => (
                  <li key={name} className="py-2.5 first:pt-0 last:pb-0">
                    <p className="flex flex-wrap items-baseline gap-x-2">
                      <Untrusted text={name} className="font-medium" />
                      {!enabled && <span className="text-sm text-muted">{texts.serverOff}</span>}
                    </p>
                    <p className="line-clamp-3 text-sm text-muted">
                      <Untrusted text={address} className="font-mono" />
                    </p>
                    <p className="flex items-start justify-between gap-2 text-sm">
                      <Untrusted text={mcpUrl} className="min-w-0 font-mono" />
                      <CopyButton text={mcpUrl} what={`${texts.address.toLowerCase()} ${name}`} />
                    </p>
                    {authorization && <ServerSignIn upstream={name} authorization={authorization} />}
                    <ServerPrices upstream={name} />
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
