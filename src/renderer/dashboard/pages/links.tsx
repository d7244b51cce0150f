import { useState } from 'react';
import type { EscrowView } from '../../../shared/contract/escrows.ts';
import { linkTexts as texts } from '../../texts/links.ts';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';
import { useRead } from '../server-state.tsx';
import { LinkDialogs, type LinkAct } from './links/link-dialogs.tsx';
import { LinkRow } from './links/link-row.tsx';
import { LinkSettingsCard } from './links/link-settings-card.tsx';

/** Money that was sent to people without a wallet, and how that is done. */
export function LinksPage() {
  const listed = useRead('escrows.list', {});
  const mails = useRead('escrows.settings', {}).data?.mail !== null;
  const [act, setAct] = useState<{ readonly kind: LinkAct; readonly escrow: EscrowView }>();
  return (
    <Page title={texts.title} intro={texts.intro}>
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card title={texts.list}>
          <Loaded query={listed} lines={6}>
            {({ escrows }) =>
              escrows.length === 0 ? (
                <Empty title={texts.none} hint={texts.noneHint} />
              ) : (
                <ul className="divide-y divide-line">
                  {escrows.map((escrow) => (
                    <LinkRow key={escrow.id} escrow={escrow} mails={mails} onAct={(kind) => setAct({ kind, escrow })} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
        <LinkSettingsCard />
      </div>
      <LinkDialogs act={act} onClose={() => setAct(undefined)} />
    </Page>
  );
}
