import { useState } from 'react';
import type { FieldIssue } from '../../../../shared/errors/issue-words.ts';
import type { Allowlists, Policy } from '../../../../shared/policy/policy.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { Card } from '../../parts/card.tsx';
import { TextArea } from '../../parts/field.tsx';
import { problemAt, withMember } from '../../policy/policy-draft.ts';

interface AllowlistsCardProps {
  readonly policy: Policy;
  readonly issues: readonly FieldIssue[];
  readonly onChange: (policy: Policy) => void;
}

/** The servers and payees that may be paid at all, where there are such lists. */
export function AllowlistsCard({ policy, issues, onChange }: AllowlistsCardProps) {
  const lists: Allowlists = policy.only ?? {};
  const change = (member: keyof Allowlists, entries: string[] | undefined) => {
    const next = withMember(lists, member, entries);
    onChange(withMember(policy, 'only', Object.keys(next).length === 0 ? undefined : next));
  };
  return (
    <Card title={texts.only}>
      <div className="grid gap-4 sm:grid-cols-2">
        <List label={texts.onlyServers} entries={lists.upstreams} problem={problemAt(issues, 'only.upstreams')} onChange={(entries) => change('upstreams', entries)} />
        <List label={texts.onlyPayees} entries={lists.payees} problem={problemAt(issues, 'only.payees')} onChange={(entries) => change('payees', entries)} />
      </div>
    </Card>
  );
}

interface ListProps {
  readonly label: string;
  readonly entries: readonly string[] | undefined;
  readonly problem: string | undefined;
  readonly onChange: (entries: string[] | undefined) => void;
}

function List({ label, entries, problem, onChange }: ListProps) {
  // As typed: an empty line is one that is being written.
  const [text, setText] = useState((entries ?? []).join('\n'));
  return (
    <div className="grid content-start gap-2">
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1"
          checked={entries !== undefined}
          onChange={({ target }) => {
            setText('');
            onChange(target.checked ? [] : undefined);
          }}
        />
        {label}
      </label>
      {entries !== undefined && (
        <TextArea
          label={texts.onlyLines}
          value={text}
          rows={5}
          mono
          spellCheck={false}
          problem={problem}
          remark={entries.length === 0 ? texts.onlyEmpty : undefined}
          onChange={(next) => {
            setText(next);
            onChange(next.split('\n').map((line) => line.trim()).filter((line) => line !== ''));
          }}
        />
      )}
    </div>
  );
}
