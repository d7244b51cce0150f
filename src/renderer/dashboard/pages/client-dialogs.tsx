import { useId, useState } from 'react';
import { USUAL_SCOPES, type Scope } from '../../../shared/access/scopes.ts';
import { ClientName, CredentialKind, type ClientAccessView } from '../../../shared/contract/client-access.ts';
import { clientTexts as texts, credentialTexts } from '../../texts/clients.ts';
import { ActForm } from '../parts/act-form.tsx';
import { useAnnounce } from '../parts/announcer.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { useAct } from '../server-state.tsx';
import { ShownCredential } from './client-credential.tsx';
import { ScopeFields } from './client-scopes.tsx';

/** What is done with the clients; absent while no dialog is open. */
export type ClientAct = { readonly kind: 'add' } | { readonly kind: 'scopes' | 'rotate' | 'revoke'; readonly client: ClientAccessView };

interface DoneProps {
  readonly onClose: () => void;
}

const TITLES = { scopes: texts.scopesTitle, rotate: texts.rotateTitle, revoke: texts.revokeTitle };

/** One dialog for each act. What it holds is gone when it closes: a secret most of all. */
export function ClientDialogs({ act, onClose }: DoneProps & { readonly act: ClientAct | undefined }) {
  const title = act === undefined ? '' : act.kind === 'add' ? texts.addTitle : TITLES[act.kind](act.client.name);
  return (
    <Dialog open={act !== undefined} title={title} onClose={onClose}>
      {act?.kind === 'add' && <AddForm onClose={onClose} />}
      {act?.kind === 'scopes' && <ScopesForm client={act.client} onClose={onClose} />}
      {act?.kind === 'rotate' && <RotateForm client={act.client} onClose={onClose} />}
      {act?.kind === 'revoke' && <RevokeForm client={act.client} onClose={onClose} />}
    </Dialog>
  );
}

function AddForm({ onClose }: DoneProps) {
  const add = useAct('clients.add');
  const [name, setName] = useState('');
  const [credential, setCredential] = useState<CredentialKind>('key');
  const [scopes, setScopes] = useState<readonly Scope[]>(USUAL_SCOPES);
  const [tried, setTried] = useState(false);
  const given = ClientName.safeParse(name.trim());

  if (add.data) return <ShownCredential credential={add.data} onDone={onClose} />;
  const submit = () => {
    setTried(true);
    if (given.success) add.mutate({ name: given.data, credential, scopes: [...scopes] });
  };
  return (
    <ActForm onSubmit={submit} error={add.error?.info} busy={add.isPending} confirm={add.isPending ? texts.adding : texts.addNow} onClose={onClose}>
      <div>
        <TextField label={texts.name} value={name} onChange={setName} autoComplete="off" maxLength={40} problem={tried && !given.success ? texts.nameProblem : undefined} />
        <p className="mt-1 text-sm text-muted">{texts.nameNote}</p>
      </div>
      <CredentialFields chosen={credential} onChange={setCredential} />
      <ScopeFields scopes={scopes} onChange={setScopes} />
    </ActForm>
  );
}

function CredentialFields({ chosen, onChange }: { readonly chosen: CredentialKind; readonly onChange: (kind: CredentialKind) => void }) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm text-muted">{texts.proves}</legend>
      <div className="grid gap-2">
        {CredentialKind.options.map((kind) => (
          <div key={kind} className="flex items-start gap-3">
            <input id={`${id}-${kind}`} type="radio" name={id} className="mt-1 size-4 shrink-0 accent-(--accent)" checked={kind === chosen} aria-describedby={`${id}-${kind}-note`} onChange={() => onChange(kind)} />
            <div className="min-w-0">
              <label htmlFor={`${id}-${kind}`} className="font-medium">
                {credentialTexts[kind].label}
              </label>
              <p id={`${id}-${kind}-note`} className="text-sm text-muted">
                {credentialTexts[kind].note}
              </p>
            </div>
          </div>
        ))}
      </div>
    </fieldset>
  );
}

function ScopesForm({ client, onClose }: DoneProps & { readonly client: ClientAccessView }) {
  const set = useAct('clients.setScopes');
  const announce = useAnnounce();
  const [scopes, setScopes] = useState<readonly Scope[]>(client.scopes);
  const submit = () =>
    set.mutate(
      { name: client.name, scopes: [...scopes] },
      {
        onSuccess() {
          announce(texts.saved(client.name));
          onClose();
        },
      },
    );
  return (
    <ActForm onSubmit={submit} error={set.error?.info} busy={set.isPending} confirm={set.isPending ? texts.saving : texts.save} onClose={onClose}>
      <ScopeFields scopes={scopes} onChange={setScopes} />
    </ActForm>
  );
}

function RotateForm({ client: { name }, onClose }: DoneProps & { readonly client: ClientAccessView }) {
  const rotate = useAct('clients.rotate');
  if (rotate.data) return <ShownCredential credential={rotate.data} onDone={onClose} />;
  return (
    <ActForm onSubmit={() => rotate.mutate({ name })} error={rotate.error?.info} busy={rotate.isPending} confirm={rotate.isPending ? texts.rotating : texts.rotateNow} onClose={onClose}>
      <p className="text-muted">{texts.rotateNote}</p>
    </ActForm>
  );
}

function RevokeForm({ client: { name }, onClose }: DoneProps & { readonly client: ClientAccessView }) {
  const revoke = useAct('clients.revoke');
  const announce = useAnnounce();
  const submit = () =>
    revoke.mutate(
      { name },
      {
        onSuccess() {
          announce(texts.revoked(name));
          onClose();
        },
      },
    );
  return (
    <ActForm onSubmit={submit} error={revoke.error?.info} busy={revoke.isPending} confirm={revoke.isPending ? texts.revoking : texts.revokeNow} onClose={onClose}>
      <p className="text-muted">{texts.revokeNote}</p>
    </ActForm>
  );
}
