import { X } from 'lucide-react';
import { useState } from 'react';
import type { FieldIssue } from '../../../../shared/errors/issue-words.ts';
import type { Cap, CapWindow, RuleMatch, Scope } from '../../../../shared/policy/policy.ts';
import { limitSentence, policyTexts as texts } from '../../../texts/policy.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { problemAt, SCOPE_MEMBERS } from '../../policy/policy-draft.ts';
import { ConditionFields } from './condition-fields.tsx';
import { EditButton } from './edit-button.tsx';
import { MinutesField } from './minutes-field.tsx';
import type { Suggestions } from './suggestions.tsx';

interface LimitRowProps {
  readonly cap: Cap;
  readonly index: number;
  /** It was added just now: its fields are shown. */
  readonly isNew: boolean;
  readonly issues: readonly FieldIssue[];
  readonly lists: string;
  readonly suggestions: Suggestions;
  readonly onChange: (cap: Cap) => void;
  readonly onRemove: () => void;
}

type WindowKind = Exclude<CapWindow, object> | 'rolling';

const WINDOWS: readonly WindowKind[] = ['call', 'session', 'hour', 'day', 'week', 'month', 'rolling'];

/** One limit: its sentence, and the fields that it is made of when they are asked for or hold something wrong. */
export function LimitRow({ cap, index, isNew, issues, lists, suggestions, onChange, onRemove }: LimitRowProps) {
  const { window, unit, amount, over } = cap;
  const place = `caps[${index}]`;
  const isWrong = problemAt(issues, place) !== undefined;
  const [isOpen, setOpen] = useState(isNew || isWrong);
  const isShown = isOpen || isWrong;
  const sentence = limitSentence(cap, suggestions.nameOf);
  const kind: WindowKind = typeof window === 'object' ? 'rolling' : window;
  const units = [...new Set(['USD', 'payments', unit, ...suggestions.tokens.map(({ id }) => id)])].map((value) => ({ value, label: value === 'USD' || value === 'payments' ? texts.units[value] : suggestions.nameOf(value) }));
  return (
    <li aria-label={texts.limit(index + 1)} className="grid gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex items-start justify-between gap-x-2 max-sm:flex-wrap">
        <p className="untrusted min-w-0 grow pt-1.5 font-medium">{sentence}</p>
        <div className="flex shrink-0">
          <EditButton isOpen={isShown} disabled={isWrong} row={texts.limit(index + 1)} onToggle={() => setOpen(!isShown)} />
          <Button kind="quiet" className="px-2" aria-label={texts.limitRemove(sentence)} onClick={onRemove}>
            <X aria-hidden="true" className="size-4" />
          </Button>
        </div>
      </div>
      {isShown && (
        <>
          <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-4">
            <TextField label={texts.amount} value={amount} onChange={(next) => onChange({ ...cap, amount: next.trim() })} problem={problemAt(issues, `${place}.amount`)} inputMode="decimal" autoComplete="off" maxLength={160} />
            <SelectField label={texts.unit} value={unit} onChange={(next) => onChange({ ...cap, unit: next })} options={units} problem={problemAt(issues, `${place}.unit`)} />
            <SelectField
              label={texts.window}
              value={kind}
              onChange={(next) => onChange({ ...cap, window: next === 'rolling' ? { rollingMinutes: 60 } : next })}
              options={WINDOWS.map((value) => ({ value, label: texts.windows[value] }))}
              problem={kind === 'rolling' ? undefined : problemAt(issues, `${place}.window`)}
            />
            {typeof window === 'object' && (
              <MinutesField label={texts.minutes} minutes={window.rollingMinutes} onChange={(rollingMinutes) => onChange({ ...cap, window: { rollingMinutes } })} problem={problemAt(issues, `${place}.window`)} />
            )}
          </div>
          <ConditionFields members={SCOPE_MEMBERS} value={over} onChange={(next) => onChange({ ...cap, over: scopeOf(next) })} place={`${place}.over`} issues={issues} lists={lists} suggestions={suggestions} />
        </>
      )}
    </li>
  );
}

const scopeOf = (match: RuleMatch): Scope => Object.fromEntries(Object.entries(match).filter(([member]) => SCOPE_MEMBERS.some((name) => name === member)));
