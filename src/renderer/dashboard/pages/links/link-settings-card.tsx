import { useState, type ReactNode } from 'react';
import type { ClaimSettings } from '../../../../shared/contract/escrows.ts';
import { linkTexts as texts } from '../../../texts/links.ts';
import { Button } from '../../parts/button.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { OwnCommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';
import { ClaimPageForm, MailForm, MailTestForm } from './link-settings-forms.tsx';

type Act = 'page' | 'mail' | 'test';

const TITLES: Readonly<Record<Act, string>> = { page: texts.pageTitle, mail: texts.mailTitle, test: texts.testTitle };

/** Where recipients claim, for how long, and what mails the links. */
export function LinkSettingsCard() {
  const settings = useRead('escrows.settings', {});
  const locked = useRead('app.status', {}).data?.keys.locked === true;
  const [act, setAct] = useState<Act>();
  const close = () => setAct(undefined);
  return (
    <Card title={texts.settings}>
      <Loaded query={settings}>
        {(value) => (
          <>
            <Shown settings={value} locked={locked} onAct={setAct} />
            <Dialog open={act !== undefined} title={act === undefined ? '' : TITLES[act]} onClose={close}>
              {act === 'page' && <ClaimPageForm settings={value} onClose={close} />}
              {act === 'mail' && <MailForm settings={value} onClose={close} />}
              {act === 'test' && <MailTestForm onClose={close} />}
            </Dialog>
          </>
        )}
      </Loaded>
    </Card>
  );
}

const Row = ({ title, buttons, children }: { readonly title: string; readonly buttons: ReactNode; readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
    <div className="min-w-0">
      <p className="font-medium">{title}</p>
      <div className="text-sm">{children}</div>
    </div>
    <div className="flex flex-wrap gap-2">{buttons}</div>
  </div>
);

function Shown({ settings: { pageUrl, expiryDays, mail }, locked, onAct }: { readonly settings: ClaimSettings; readonly locked: boolean; readonly onAct: (act: Act) => void }) {
  return (
    <div className="divide-y divide-line">
      <Row title={texts.page} buttons={<Button onClick={() => onAct('page')}>{texts.pageChange}</Button>}>
        {pageUrl === '' ? (
          <>
            <p className="text-warn">{texts.pageNone}</p>
            <p className="mb-1 text-muted">{texts.pageHow}</p>
            <OwnCommandLine words={texts.pageCommand} what={texts.pageCommandWhat} />
          </>
        ) : (
          <p>
            <Untrusted text={pageUrl} />
          </p>
        )}
        <p className="text-muted">{texts.daysShown(expiryDays)}</p>
      </Row>
      <Row
        title={texts.mail}
        buttons={
          <>
            <Button onClick={() => onAct('mail')}>{texts.mailChange}</Button>
            {mail && (
              <Button kind="quiet" onClick={() => onAct('test')}>
                {texts.mailTest}
              </Button>
            )}
          </>
        }
      >
        <p className="text-muted">{mail ? <Untrusted text={texts.mailBy(mail.from, `${mail.host}:${mail.port}`)} /> : locked ? texts.mailLocked : texts.mailNone}</p>
      </Row>
    </div>
  );
}
