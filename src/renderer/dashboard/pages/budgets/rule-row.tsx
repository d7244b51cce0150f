import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useState } from 'react';
import type { FieldIssue } from '../../../../shared/errors/issue-words.ts';
import type { Rule } from '../../../../shared/policy/policy.ts';
import { verdictTexts } from '../../../texts/dashboard.ts';
import { policyTexts as texts, ruleSentence } from '../../../texts/policy.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { problemAt, RULE_MEMBERS, withMember } from '../../policy/policy-draft.ts';
import { ConditionFields } from './condition-fields.tsx';
import { EditButton } from './edit-button.tsx';
import type { Suggestions } from './suggestions.tsx';

interface RuleRowProps {
  readonly rule: Rule;
  readonly index: number;
  readonly count: number;
  /** It was added just now: its fields are shown. */
  readonly isNew: boolean;
  readonly issues: readonly FieldIssue[];
  readonly lists: string;
  readonly suggestions: Suggestions;
  readonly onChange: (rule: Rule) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** One rule: its sentence and its place; the fields that it is made of when they are asked for or hold something wrong. */
export function RuleRow({ rule, index, count, isNew, issues, lists, suggestions, onChange, onMove, onRemove }: RuleRowProps) {
  const place = `rules[${index}]`;
  const number = index + 1;
  const isWrong = problemAt(issues, place) !== undefined;
  const [isOpen, setOpen] = useState(isNew || isWrong);
  const isShown = isOpen || isWrong;
  return (
    <li aria-label={texts.rule(number)} className="grid gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex items-start justify-between gap-x-2 max-sm:flex-wrap">
        <p className="untrusted min-w-0 grow pt-1.5 font-medium">
          <span className="text-muted tabular-nums">{number}. </span>
          {ruleSentence(rule, suggestions.nameOf)}
        </p>
        <div className="flex shrink-0">
          <EditButton isOpen={isShown} disabled={isWrong} row={texts.rule(number)} onToggle={() => setOpen(!isShown)} />
          <Button kind="quiet" className="px-2" disabled={index === 0} aria-label={texts.ruleUp(number)} onClick={() => onMove(-1)}>
            <ArrowUp aria-hidden="true" className="size-4" />
          </Button>
          <Button kind="quiet" className="px-2" disabled={number === count} aria-label={texts.ruleDown(number)} onClick={() => onMove(1)}>
            <ArrowDown aria-hidden="true" className="size-4" />
          </Button>
          <Button kind="quiet" className="px-2" aria-label={texts.ruleRemove(number)} onClick={onRemove}>
            <X aria-hidden="true" className="size-4" />
          </Button>
        </div>
      </div>
      {isShown && (
        <>
          <ConditionFields members={RULE_MEMBERS} value={rule.when} onChange={(when) => onChange({ ...rule, when })} place={`${place}.when`} issues={issues} lists={lists} suggestions={suggestions} />
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <SelectField label={texts.verdict} value={rule.verdict} onChange={(verdict) => onChange({ ...rule, verdict })} options={(['allow', 'ask', 'deny'] as const).map((value) => ({ value, label: `${verdictTexts[value].label}: ${verdictTexts[value].note}` }))} />
            <TextField label={texts.note} value={rule.note ?? ''} onChange={(note) => onChange(withMember(rule, 'note', note === '' ? undefined : note))} problem={problemAt(issues, `${place}.note`)} note={texts.noteHint} autoComplete="off" maxLength={200} />
          </div>
        </>
      )}
    </li>
  );
}
