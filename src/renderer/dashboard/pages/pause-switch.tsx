import { budgetTexts as texts } from '../../texts/dashboard.ts';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card } from '../parts/card.tsx';
import { Switch } from '../parts/switch.tsx';
import { useAct } from '../server-state.tsx';

/** Stops every new payment, or lets them go on. Takes effect at once, apart from what is edited below. */
export function PauseSwitch({ paused }: { readonly paused: boolean }) {
  const pause = useAct('policy.pause');
  const resume = useAct('policy.resume');
  const act = paused ? resume : pause;
  return (
    <Card title={texts.payments}>
      <Switch label={texts.allowPayments} note={paused ? texts.pausedNote : texts.runningNote} checked={!paused} disabled={pause.isPending || resume.isPending} onChange={() => act.mutate({})} />
      {act.error && (
        <div className="mt-3">
          <ErrorCallout error={act.error.info} />
        </div>
      )}
    </Card>
  );
}
