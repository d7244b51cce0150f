import { useState } from 'react';
import type { Cap, Rule, Verdict } from '../../../../shared/policy/policy.ts';
import { verdictTexts } from '../../../texts/dashboard.ts';
import { policyTexts as texts } from '../../../texts/policy.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { amountProblem } from '../../policy/budget-problems.ts';

interface QuickRuleProps {
  readonly servers: readonly string[];
  readonly onAdd: (rule: Rule, cap: Cap | undefined) => void;
}

/** The rule that most owners want: on that server, payments up to so much, and so much a day. */
export function QuickRule({ servers, onAdd }: QuickRuleProps) {
  const announce = useAnnounce();
  const [upstream, setUpstream] = useState('');
  const [verdict, setVerdict] = useState<Verdict>('allow');
  const [upTo, setUpTo] = useState('');
  const [day, setDay] = useState('');
  const [tried, setTried] = useState(false);

  function add() {
    setTried(true);
    if (upstream === '' || amountProblem(upTo) || amountProblem(day)) return;
    const rule: Rule = { when: { upstream, ...(upTo !== '' && { amount: { atMost: upTo, unit: 'USD' as const } }) }, verdict };
    onAdd(rule, day === '' ? undefined : { over: { upstream }, window: 'day', unit: 'USD', amount: day });
    announce(texts.quickAdded);
    setUpTo('');
    setDay('');
    setTried(false);
  }
  return (
    <Card title={texts.quick}>
      <div className="grid items-start gap-3 sm:grid-cols-2 xl:grid-cols-4">
        <SelectField label={texts.quickOn} value={upstream} onChange={setUpstream} options={[{ value: '', label: texts.quickServer }, ...servers.map((value) => ({ value, label: value }))]} problem={tried && upstream === '' ? texts.quickServerMissing : undefined} />
        <SelectField label={texts.quickVerdict} value={verdict} onChange={setVerdict} options={(['allow', 'ask', 'deny'] as const).map((value) => ({ value, label: verdictTexts[value].label }))} />
        <TextField label={texts.quickUpTo} value={upTo} onChange={(next) => setUpTo(next.trim())} problem={amountProblem(upTo)} placeholder="0.10" inputMode="decimal" autoComplete="off" maxLength={85} />
        <TextField label={texts.quickDay} value={day} onChange={(next) => setDay(next.trim())} problem={amountProblem(day)} placeholder="2.00" inputMode="decimal" autoComplete="off" maxLength={85} />
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{texts.quickElse}</p>
        <Button onClick={add}>{texts.quickAdd}</Button>
      </div>
    </Card>
  );
}
