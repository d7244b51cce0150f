import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { SettingsView } from '../../../../shared/contract/settings.ts';
import { dataTexts as texts } from '../../../texts/settings.ts';
import { walletTexts } from '../../../texts/wallets.ts';
import { ExportButtons } from '../../history/export-buttons.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { BackupForm } from '../wallets/backup-form.tsx';

/** Where everything lies, and the ways to take it out. */
export function DataCard({ settings: { folder } }: { readonly settings: SettingsView }) {
  const open = useAct('settings.openFolder');
  const [backsUp, setBacksUp] = useState(false);
  const close = () => setBacksUp(false);
  return (
    <Card title={texts.title}>
      <div className="divide-y divide-line">
        <Row title={texts.folder} note={texts.folderNote}>
          <p className="flex items-start justify-between gap-2">
            <Untrusted text={folder.path} className="min-w-0 font-mono text-sm" />
            <CopyButton text={folder.path} what={texts.folderPath} />
          </p>
          {folder.opens && (
            <Button className="mt-2" aria-label={texts.openFolderLong} disabled={open.isPending} onClick={() => open.mutate({})}>
              {texts.openFolder}
            </Button>
          )}
          {open.error && (
            <div className="mt-3">
              <ErrorCallout error={open.error.info} />
            </div>
          )}
        </Row>
        <Row title={texts.history} note={texts.historyNote}>
          <ExportButtons filter={{}} />
        </Row>
        <Row title={texts.backup} note={texts.backupNote}>
          <Button onClick={() => setBacksUp(true)}>{texts.makeBackup}</Button>
        </Row>
        <Row title={texts.firstSteps} note={texts.firstStepsNote}>
          <Link href="/start" className={buttonClass()}>
            {texts.openFirstSteps}
          </Link>
        </Row>
      </div>
      <Dialog open={backsUp} title={backsUp ? walletTexts.backupTitle : ''} onClose={close}>
        {backsUp && <BackupForm onClose={close} />}
      </Dialog>
    </Card>
  );
}

const Row = ({ title, note, children }: { readonly title: string; readonly note: string; readonly children: ReactNode }) => (
  <div className="py-4 first:pt-0 last:pb-0">
    <h3 className="font-medium">{title}</h3>
    <p className="mb-2 text-sm text-muted">{note}</p>
    {children}
  </div>
);
