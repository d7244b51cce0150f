import { lockTexts, settingsTexts as texts } from '../../texts/settings.ts';
import { Card, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../server-state.tsx';
import { DataCard } from './settings/data-card.tsx';
import { DayCard } from './settings/day-card.tsx';
import { DesktopCard } from './settings/desktop-card.tsx';
import { FacilitatorsCard } from './settings/facilitators-card.tsx';
import { MoneyKindCard } from './settings/money-kind-card.tsx';
import { NetworksCard } from './settings/networks-card.tsx';
import { PresenceCard } from './settings/presence-card.tsx';
import { ResetCard } from './settings/reset-card.tsx';
import { LockAfter } from './wallets/safety-card.tsx';

/** How Bursar runs on this computer. */
export function SettingsPage() {
  const settings = useRead('settings.get', {});
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={settings} lines={8}>
        {(value) => (
          <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
            <div className="grid min-w-0 grid-cols-1 gap-4">
              <MoneyKindCard settings={value} />
              <NetworksCard settings={value} />
              <FacilitatorsCard />
            </div>
            <div className="grid min-w-0 grid-cols-1 gap-4">
              <Card title={lockTexts.title}>
                <div className="-mt-3">
                  <LockAfter />
                </div>
              </Card>
              <PresenceCard />
              <DesktopCard settings={value} />
              <DayCard />
              <DataCard settings={value} />
              <ResetCard settings={value} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
