import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FieldIssue } from '../../../../shared/errors/issue-words.ts';
import { WEEKDAYS, type AmountRange, type During, type RuleMatch } from '../../../../shared/policy/policy.ts';
import { dayName, memberTexts, policyTexts as texts } from '../../../texts/policy.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { problemAt, withMember } from '../../policy/policy-draft.ts';
import { MinutesField } from './minutes-field.tsx';
import type { Suggestions } from './suggestions.tsx';

type Member = keyof RuleMatch;

/** What a condition begins with. */
const FRESH = { upstream: '', tool: '*', client: '', payee: '', account: '', network: '', asset: '', dialect: '', amount: { atMost: '1.00', unit: 'USD' }, during: { from: '09:00', to: '17:00' }, firstPayment: 'payee', changedTerms: true, repeatWithinMinutes: 10 } as const satisfies Record<Member, unknown>;

const LISTS: Partial<Record<Member, string>> = { upstream: 'servers', client: 'clients', account: 'accounts', network: 'networks', asset: 'tokens' };
const TEXTS = ['upstream', 'tool', 'client', 'payee', 'account', 'network', 'asset', 'dialect'] as const;

interface ConditionFieldsProps {
  /** What may be looked at here, in order. */
  readonly members: readonly Member[];
  readonly value: RuleMatch;
  readonly onChange: (value: RuleMatch) => void;
  /** Where it stands in the policy: `rules[2].when`. */
  readonly place: string;
  readonly issues: readonly FieldIssue[];
  /** Id of the lists of suggestions. */
  readonly lists: string;
  readonly suggestions: Suggestions;
}

/** What a limit or rule looks at: one field for each member that is there, and a choice of those that are not. */
export function ConditionFields({ members, value, onChange, ...rest }: ConditionFieldsProps) {
  const present = members.filter((member) => value[member] !== undefined);
  const absent = members.filter((member) => value[member] === undefined);
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-medium">{texts.conditions}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {present.map((member) => (
          <div key={member} className={`flex min-w-0 items-start gap-1 ${member === 'amount' || member === 'during' ? 'sm:col-span-2' : ''}`}>
            <div className="min-w-0 grow">
              <Condition member={member} value={value} onChange={onChange} {...rest} />
            </div>
            <Button kind="quiet" className="mt-6 px-2" aria-label={texts.conditionRemove(memberTexts[member].label)} onClick={() => onChange(withMember(value, member, undefined))}>
              <X aria-hidden="true" className="size-4" />
            </Button>
          </div>
        ))}
        {absent.length > 0 && (
          <div className="self-end">
            <SelectField
              label={present.length === 0 ? texts.conditionNone : texts.conditionAdd}
              value=""
              onChange={(member) => member !== '' && onChange({ ...value, [member]: FRESH[member] })}
              options={[{ value: '' as const, label: texts.conditionChoose }, ...absent.map((member) => ({ value: member, label: memberTexts[member].label }))]}
            />
          </div>
        )}
      </div>
    </fieldset>
  );
}

type ConditionProps = Omit<ConditionFieldsProps, 'members'> & { readonly member: Member };

function Condition({ member, value, onChange, place, issues, lists, suggestions }: ConditionProps): ReactNode {
  const { label, note } = memberTexts[member];
  const problem = problemAt(issues, `${place}.${member}`);
  const text = TEXTS.find((name) => name === member);
  if (text) {
    const written = value[text] ?? '';
    const token = text === 'asset' && suggestions.nameOf(written) !== written ? suggestions.nameOf(written) : undefined;
    return <TextField label={label} value={written} onChange={(next) => onChange({ ...value, [text]: next })} problem={problem} note={token ?? note} autoComplete="off" spellCheck={false} maxLength={260} {...(LISTS[text] && { list: `${lists}-${LISTS[text]}` })} />;
  }
  if (member === 'amount') return <AmountFields range={value.amount ?? FRESH.amount} onChange={(amount) => onChange({ ...value, amount })} place={`${place}.amount`} issues={issues} lists={lists} />;
  if (member === 'during') return <DuringFields during={value.during ?? {}} onChange={(during) => onChange({ ...value, during })} place={`${place}.during`} issues={issues} />;
  if (member === 'firstPayment') {
    const options = (['payee', 'tool'] as const).map((option) => ({ value: option, label: texts.firstPayment[option] }));
    return <SelectField label={label} value={value.firstPayment ?? 'payee'} onChange={(firstPayment) => onChange({ ...value, firstPayment })} options={options} />;
  }
  if (member === 'repeatWithinMinutes') {
    return <MinutesField label={label} minutes={value.repeatWithinMinutes ?? 0} onChange={(repeatWithinMinutes) => onChange({ ...value, repeatWithinMinutes })} problem={problem} note={note} />;
  }
  const options = (['true', 'false'] as const).map((option) => ({ value: option, label: texts.changedTerms[option] }));
  return <SelectField label={label} value={value.changedTerms ? 'true' : 'false'} onChange={(chosen) => onChange({ ...value, changedTerms: chosen === 'true' })} options={options} note={note} />;
}

interface AmountFieldsProps {
  readonly range: AmountRange;
  readonly onChange: (range: AmountRange) => void;
  readonly place: string;
  readonly issues: readonly FieldIssue[];
  readonly lists: string;
}

function AmountFields({ range, onChange, place, issues, lists }: AmountFieldsProps) {
  const bound = (member: 'atLeast' | 'atMost') => (
    <TextField
      label={texts[member]}
      value={range[member] ?? ''}
      onChange={(next) => onChange(withMember(range, member, next.trim() === '' ? undefined : next.trim()))}
      problem={problemAt(issues, `${place}.${member}`)}
      inputMode="decimal"
      autoComplete="off"
      maxLength={160}
    />
  );
  return (
    <div role="group" aria-label={memberTexts.amount.label} className="grid gap-2 sm:grid-cols-[1fr_1fr_2fr]">
      {bound('atLeast')}
      {bound('atMost')}
      <TextField label={texts.unit} value={range.unit} onChange={(unit) => onChange({ ...range, unit })} problem={problemAt(issues, `${place}.unit`) ?? issues.find(({ field }) => field === place)?.words} list={`${lists}-tokens`} autoComplete="off" spellCheck={false} maxLength={200} />
    </div>
  );
}

interface DuringFieldsProps {
  readonly during: During;
  readonly onChange: (during: During) => void;
  readonly place: string;
  readonly issues: readonly FieldIssue[];
}

function DuringFields({ during, onChange, place, issues }: DuringFieldsProps) {
  const days = during.days ?? [];
  const time = (member: 'from' | 'to') => (
    <TextField label={texts[member]} value={during[member] ?? ''} onChange={(next) => onChange(withMember(during, member, next.trim() === '' ? undefined : next.trim()))} problem={problemAt(issues, `${place}.${member}`)} placeholder={member === 'from' ? '00:00' : '24:00'} autoComplete="off" maxLength={5} />
  );
  return (
    <div role="group" aria-label={memberTexts.during.label} className="grid gap-2">
      <fieldset>
        <legend className="mb-1 text-sm text-muted">{texts.days}</legend>
        <div className="flex flex-wrap gap-x-3 gap-y-1">
          {WEEKDAYS.map((day) => (
            <label key={day} className="flex items-center gap-1.5 text-sm">
              <input
                type="checkbox"
                checked={days.includes(day)}
                onChange={({ target }) => {
                  const next = target.checked ? [...days, day] : days.filter((other) => other !== day);
                  onChange(withMember(during, 'days', next.length === 0 ? undefined : next));
                }}
              />
              {dayName(day)}
            </label>
          ))}
        </div>
      </fieldset>
      <div className="grid grid-cols-2 gap-2 sm:max-w-64">
        {time('from')}
        {time('to')}
      </div>
    </div>
  );
}
