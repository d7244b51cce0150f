import { useState } from 'react';
import { walletTexts as texts } from '../../texts/wallets.ts';
import { Page } from '../parts/page.tsx';
import { SendDialog, type SendPreset } from './send/send-dialog.tsx';
import { AccountsCard } from './wallets/accounts-card.tsx';
import { AlertsCard } from './wallets/alerts-card.tsx';
import { SafetyCard } from './wallets/safety-card.tsx';
import { SeedsCard } from './wallets/seeds-card.tsx';

/** The accounts, what they hold, and the secrets behind them. */
export function WalletsPage() {
  const [sending, setSending] = useState<SendPreset>();
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <AccountsCard onSend={setSending} />
        <div className="grid min-w-0 grid-cols-1 gap-4">
          <SafetyCard />
          <SeedsCard />
          <AlertsCard />
        </div>
      </div>
      <SendDialog preset={sending} onClose={() => setSending(undefined)} />
    </Page>
  );
}
