import { useId, useState } from 'react';
import type { FieldIssue } from '../../../../shared/errors/issue-words.ts';
import type { Cap, Policy, Rule } from '../../../../shared/policy/policy.ts';
import { verdictTexts } from '../../../texts/dashboard.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { SelectField } from '../../parts/field.tsx';
import { draftOfPolicy, moved, placeOfServerRule, policyOfDraft, replaced, withEntry, without, type PolicyDraft } from '../../policy/policy-draft.ts';
import { AllowlistsCard } from './allowlists-card.tsx';
import { LimitRow } from './limit-row.tsx';
import { QuickRule } from './quick-rule.tsx';
import { RuleRow } from './rule-row.tsx';
import { SuggestionLists, useSuggestions } from './suggestions.tsx';

interface RulesTabProps {
  /** What the editor begins with; it keeps its own state from then on. */
  readonly policy: Policy;
  readonly issues: readonly FieldIssue[];
  readonly onChange: (policy: Policy) => void;
}

const NEW_CAP: Cap = { over: {}, window: 'day', unit: 'USD', amount: '5.00' };
const NEW_RULE: Rule = { when: {}, verdict: 'ask' };

/** Every limit and every rule, in order. */
export function RulesTab({ policy, issues, onChange }: RulesTabProps) {
  const lists = useId();
  const announce = useAnnounce();
  const suggestions = useSuggestions();
  const [draft, setDraft] = useState<PolicyDraft>(() => draftOfPolicy(policy));
  const { caps, rules } = draft;

  function change(next: Partial<PolicyDraft>) {
    const changed = { ...draft, ...next };
    setDraft(changed);
    onChange(policyOfDraft(changed));
  }
  function move(key: number, by: -1 | 1) {
    const next = moved(rules, key, by);
    change({ rules: next });
    announce(texts.ruleAt(next.findIndex((entry) => entry.key === key) + 1));
  }

  const row = { issues, lists, suggestions };
  return (
    <div className="grid gap-4">
      <SuggestionLists id={lists} from={suggestions} />
      <QuickRule servers={suggestions.servers} onAdd={(rule, cap) => change({ rules: withEntry(rules, rule, placeOfServerRule(rules, rule.when.upstream ?? '')), ...(cap && { caps: withEntry(caps, cap) }) })} />
      <Card title={texts.rules} aside={<Button onClick={() => change({ rules: withEntry(rules, NEW_RULE) })}>{texts.ruleAdd}</Button>}>
        <p className="-mt-2 mb-3 text-sm text-muted">{rules.length === 0 ? texts.rulesNone : texts.rulesNote}</p>
        <ol className="divide-y divide-line">
          {rules.map(({ key, value }, index) => (
            <RuleRow key={key} rule={value} index={index} count={rules.length} isNew={value === NEW_RULE} onChange={(next) => change({ rules: replaced(rules, key, next) })} onMove={(by) => move(key, by)} onRemove={() => change({ rules: without(rules, key) })} {...row} />
          ))}
        </ol>
        <div className="mt-4 max-w-md border-t border-line pt-4">
          <SelectField label={texts.otherwise} value={draft.policy.otherwise} onChange={(otherwise) => change({ policy: { ...draft.policy, otherwise } })} options={(['ask', 'allow', 'deny'] as const).map((value) => ({ value, label: `${verdictTexts[value].label}: ${verdictTexts[value].note}` }))} />
        </div>
      </Card>
      <Card title={texts.limits} aside={<Button onClick={() => change({ caps: withEntry(caps, NEW_CAP) })}>{texts.limitAdd}</Button>}>
        <p className="-mt-2 mb-3 text-sm text-muted">{caps.length === 0 ? texts.limitsNone : texts.limitsNote}</p>
        <ul className="divide-y divide-line">
          {caps.map(({ key, value }, index) => (
            <LimitRow key={key} cap={value} index={index} isNew={value === NEW_CAP} onChange={(next) => change({ caps: replaced(caps, key, next) })} onRemove={() => change({ caps: without(caps, key) })} {...row} />
          ))}
        </ul>
      </Card>
      <AllowlistsCard policy={draft.policy} issues={issues} onChange={(next) => change({ policy: next })} />
    </div>
  );
}
