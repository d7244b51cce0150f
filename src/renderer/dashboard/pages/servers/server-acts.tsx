import { useState } from 'react';
import type { PolicyVersionView } from '../../../../shared/contract/policy.ts';
import type { UpstreamView } from '../../../../shared/contract/upstreams.ts';
import { serverTexts as texts } from '../../../texts/servers.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { applyDraft, draftOf, isSameDraft, otherPartsOf, type ServerDraft } from '../../policy/budget-draft.ts';
import { isSavable } from '../../policy/budget-problems.ts';
import { useAct, useRead } from '../../server-state.tsx';
import { ServerLimits } from '../budget-fields.tsx';
import { LooserWords } from '../budgets/looser-words.tsx';

/** What is done to a server in a dialog. */
export interface ServerAct {
  readonly kind: 'budget' | 'remove';
  readonly server: UpstreamView;
}

export function ServerActs({ act, onClose }: { readonly act: ServerAct | undefined; readonly onClose: () => void }) {
  const title = act && (act.kind === 'budget' ? texts.budgetOf(act.server.name) : texts.removeOf(act.server.name));
  return (
    <Dialog form={act?.kind === 'budget' ? 'wide' : 'centre'} open={act !== undefined} title={title ?? ''} onClose={onClose}>
      {act?.kind === 'remove' && <Removal name={act.server.name} onClose={onClose} />}
      {act?.kind === 'budget' && <Budget name={act.server.name} onClose={onClose} />}
    </Dialog>
  );
}

function Removal({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const remove = useAct('upstreams.remove');
  const announce = useAnnounce();
  const submit = () =>
    remove.mutate(
      { name },
      {
        onSuccess() {
          announce(texts.removed(name));
          onClose();
        },
      },
    );
  return (
    <ActForm danger onSubmit={submit} error={remove.error?.info} busy={remove.isPending} confirm={remove.isPending ? texts.removing : texts.removeOf(name)} onClose={onClose}>
      <p>{texts.removeNote}</p>
    </ActForm>
  );
}

function Budget({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const policy = useRead('policy.get', {});
  return <Loaded query={policy}>{(version) => <BudgetForm key={version.number} version={version} name={name} onClose={onClose} />}</Loaded>;
}

/** A version that came meanwhile begins the form anew: what was typed was meant for other limits. */
function BudgetForm({ version, name, onClose }: { readonly version: PolicyVersionView; readonly name: string; readonly onClose: () => void }) {
  const save = useAct('policy.set');
  const announce = useAnnounce();
  const saved = draftOf(version.policy, [name]);
  const [draft, setDraft] = useState(saved);
  const server = draft.servers.find(({ upstream }) => upstream === name);
  const dirty = !isSameDraft(draft, saved);
  const next = isSavable(draft) ? applyDraft(version.policy, draft) : version.policy;
  const loosens = useRead('policy.review', { policy: next }).data?.loosens ?? [];
  const others = otherPartsOf(version.policy, name);
  const change = (changed: ServerDraft) => setDraft({ ...draft, servers: draft.servers.map((other) => (other.upstream === name ? changed : other)) });

  function submit() {
    if (!isSavable(draft) || !dirty) return;
    save.mutate(
      { basedOn: version.number, policy: next },
      {
        onSuccess() {
          announce(texts.saved(name));
          onClose();
        },
      },
    );
  }
  return (
    <ActForm onSubmit={submit} error={save.error?.info} busy={save.isPending || !dirty || !isSavable(draft)} confirm={save.isPending ? texts.saving : texts.save} onClose={onClose}>
      <p className="text-muted">{texts.budgetNote}</p>
      {server && <ServerLimits server={server} connected otherwise={draft.otherwise} hasDayLimit={draft.day !== ''} onChange={change} />}
      {others > 0 && <p className="text-sm text-muted">{texts.budgetMore(others)}</p>}
      {dirty && <LooserWords title={texts.loosens} loosens={loosens} />}
    </ActForm>
  );
}
