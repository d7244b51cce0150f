import { useState, type ReactNode } from 'react';
import { commonTexts } from '../../../texts/common.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Moment } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { BackupForm } from './backup-form.tsx';
import { isPassphraseError } from './passphrase-problem.ts';

/** What protects the wallet: the last backup, where the keys lie, and when they are locked. */
export function SafetyCard() {
  const [act, setAct] = useState<'backup' | 'seal'>();
  const close = () => setAct(undefined);
  return (
    <Card title={texts.safety}>
      <div className="divide-y divide-line">
        <Backup onMake={() => setAct('backup')} />
        <Keys onSeal={() => setAct('seal')} />
        <LockAfter />
      </div>
      <Dialog open={act !== undefined} title={act === 'seal' ? texts.sealTitle : act === 'backup' ? texts.backupTitle : ''} onClose={close}>
        {act === 'backup' && <BackupForm onClose={close} />}
        {act === 'seal' && <SealForm onClose={close} />}
      </Dialog>
    </Card>
  );
}

const Row = ({ children, button }: { readonly children: ReactNode; readonly button?: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0 last:pb-0">
    <div className="min-w-0">{children}</div>
    {button}
  </div>
);

function Backup({ onMake }: { readonly onMake: () => void }) {
  const status = useRead('backup.status', {});
  return (
    <Row button={<Button onClick={onMake}>{texts.backupMake}</Button>}>
      <p className="font-medium">{texts.backup}</p>
      <div className="text-sm">
        <Loaded query={status} lines={1}>
          {({ lastAt }) =>
            lastAt === undefined ? (
              <p className="text-warn">{texts.backupNever}</p>
            ) : (
              <p className="text-muted">
                {texts.backupLast} <Moment at={lastAt} />
              </p>
            )
          }
        </Loaded>
      </div>
    </Row>
  );
}

function Keys({ onSeal }: { readonly onSeal: () => void }) {
  const keys = useRead('app.status', {}).data?.keys;
  if (!keys) return undefined;
  const canSeal = keys.backend === 'keychain' && keys.sealed !== true;
  return (
    <Row button={canSeal ? <Button onClick={onSeal}>{texts.seal}</Button> : undefined}>
      <p className="text-sm text-muted">{keys.passphraseBeside ? texts.keysBeside : keys.backend === 'vault' ? texts.keysVault : keys.sealed ? texts.keysSealed : texts.keysKeychain}</p>
    </Row>
  );
}

const CHOICES = [5, 15, 60, 240, 1440, 0];

/** After how long without the owner the keys are locked. */
export function LockAfter() {
  const owner = useRead('owner.status', {}).data;
  const set = useAct('owner.setLockAfter');
  const announce = useAnnounce();
  const now = owner?.lockAfterMinutes;
  if (now === undefined) return undefined;
  const options = [...(CHOICES.includes(now) ? [] : [now]), ...CHOICES];
  const save = (minutes: string) => set.mutate({ minutes: Number(minutes) }, { onSuccess: () => announce(texts.lockAfterSaved) });
  return (
    <div className="pt-3">
      <SelectField
        label={texts.lockAfter}
        value={String(set.isPending ? set.variables.minutes : now)}
        onChange={save}
        options={options.map((minutes) => ({ value: String(minutes), label: texts.lockAfterOptions(minutes) }))}
        note={texts.lockAfterNote}
        problem={set.error?.message}
      />
    </div>
  );
}

function SealForm({ onClose }: { readonly onClose: () => void }) {
  const seal = useAct('keys.seal');
  const status = useRead('app.status', {});
  const announce = useAnnounce();
  const [passphrase, setPassphrase] = useState('');
  const wrong = isPassphraseError(seal.error?.info);
  const submit = () =>
    passphrase !== '' &&
    seal.mutate(
      { passphrase },
      {
        onSuccess() {
          announce(texts.sealed);
          void status.refetch();
          onClose();
        },
      },
    );
  return (
    <ActForm onSubmit={submit} error={wrong ? undefined : seal.error?.info} busy={seal.isPending} confirm={seal.isPending ? texts.sealing : texts.sealNow} onClose={onClose}>
      <p className="text-muted">{texts.sealNote}</p>
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? seal.error?.message : undefined} />
    </ActForm>
  );
}
