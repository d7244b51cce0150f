import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import type { PolicyVersionView } from '../../../../shared/contract/policy.ts';
import { allIssues, issueWords } from '../../../../shared/errors/issue-words.ts';
import { Policy } from '../../../../shared/policy/policy.ts';
import { formatMomentShort } from '../../../format/time.ts';
import { authorName } from '../../../texts/activity.ts';
import { budgetTexts } from '../../../texts/dashboard.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout, ErrorCallout } from '../../parts/callout.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { mergePolicies } from '../../policy/merge-policies.ts';
import { useAct } from '../../server-state.tsx';
import { JsonTab } from './json-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { RulesTab } from './rules-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

type Tab = keyof typeof texts.tabs;

interface PolicyEditorProps {
  readonly latest: PolicyVersionView;
  readonly servers: readonly string[];
  /** Says whether the tab with the everyday limits is shown. */
  readonly onEveryday: (shown: boolean) => void;
}

interface Edited {
  /** The version that the edits began with. */
  readonly base: PolicyVersionView;
  /** With the edits; what the schema does not take is in {@link issuesOf} it. */
  readonly policy: Policy;
  /** A field holds something that is no part of a policy at all. */
  readonly isBroken: boolean;
  /** Rises where the fields have to begin anew. */
  readonly epoch: number;
}

const issuesOf = (policy: Policy) => {
  const parsed = Policy.safeParse(policy, { error: issueWords });
  return parsed.success ? [] : allIssues(parsed.error);
};

/** Edits on top of one version, in one of three forms. A newer version is taken over at once while nothing is edited, else its owner chooses. */
export function PolicyEditor({ latest, servers, onEveryday }: PolicyEditorProps) {
  const [tab, setTab] = useState<Tab>('limits');
  const [edited, setEdited] = useState<Edited>({ base: latest, policy: latest.policy, isBroken: false, epoch: 0 });
  const [tried, setTried] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  const save = useAct('policy.set');
  const announce = useAnnounce();
  const { base, policy, isBroken, epoch } = edited;
  const issues = issuesOf(policy);
  const isSavable = !isBroken && issues.length === 0;
  const dirty = isBroken || JSON.stringify(policy) !== JSON.stringify(base.policy);
  const conflict = latest.number !== base.number;

  const begin = (version: PolicyVersionView, next: Policy) => {
    setEdited({ base: version, policy: next, isBroken: false, epoch: epoch + 1 });
    setTried(false);
  };
  useEffect(() => {
    if (conflict && !dirty) setEdited({ base: latest, policy: latest.policy, isBroken: false, epoch: epoch + 1 });
  }, [conflict, dirty, latest, epoch]);

  function change(next: Policy | undefined) {
    save.reset();
    setEdited({ ...edited, ...(next && { policy: next }), isBroken: next === undefined });
  }
  function goTo(next: Tab) {
    setTried(!isSavable);
    if (!isSavable) return;
    setTab(next);
    onEveryday(next === 'limits');
  }
  function putBack(earlier: Policy, number: number) {
    begin(latest, earlier);
    setTab('rules');
    onEveryday(false);
    announce(texts.versionIsBack(number));
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setTried(true);
    if (!isSavable) return event.currentTarget.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    setReviewing(true);
  }
  function store() {
    save.mutate(
      { basedOn: base.number, policy },
      {
        onSuccess(version) {
          begin(version, version.policy);
          announce(budgetTexts.saved);
        },
        onSettled: () => setReviewing(false),
      },
    );
  }

  const key = `${tab} ${epoch}`;
  const contents: Readonly<Record<Tab, ReactNode>> = {
    limits: <LimitsTab key={key} policy={policy} servers={servers} onChange={change} />,
    rules: <RulesTab key={key} policy={policy} issues={issues} onChange={change} />,
    json: <JsonTab key={key} policy={policy} onChange={change} />,
    versions: <VersionsTab inForce={latest.number} onPutBack={putBack} />,
  };
  const tabs = (Object.keys(texts.tabs) as Tab[]).map((value) => ({ value, label: texts.tabs[value], content: contents[value] }));
  return (
    <>
      <form className="grid min-w-0 grid-cols-1 gap-4" noValidate onSubmit={submit}>
        {conflict && dirty && <Conflict latest={latest} isBroken={isBroken} onMerge={() => begin(latest, mergePolicies(policy, base.policy, latest.policy))} onDiscard={() => begin(latest, latest.policy)} />}
        <p className="text-sm text-muted">{budgetTexts.version(base.number, formatMomentShort(base.savedAt), authorName(base.author))}</p>
        <Tabs label={texts.tabsLabel} value={tab} onChange={goTo} tabs={tabs} />
        {save.error && !reviewing && <ErrorCallout error={save.error.info} />}
        {tried && !isSavable && (
          <Callout tone="danger" role="alert">
            {budgetTexts.checkFields}
          </Callout>
        )}
        <SaveBar dirty={dirty} saving={save.isPending} blocked={conflict && dirty} onDiscard={() => begin(base, base.policy)} />
      </form>
      {/* Not within the form: it has one of its own. */}
      <ReviewDialog open={reviewing} inForce={base.policy} policy={policy} saving={save.isPending} onSave={store} onClose={() => setReviewing(false)} />
    </>
  );
}

interface ConflictProps {
  readonly latest: PolicyVersionView;
  readonly isBroken: boolean;
  readonly onMerge: () => void;
  readonly onDiscard: () => void;
}

function Conflict({ latest, isBroken, onMerge, onDiscard }: ConflictProps) {
  return (
    <Callout tone="warn" role="alert">
      <p className="font-semibold">{budgetTexts.conflictTitle}</p>
      <p>{budgetTexts.conflict(latest.number, authorName(latest.author))}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button disabled={isBroken} onClick={onMerge}>
          {budgetTexts.conflictMerge}
        </Button>
        <Button onClick={onDiscard}>{budgetTexts.conflictDiscard}</Button>
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

/** Stays in sight while there is something to save, and never else: it would stand over fields. */
function SaveBar({ dirty, saving, blocked, onDiscard }: SaveBarProps) {
  return (
    <div className={`flex flex-wrap items-center justify-between gap-3 rounded-2xl border border-line bg-surface px-5 py-3 ${dirty ? 'sticky bottom-3 shadow-lg' : ''}`}>
      <p className="text-sm text-muted" aria-live="polite">
        {dirty ? budgetTexts.unsaved : budgetTexts.unsavedNone}
      </p>
      <div className="flex gap-2">
        <Button disabled={!dirty || saving} onClick={onDiscard}>
          {budgetTexts.discard}
        </Button>
        <Button kind="primary" type="submit" disabled={!dirty || saving || blocked}>
          {saving ? budgetTexts.saving : budgetTexts.save}
        </Button>
      </div>
    </div>
  );
}
