import { useState } from 'react';
import type { Policy } from '../../../../shared/policy/policy.ts';
import { budgetTexts as texts } from '../../../texts/dashboard.ts';
import { policyTexts } from '../../../texts/policy.ts';
import { Card, Empty } from '../../parts/card.tsx';
import { applyDraft, draftOf, hiddenParts, type BudgetDraft } from '../../policy/budget-draft.ts';
import { isSavable } from '../../policy/budget-problems.ts';
import { GlobalLimits, ServerLimits } from '../budget-fields.tsx';

interface LimitsTabProps {
  /** What the fields begin with; they keep their own state from then on. */
  readonly policy: Policy;
  readonly servers: readonly string[];
  /** Undefined while a field is wrong. */
  readonly onChange: (policy: Policy | undefined) => void;
}

/** The limits that most owners need: per call and per day, for everything and for each server. */
export function LimitsTab({ policy: begun, servers, onChange }: LimitsTabProps) {
  const [policy] = useState(begun);
  const [edited, setEdited] = useState<BudgetDraft>();
  const draft = edited ?? draftOf(policy, servers);
  const hidden = hiddenParts(policy);

  function change(next: BudgetDraft) {
    setEdited(next);
    onChange(isSavable(next) ? applyDraft(policy, next) : undefined);
  }
  return (
    <div className="grid gap-4">
      <Card title={texts.all}>
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
                  connected={servers.includes(server.upstream)}
                  otherwise={draft.otherwise}
                  hasDayLimit={draft.day !== ''}
                  onChange={(next) => change({ ...draft, servers: draft.servers.map((other) => (other.upstream === next.upstream ? next : other)) })}
                />
              </li>
            ))}
          </ul>
        )}
        {hidden > 0 && <p className="mt-3 text-sm text-muted">{policyTexts.hidden(hidden)}</p>}
      </Card>
    </div>
  );
}
