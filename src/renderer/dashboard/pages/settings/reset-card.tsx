import { useState } from 'react';
import type { SettingsView } from '../../../../shared/contract/settings.ts';
import { commonTexts } from '../../../texts/common.ts';
import { layoutTexts } from '../../../texts/dashboard.ts';
import { resetTexts as texts } from '../../../texts/settings.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { isPassphraseError } from '../wallets/passphrase-problem.ts';

/** Beginning anew: play money is deleted, everything else put aside. */
export function ResetCard({ settings: { reset } }: { readonly settings: SettingsView }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Card title={texts.title}>
      <p className="-mt-2 mb-3 text-sm text-muted">{reset.keeps ? texts.note.keeps : texts.note.deletes}</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {texts.open}
      </Button>
      <Dialog open={open} title={open ? texts.dialog : ''} onClose={close}>
        {open && <ResetForm reset={reset} onClose={close} />}
      </Dialog>
    </Card>
  );
}

function ResetForm({ reset: { word, keeps, passphrase: needsPassphrase }, onClose }: { readonly reset: SettingsView['reset']; readonly onClose: () => void }) {
  const reset = useAct('settings.reset');
  const [typed, setTyped] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [tried, setTried] = useState(false);
  const fits = typed.trim().toLowerCase() === word;
  const wrong = isPassphraseError(reset.error?.info);

  if (reset.data) {
    const { keptIn } = reset.data;
    return (
      <div className="grid grid-cols-1 gap-4">
        <Callout tone="info" role="status">
          <p className="font-medium">{texts.done}</p>
          <p>{keptIn ? texts.doneKept : texts.doneDeleted}</p>
        </Callout>
        {keptIn && (
          <div>
            <p className="text-sm text-muted">{texts.keptIn}</p>
            <p className="flex items-start justify-between gap-2">
              <Untrusted text={keptIn} className="min-w-0 font-mono text-sm" />
              <CopyButton text={keptIn} what={texts.keptIn.toLowerCase()} />
            </p>
          </div>
        )}
        <div className="flex justify-end">
          <Button onClick={onClose}>{layoutTexts.close}</Button>
        </div>
      </div>
    );
  }

  function submit() {
    setTried(true);
    if (fits && (!needsPassphrase || passphrase !== '')) reset.mutate({ word, ...(needsPassphrase && { passphrase }) });
  }
  return (
    <ActForm onSubmit={submit} danger error={wrong ? undefined : reset.error?.info} busy={reset.isPending} confirm={reset.isPending ? texts.working : keeps ? texts.confirm.keeps : texts.confirm.deletes} onClose={onClose}>
      {keeps ? (
        <ul className="grid list-disc gap-2 pl-5">
          {texts.keeps.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ) : (
        <p>{texts.deletes}</p>
      )}
      <p className="text-sm text-muted">{texts.clients}</p>
      <TextField label={texts.word(word)} value={typed} onChange={setTyped} autoComplete="off" spellCheck={false} maxLength={100} problem={tried && !fits ? texts.wrongWord(word) : undefined} />
      {needsPassphrase && (
        <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? reset.error?.message : undefined} />
      )}
    </ActForm>
  );
}
