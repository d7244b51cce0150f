import { useId } from 'react';
import type { SimulatedPayment, Simulation } from '../../../../shared/contract/policy.ts';
import type { Policy } from '../../../../shared/policy/policy.ts';
import { outcomeWords, policyTexts as texts } from '../../../texts/policy.ts';
import { Loaded } from '../../parts/card.tsx';
import { Amount, Moment, Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';

/** So many of the newest payments are replayed, and so many changed ones are shown. */
const LIMIT = 2_000;
const SHOWN = 50;

/** What the policy in force and another one say of the payments of the past, and those of which they say something else. */
export function PolicyReplay({ inForce, policy }: { readonly inForce: Policy; readonly policy: Policy }) {
  const heading = useId();
  const now = useRead('policy.simulate', { policy: inForce, limit: LIMIT });
  const next = useRead('policy.simulate', { policy, limit: LIMIT });
  return (
    <section aria-labelledby={heading} className="min-w-0">
      <h3 id={heading} className="font-medium">
        {texts.replay}
      </h3>
      <Loaded query={now}>{(before) => <Loaded query={next}>{(after) => <Compared before={before} after={after} />}</Loaded>}</Loaded>
    </section>
  );
}

function Compared({ before, after }: { readonly before: Simulation; readonly after: Simulation }) {
  if (after.payments.length === 0) return <p className="text-muted">{texts.replayNone}</p>;
  const was = new Map(before.payments.map((payment) => [payment.id, payment]));
  const changed = after.payments.flatMap((payment) => {
    const earlier = was.get(payment.id);
    return earlier && earlier.verdict !== payment.verdict ? [{ payment, earlier }] : [];
  });
  const rows = [
    { label: texts.replayNow, counts: before.counts },
    { label: texts.replayNext, counts: after.counts },
  ];
  return (
    <>
      <p className="text-sm text-muted">{texts.replayNote(after.payments.length)}</p>
      <table className="mt-2 w-full max-w-lg text-sm tabular-nums">
        <thead className="text-left text-muted">
          <tr>
            <th className="py-1 pr-3 font-normal">{texts.replayColumns.policy}</th>
            {(['allow', 'ask', 'deny'] as const).map((verdict) => (
              <th key={verdict} className="py-1 pr-3 text-right font-normal">
                {texts.replayColumns[verdict]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ label, counts }) => (
            <tr key={label}>
              <th scope="row" className="py-1 pr-3 text-left font-normal">
                {label}
              </th>
              {(['allow', 'ask', 'deny'] as const).map((verdict) => (
                <td key={verdict} className="py-1 pr-3 text-right">
                  {counts[verdict]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-3 font-medium">{changed.length === 0 ? texts.replaySame : texts.replayChanged(changed.length)}</p>
      {changed.length > 0 && (
        <ul tabIndex={0} aria-label={texts.replayChanged(changed.length)} className="mt-1 max-h-72 divide-y divide-line overflow-auto">
          {changed.toReversed().slice(0, SHOWN).map(({ payment, earlier }) => (
            <Changed key={payment.id} payment={payment} earlier={earlier} />
          ))}
        </ul>
      )}
      {changed.length > SHOWN && <p className="text-sm text-muted">{texts.replayMore(changed.length - SHOWN)}</p>}
      <details className="mt-2 text-sm text-muted">
        <summary>{texts.replayUnknown}</summary>
        <ul className="mt-1 list-disc pl-5">
          {after.notReplayed.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

function Changed({ payment, earlier }: { readonly payment: SimulatedPayment; readonly earlier: SimulatedPayment }) {
  return (
    <li className="py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{texts.replayFrom(outcomeWords[earlier.verdict], outcomeWords[payment.verdict])}</span>
        <Amount money={payment.money} />
        <span>
          <Untrusted text={payment.tool} className="font-mono" /> <Untrusted text={payment.upstream} className="text-muted" />
        </span>
        <span className="text-muted">
          <Moment at={payment.createdAt} />, {texts.replayDecision(payment.decision)}
        </span>
      </p>
      <p className="text-muted">
        <Untrusted text={payment.rule} />
      </p>
    </li>
  );
}
