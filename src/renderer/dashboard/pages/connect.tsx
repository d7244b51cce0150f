import { useState } from 'react';
import type { ClientEntries } from '../../../shared/contract/clients.ts';
import { connectTexts as texts } from '../../texts/dashboard.ts';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { CopyButton, Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';
import { ClientsCard } from './connect-clients.tsx';

/** How agents reach Bursar: registration in a client, the JSON to copy, the HTTP address with its token. */
export function ConnectPage() {
  const clients = useRead('clients.list', {});
  const [entries, setEntries] = useState<ClientEntries>('all');
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        <Loaded query={clients} lines={6}>
          {(value) => (
            <>
              <div className="grid min-w-0 gap-4">
                <ClientsCard clients={value.clients} entries={entries} />
                <EntriesCard entries={entries} onChange={setEntries} />
                <SnippetCard snippet={value.snippets[entries]} isEach={entries === 'each'} />
              </div>
              <div className="grid min-w-0 gap-4">
                <HttpCard url={value.httpUrl} snippet={value.httpSnippet} problem={value.httpProblem} />
              </div>
            </>
          )}
        </Loaded>
      </div>
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

function HttpCard({ url, snippet, problem }: { readonly url: string; readonly snippet: string; readonly problem: string | undefined }) {
  const token = useAct('clients.token');
  const shown = token.data?.token;
  return (
    <Card title={texts.http} aside={<CopyButton text={snippet} what={texts.httpSnippet} />}>
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
