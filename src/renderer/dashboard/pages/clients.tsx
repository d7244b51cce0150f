import { useMemo, useState } from 'react';
import type { ClientAccessView } from '../../../shared/contract/client-access.ts';
import { clientTexts as texts, credentialTexts } from '../../texts/clients.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { DataTable, type TableColumn } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { CopyButton, Moment, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { ClientDialogs, type ClientAct } from './client-dialogs.tsx';
import { ScopeChips } from './client-scopes.tsx';

/** Who may connect, what each may do, and how to end it. */
export function ClientsPage() {
  const access = useRead('clients.access', {});
  const [act, setAct] = useState<ClientAct>();
  const columns = useMemo(() => columnsOf((kind, client) => setAct({ kind, client })), []);
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
                <DataTable label={texts.list} columns={columns} rows={clients} keyOf={({ name }) => name} />
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

const columnsOf = (onAct: (kind: 'scopes' | 'rotate' | 'revoke', client: ClientAccessView) => void): readonly TableColumn<ClientAccessView>[] => [
  { id: 'name', name: texts.name, cell: (client) => <Identity client={client} />, sortBy: ({ name }) => name, plain: true },
  { id: 'scopes', name: texts.may, cell: ({ scopes }) => <ScopeChips scopes={scopes} />, plain: true },
  { id: 'seen', name: texts.lastSeen, cell: ({ lastSeen }) => <span className="text-sm whitespace-nowrap text-muted">{lastSeen === undefined ? texts.never : <Moment at={lastSeen} />}</span>, sortBy: ({ lastSeen = 0 }) => lastSeen },
  {
    id: 'acts',
    name: texts.acts,
    plain: true,
    end: true,
    cell: (client) => (
      <div className="flex flex-wrap gap-2 sm:justify-end xl:flex-nowrap">
        <Button aria-label={texts.edit(client.name)} onClick={() => onAct('scopes', client)}>
          {texts.editShort}
        </Button>
        <Button kind="quiet" className="max-sm:px-2" aria-label={texts.rotate[client.credential](client.name)} onClick={() => onAct('rotate', client)}>
          {texts.rotateShort[client.credential]}
        </Button>
        {!client.isDefault && (
          <Button kind="quiet" className="max-sm:px-2" aria-label={texts.revoke(client.name)} onClick={() => onAct('revoke', client)}>
            {texts.revokeShort}
          </Button>
        )}
      </div>
    ),
  },
];

function Identity({ client: { name, credential, clientId, isDefault } }: { readonly client: ClientAccessView }) {
  return (
    <>
      <p>
        <Untrusted text={name} className="font-medium" />
      </p>
      <p className="text-sm text-muted">{isDefault ? texts.isDefault : credentialTexts[credential].label}</p>
      {clientId && (
        <p className="flex items-start gap-1 text-sm text-muted">
          <span className="min-w-0">
            {texts.clientId} <Untrusted text={clientId} className="font-mono text-[0.93em]" />
          </span>
          <CopyButton text={clientId} what={`${texts.clientId.toLowerCase()} ${name}`} />
        </p>
      )}
    </>
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
