import { useState } from 'react';
import type { ClientAccessView } from '../../../shared/contract/client-access.ts';
import { clientTexts as texts, credentialTexts } from '../../texts/clients.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { CopyButton, Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { ClientDialogs, type ClientAct } from './client-dialogs.tsx';
import { ScopeChips } from './client-scopes.tsx';

/** Who may connect, what each may do, and how to end it. */
export function ClientsPage() {
  const access = useRead('clients.access', {});
  const [act, setAct] = useState<ClientAct>();
  const add = (
    <Button kind="primary" onClick={() => setAct({ kind: 'add' })}>
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 gap-4">
        <Card title={texts.list} aside={add}>
          <Loaded query={access} lines={6}>
            {({ clients }) =>
              clients.length === 0 ? (
                <Empty title={texts.none} hint={texts.noneHint} />
              ) : (
                <ul className="divide-y divide-line">
                  {clients.map((client) => (
                    <ClientRow key={client.name} client={client} onAct={(kind) => setAct({ kind, client })} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
        {access.data?.tokenUrl && <EndpointCard tokenUrl={access.data.tokenUrl} />}
      </div>
      <ClientDialogs act={act} onClose={() => setAct(undefined)} />
    </Page>
  );
}

interface ClientRowProps {
  readonly client: ClientAccessView;
  readonly onAct: (kind: 'scopes' | 'rotate' | 'revoke') => void;
}

function ClientRow({ client, onAct }: ClientRowProps) {
  const { name, credential, clientId, scopes, lastSeen, isDefault } = client;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4 first:pt-0 last:pb-0">
      <div className="grid min-w-0 gap-1.5">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Untrusted text={name} className="font-medium" />
          <span className="text-sm text-muted">{isDefault ? texts.isDefault : credentialTexts[credential].label}</span>
        </p>
        <ScopeChips scopes={scopes} />
        <p className="text-sm text-muted">
          {texts.lastSeen} {lastSeen === undefined ? texts.never : <Moment at={lastSeen} />}
        </p>
        {clientId && (
          <p className="flex items-start gap-2 text-sm text-muted">
            <span className="shrink-0">{texts.clientId}</span>
            <Untrusted text={clientId} className="min-w-0 font-mono" />
            <CopyButton text={clientId} what={`${texts.clientId.toLowerCase()} ${name}`} />
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button aria-label={texts.edit(name)} onClick={() => onAct('scopes')}>
          {texts.editShort}
        </Button>
        <Button aria-label={texts.rotate(name)} onClick={() => onAct('rotate')}>
          {texts.rotateShort[credential]}
        </Button>
        {!isDefault && (
          <Button aria-label={texts.revoke(name)} onClick={() => onAct('revoke')}>
            {texts.revokeShort}
          </Button>
        )}
      </div>
    </li>
  );
}

function EndpointCard({ tokenUrl }: { readonly tokenUrl: string }) {
  return (
    <Card title={texts.endpoint}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.endpointNote}</p>
      <dl>
        <dt className="text-sm text-muted">{texts.tokenUrl}</dt>
        <dd className="flex items-start justify-between gap-2">
          <Untrusted text={tokenUrl} className="min-w-0 font-mono text-sm" />
          <CopyButton text={tokenUrl} what={texts.tokenUrl.toLowerCase()} />
        </dd>
      </dl>
    </Card>
  );
}
