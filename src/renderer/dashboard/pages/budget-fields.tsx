import { useId } from 'react';
import type { Verdict } from '../../../shared/policy/policy.ts';
import { budgetTexts as texts, verdictTexts } from '../../texts/dashboard.ts';
import { TextField } from '../parts/field.tsx';
import { segmentClass } from '../parts/segment.ts';
import { Untrusted } from '../parts/texts.tsx';
import type { BudgetDraft, LimitsDraft, ServerDraft } from '../policy/budget-draft.ts';
import { amountProblem, callRemark, timeZoneProblem } from '../policy/budget-problems.ts';

const DOLLAR = '$';
const MOST_CHARACTERS = 85;
const GLOBAL_VERDICTS = ['ask', 'allow', 'deny'] as const satisfies readonly Verdict[];
const SERVER_VERDICTS = ['inherit', ...GLOBAL_VERDICTS] as const;
const TIME_ZONES = Intl.supportedValuesOf('timeZone');

interface LimitFieldsProps<T extends LimitsDraft> {
  readonly limits: T;
  readonly onChange: (limits: T) => void;
}

function LimitFields<T extends LimitsDraft>({ limits, onChange }: LimitFieldsProps<T>) {
  const common = { prefix: DOLLAR, placeholder: texts.noLimit, inputMode: 'decimal', autoComplete: 'off', maxLength: MOST_CHARACTERS } as const;
  return (
    <>
      <TextField {...common} label={texts.perCall} value={limits.call} onChange={(call) => onChange({ ...limits, call: call.trim() })} problem={amountProblem(limits.call)} remark={callRemark(limits)} />
      <TextField {...common} label={texts.perDay} value={limits.day} onChange={(day) => onChange({ ...limits, day: day.trim() })} problem={amountProblem(limits.day)} />
    </>
  );
}

interface VerdictChoiceProps<V extends Verdict | 'inherit'> {
  readonly legend: string;
  readonly options: readonly V[];
  readonly value: V;
  readonly onChange: (verdict: V) => void;
}

function VerdictChoice<V extends Verdict | 'inherit'>({ legend, options, value, onChange }: VerdictChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm text-muted">{legend}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-1 rounded-lg bg-inset p-1">
        {options.map((option) => (
          <label
            key={option}
            title={verdictTexts[option].note}
            className={segmentClass}
          >
            <input type="radio" name={name} className="sr-only" checked={option === value} onChange={() => onChange(option)} />
            {verdictTexts[option].label}
          </label>
        ))}
      </div>
      <p className="mt-1 text-sm text-muted">{verdictTexts[value].note}.</p>
    </fieldset>
  );
}

/** The limits over everything, the verdict where no server has its own, and the time zone of the day. */
export function GlobalLimits({ draft, onChange }: { readonly draft: BudgetDraft; readonly onChange: (draft: BudgetDraft) => void }) {
  const list = useId();
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-4">
      <LimitFields limits={draft} onChange={onChange} />
      <VerdictChoice legend={texts.otherwise} options={GLOBAL_VERDICTS} value={draft.otherwise} onChange={(otherwise) => onChange({ ...draft, otherwise })} />
      <TextField label={texts.timeZone} list={list} autoComplete="off" value={draft.timeZone} onChange={(timeZone) => onChange({ ...draft, timeZone })} problem={timeZoneProblem(draft.timeZone)} />
      <datalist id={list}>
        {TIME_ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <p className="text-sm text-muted sm:col-span-2 xl:col-span-4">{texts.unit}</p>
    </div>
  );
}

interface ServerLimitsProps {
  readonly server: ServerDraft;
  /** False for a server that only the policy still names. */
  readonly connected: boolean;
  readonly otherwise: Verdict;
  readonly hasDayLimit: boolean;
  readonly onChange: (server: ServerDraft) => void;
}

/** Limits and verdict of one server. */
export function ServerLimits({ server, connected, otherwise, hasDayLimit, onChange }: ServerLimitsProps) {
  const heading = useId();
  const effective = server.verdict === 'inherit' ? otherwise : server.verdict;
  return (
    <div role="group" aria-labelledby={heading} className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-[minmax(9rem,1fr)_auto_11rem_11rem]">
      <div className="sm:max-xl:col-span-2">
        <h3 id={heading} className="font-medium">
          <Untrusted text={server.upstream} />
        </h3>
        {!connected && <p className="text-sm text-muted">{texts.removed}</p>}
        {effective === 'allow' && !hasDayLimit && server.day === '' && <p className="text-sm text-warn">{texts.problems.noDayLimit}</p>}
      </div>
      <div className="sm:max-xl:col-span-2">
        <VerdictChoice legend={texts.verdict} options={SERVER_VERDICTS} value={server.verdict} onChange={(verdict) => onChange({ ...server, verdict })} />
      </div>
      <LimitFields limits={server} onChange={onChange} />
    </div>
  );
}
