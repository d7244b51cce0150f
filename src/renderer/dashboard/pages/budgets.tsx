import { useState } from 'react';
import { policyTexts as texts } from '../../texts/policy.ts';
import { Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../server-state.tsx';
import { PolicyEditor } from './budgets/policy-editor.tsx';
import { DelegationsCard } from './delegations-card.tsx';
import { PauseSwitch } from './pause-switch.tsx';
import { PayingCard } from './paying-card.tsx';

/** The limits, and what happens below them. */
export function BudgetsPage() {
  const policy = useRead('policy.get', {});
  const upstreams = useRead('upstreams.list', {});
  const [shown, setShown] = useState(true);
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={policy} lines={8}>
        {(version) => (
          <div className="grid grid-cols-1 gap-4">
            <PauseSwitch paused={version.policy.paused ?? false} />
            <Loaded query={upstreams}>{(value) => <PolicyEditor latest={version} servers={value.upstreams.map(({ name }) => name)} onEveryday={setShown} />}</Loaded>
            {shown && (
              <>
                <DelegationsCard />
                <PayingCard policy={version.policy} />
              </>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}
