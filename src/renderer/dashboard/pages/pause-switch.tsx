import { budgetTexts as texts } from '../../texts/dashboard.ts';
import { Button } from '../parts/button.tsx';
import { ErrorCallout } from '../parts/callout.tsx';
import { Card } from '../parts/card.tsx';
import { useAct } from '../server-state.tsx';

/** Stops every new payment, or lets them go on. Takes effect at once, apart from what is edited below. */
export function PauseSwitch({ paused }: { readonly paused: boolean }) {
  const pause = useAct('policy.pause');
  const resume = useAct('policy.resume');
  const act = paused ? resume : pause;
  return (
    <Card title={paused ? texts.paused : texts.running}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{paused ? texts.pausedNote : texts.runningNote}</p>
        <Button disabled={act.isPending} onClick={() => act.mutate({})}>
          {paused ? texts.resume : texts.pause}
        </Button>
      </div>
      {act.error && <ErrorCallout error={act.error.info} />}
    </Card>
  );
}
