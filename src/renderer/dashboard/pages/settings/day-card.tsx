import { useState } from 'react';
import type { PolicyVersionView } from '../../../../shared/contract/policy.ts';
import { dayTexts as texts, settingsTexts } from '../../../texts/settings.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { SelectField } from '../../parts/field.tsx';
import { useAct, useRead } from '../../server-state.tsx';

/** What limits are counted in, and where their days begin. Both are the policy's: a change is a new version of it. */
export function DayCard() {
  const policy = useRead('policy.get', {});
  return (
    <Card title={texts.title}>
      <Loaded query={policy}>{(version) => <Day key={version.number} version={version} />}</Loaded>
    </Card>
  );
}

/** `UTC` is missing from what browsers list. */
const zones = (own: string): readonly string[] => [...new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])].toSorted();

function Day({ version: { number, policy } }: { readonly version: PolicyVersionView }) {
  const set = useAct('policy.set');
  const announce = useAnnounce();
  const [zone, setZone] = useState(policy.timeZone);
  const save = () => set.mutate({ basedOn: number, policy: { ...policy, timeZone: zone } }, { onSuccess: () => announce(texts.saved(zone)) });
  return (
    <div className="grid grid-cols-1 gap-4">
      <dl>
        <Fact label={texts.currency}>
          {texts.dollar}
          <span className="block text-sm text-muted">{texts.dollarNote}</span>
        </Fact>
      </dl>
      <SelectField label={texts.timeZone} value={zone} onChange={setZone} options={zones(policy.timeZone).map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))} note={texts.timeZoneNote} />
      {zone !== policy.timeZone && (
        <div>
          <Button kind="primary" disabled={set.isPending} onClick={save}>
            {set.isPending ? settingsTexts.saving : settingsTexts.save}
          </Button>
        </div>
      )}
      {set.error && <ErrorCallout error={set.error.info} />}
    </div>
  );
}
