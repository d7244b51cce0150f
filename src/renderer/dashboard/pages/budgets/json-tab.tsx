import { useState } from 'react';
import { allIssues, issueWords } from '../../../../shared/errors/issue-words.ts';
import { Policy } from '../../../../shared/policy/policy.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { Callout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { TextArea } from '../../parts/field.tsx';
import { useRead } from '../../server-state.tsx';

interface JsonTabProps {
  readonly policy: Policy;
  /** Undefined while the text is no policy. */
  readonly onChange: (policy: Policy | undefined) => void;
}

type Checked = { readonly policy: Policy } | { readonly bad: string } | { readonly problems: readonly { readonly field: string; readonly words: string }[] };

/** The whole policy as a text. */
export function JsonTab({ policy, onChange }: JsonTabProps) {
  const [text, setText] = useState(() => JSON.stringify(policy, null, 2));
  const checked = check(text);
  // Main knows the tokens, so it knows more that can be wrong.
  const review = useRead('policy.review', { policy: 'policy' in checked ? checked.policy : policy });
  const problems = 'problems' in checked ? checked.problems : 'policy' in checked ? (review.data?.problems ?? []) : [];
  return (
    <Card title={texts.tabs.json}>
      <div className="grid gap-3">
        <TextArea
          label={texts.json}
          value={text}
          rows={24}
          mono
          spellCheck={false}
          note={texts.jsonNote}
          problem={'bad' in checked ? texts.jsonBad(checked.bad) : undefined}
          onChange={(next) => {
            setText(next);
            const now = check(next);
            onChange('policy' in now ? now.policy : undefined);
          }}
        />
        {problems.length > 0 && (
          <Callout tone="danger" role="status">
            <p className="font-medium">{texts.jsonProblems}</p>
            <ul className="mt-1 grid gap-0.5">
              {problems.map(({ field, words }) => (
                <li key={`${field} ${words}`} className="untrusted">
                  <code className="font-mono text-sm">{field || texts.jsonWhole}</code>: {words}
                </li>
              ))}
            </ul>
          </Callout>
        )}
      </div>
    </Card>
  );
}

function check(text: string): Checked {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { bad: error instanceof Error ? error.message : String(error) };
  }
  const parsed = Policy.safeParse(value, { error: issueWords });
  return parsed.success ? { policy: parsed.data } : { problems: allIssues(parsed.error) };
}
