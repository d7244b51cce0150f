import { useState } from 'react';
import { GroupName } from '../../../shared/contract/discovery.ts';
import type { RouteOutput } from '../../../shared/contract/contract.ts';
import { discoverTexts as texts } from '../../texts/discover.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { ActForm } from '../parts/act-form.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card, Loaded } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { useAct, useRead } from '../server-state.tsx';

type Approved = RouteOutput<'discovery.approved'>;
/** No group is called so. */
const NEW = '+';

/** Which clients have which endpoints as tools: a client is in one group, an endpoint is approved for one. */
export function GroupsCard() {
  const approved = useRead('discovery.approved', {});
  return (
    <Card title={texts.groups}>
      <p className="-mt-2 mb-3 text-sm text-muted">{texts.groupsNote}</p>
      <Loaded query={approved}>
        {(value) => (
          <ul className="divide-y divide-line">
            {value.groups.map((group) => (
              <Group key={group.name} group={group} approved={value} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Group({ group: { name, clients }, approved }: { readonly group: Approved['groups'][number]; readonly approved: Approved }) {
  const tools = approved.approved.filter((endpoint) => endpoint.group === name && endpoint.removedAt === undefined).map(({ tool }) => tool);
  return (
    <li className="grid gap-2 py-3 first:pt-0 last:pb-0">
      <div>
        <h3 className="font-medium">
          <Untrusted text={name} />
        </h3>
        <p className="text-sm text-muted">{tools.length === 0 ? texts.groupNoTools : <Untrusted text={texts.groupTools(tools.join(', '))} />}</p>
      </div>
      {clients.length === 0 ? (
        <p className="text-sm text-muted">{texts.groupNoClients}</p>
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2">
          {clients.map((client) => (
            <li key={client}>
              <Member client={client} group={name} groups={approved.groups.map((other) => other.name)} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Member({ client, group, groups }: { readonly client: string; readonly group: string; readonly groups: readonly string[] }) {
  const move = useAct('discovery.setGroup');
  const announce = useAnnounce();
  const [naming, setNaming] = useState(false);
  const moveTo = (next: string, done?: () => void) =>
    move.mutate(
      { client, group: next },
      {
        onSuccess() {
          announce(texts.groupMoved(client, next));
          done?.();
        },
      },
    );
  return (
    <>
      <SelectField
        label={texts.groupOf(client)}
        value={group}
        onChange={(next) => (next === NEW ? setNaming(true) : next !== group && moveTo(next))}
        options={[...groups.map((value) => ({ value, label: value })), { value: NEW, label: texts.groupNew }]}
      />
      {move.error && !naming && <ErrorCallout error={move.error.info} />}
      <Dialog open={naming} title={texts.groupNewFor(client)} onClose={() => setNaming(false)}>
        {naming && <NewGroup busy={move.isPending} error={move.error?.info} onClose={() => setNaming(false)} onNamed={(next) => moveTo(next, () => setNaming(false))} />}
      </Dialog>
    </>
  );
}

interface NewGroupProps {
  readonly busy: boolean;
  readonly error: Parameters<typeof ErrorCallout>[0]['error'] | undefined;
  readonly onNamed: (name: string) => void;
  readonly onClose: () => void;
}

function NewGroup({ busy, error, onNamed, onClose }: NewGroupProps) {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const isName = GroupName.safeParse(name).success;
  const submit = () => {
    setTried(true);
    if (isName) onNamed(name);
  };
  return (
    <ActForm onSubmit={submit} error={error} busy={busy} confirm={texts.groupMove} onClose={onClose}>
      <TextField label={texts.group} value={name} onChange={(next) => setName(next.trim().toLowerCase())} problem={tried && !isName ? texts.groupProblem : undefined} note={texts.groupNewNote} autoComplete="off" maxLength={32} />
    </ActForm>
  );
}
