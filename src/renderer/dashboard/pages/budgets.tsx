import { useEffect, useState, type FormEvent } from 'react';
import type { PolicyVersionView } from '../../../shared/contract/policy.ts';
import type { UpstreamView } from '../../../shared/contract/upstreams.ts';
import { formatMomentShort } from '../../format/time.ts';
import { budgetTexts as texts } from '../../texts/dashboard.ts';
import { useAnnounce } from '../parts/announcer.tsx';
import { Button } from '../parts/button.tsx';
import { Callout, ErrorCallout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { applyDraft, draftOf, hiddenParts, isSameDraft, rebaseDraft, type BudgetDraft } from '../policy/budget-draft.ts';
import { isSavable } from '../policy/budget-problems.ts';
import { useAct, useRead } from '../server-state.tsx';
import { GlobalLimits, ServerLimits } from './budget-fields.tsx';
import { DelegationsCard } from './delegations-card.tsx';
import { PayingCard } from './paying-card.tsx';
import { PauseSwitch } from './pause-switch.tsx';

/** The limits and what happens below them. */
export function BudgetsPage() {
  const policy = useRead('policy.get', {});
  const upstreams = useRead('upstreams.list', {});
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={policy} lines={8}>
        {(version) => (
          <div className="grid gap-4">
            <PauseSwitch paused={version.policy.paused ?? false} />
            <Loaded query={upstreams}>{(value) => <Editor latest={version} upstreams={value.upstreams} />}</Loaded>
            <DelegationsCard />
            <PayingCard policy={version.policy} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface EditorProps {
  readonly latest: PolicyVersionView;
  readonly upstreams: readonly UpstreamView[];
}

/** Edits on top of one version. A newer one is taken over at once while nothing is edited, else its owner chooses. */
function Editor({ latest, upstreams }: EditorProps) {
  const names = upstreams.map(({ name }) => name);
  const [base, setBase] = useState(latest);
  const [edited, setEdited] = useState<BudgetDraft>();
  const [tried, setTried] = useState(false);
  const save = useAct('policy.set');
  const announce = useAnnounce();
  const saved = draftOf(base.policy, names);
  const draft = edited ?? saved;
  const dirty = !isSameDraft(draft, saved);
  const conflict = latest.number !== base.number;

  useEffect(() => {
    if (!conflict || dirty) return;
    setBase(latest);
    setEdited(undefined);
  }, [conflict, dirty, latest]);

  function change(next: BudgetDraft) {
    save.reset();
    setEdited(next);
  }

  function takeOver(mine: BudgetDraft | undefined) {
    setEdited(mine && rebaseDraft(mine, saved, draftOf(latest.policy, names)));
    setBase(latest);
    save.reset();
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setTried(true);
    if (!isSavable(draft)) return event.currentTarget.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    save.mutate(
      { basedOn: base.number, policy: applyDraft(base.policy, draft) },
      {
        onSuccess(version) {
          setBase(version);
          setEdited(undefined);
          setTried(false);
          announce(texts.saved);
        },
      },
    );
  }

  const hidden = hiddenParts(base.policy);
  const connected = new Set(names);
  return (
    <form className="grid gap-4" noValidate onSubmit={submit}>
      {conflict && dirty && <Conflict latest={latest} onMerge={() => takeOver(draft)} onDiscard={() => takeOver(undefined)} />}
      <Card title={texts.all} aside={<p className="text-sm text-muted">{texts.version(base.number, formatMomentShort(base.savedAt), base.author)}</p>}>
        <GlobalLimits draft={draft} onChange={change} />
      </Card>
      <Card title={texts.servers}>
        <p className="-mt-2 mb-4 text-sm text-muted">{texts.serversNote}</p>
        {draft.servers.length === 0 ? (
          <Empty title={texts.noServers} hint={texts.noServersHint} />
        ) : (
          <ul className="divide-y divide-line">
            {draft.servers.map((server) => (
              <li key={server.upstream} className="py-4 first:pt-0 last:pb-0">
                <ServerLimits
                  server={server}
                  connected={connected.has(server.upstream)}
                  otherwise={draft.otherwise}
                  hasDayLimit={draft.day !== ''}
                  onChange={(next) => change({ ...draft, servers: draft.servers.map((other) => (other.upstream === next.upstream ? next : other)) })}
                />
              </li>
            ))}
          </ul>
        )}
        {hidden > 0 && <p className="mt-3 text-sm text-muted">{texts.kept(hidden)}</p>}
      </Card>
      {save.error && <ErrorCallout error={save.error.info} />}
      {tried && !isSavable(draft) && (
        <Callout tone="danger" role="alert">
          {texts.checkFields}
        </Callout>
      )}
      <SaveBar dirty={dirty} saving={save.isPending} blocked={conflict && dirty} onDiscard={() => change(saved)} />
    </form>
  );
}

interface ConflictProps {
  readonly latest: PolicyVersionView;
  readonly onMerge: () => void;
  readonly onDiscard: () => void;
}

function Conflict({ latest, onMerge, onDiscard }: ConflictProps) {
  return (
    <Callout tone="warn" role="alert">
      <p className="font-semibold">{texts.conflictTitle}</p>
      <p>{texts.conflict(latest.number, latest.author)}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={onMerge}>{texts.conflictMerge}</Button>
        <Button onClick={onDiscard}>{texts.conflictDiscard}</Button>
      </div>
    </Callout>
  );
}

interface SaveBarProps {
  readonly dirty: boolean;
  readonly saving: boolean;
  /** A newer version has to be dealt with first. */
  readonly blocked: boolean;
  readonly onDiscard: () => void;
}

function SaveBar({ dirty, saving, blocked, onDiscard }: SaveBarProps) {
  return (
    <div className="sticky bottom-3 flex flex-wrap items-center justify-between gap-3 rounded-2xl border border-line bg-surface px-5 py-3 shadow-lg">
      <p className="text-sm text-muted" aria-live="polite">
        {dirty ? texts.unsaved : texts.unsavedNone}
      </p>
      <div className="flex gap-2">
        <Button disabled={!dirty || saving} onClick={onDiscard}>
          {texts.discard}
        </Button>
        <Button kind="primary" type="submit" disabled={!dirty || saving || blocked}>
          {saving ? texts.saving : texts.save}
        </Button>
      </div>
    </div>
  );
}
