import { useId, useState } from 'react';
import { commonTexts } from '../../../texts/common.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { formatBytes } from '../../../format/bytes.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Fact } from '../../parts/fact.tsx';
import { TextField } from '../../parts/field.tsx';
import { CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { isPassphraseError } from './passphrase-problem.ts';

const SHORTEST = 8;

/** A root of Unix, a drive of Windows, or a share. */
const isAbsolute = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);

/** Writes one encrypted file with everything, on the machine that Bursar runs on. */
export function BackupForm({ onClose }: { readonly onClose: () => void }) {
  const make = useAct('backup.create');
  const status = useRead('backup.status', {});
  const ownId = useId();
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [hasOwn, setHasOwn] = useState(false);
  const [own, setOwn] = useState('');
  const [again, setAgain] = useState('');
  const [tried, setTried] = useState(false);
  const error = make.error?.info;
  const wrong = isPassphraseError(error);
  const pathRefused = error?.code === 'INPUT_INVALID' ? error.message : undefined;
  const ownFits = !hasOwn || (own.length >= SHORTEST && own === again);

  if (make.data) {
    const { path: written, bytes } = make.data;
    return (
      <div className="grid grid-cols-1 gap-4">
        <Callout tone="info" role="status">
          <p className="font-medium">{texts.backupDone}</p>
          <p>{texts.backupKeep}</p>
        </Callout>
        <dl className="grid grid-cols-1 gap-3">
          <Fact label={texts.backupPath}>
            <span className="flex items-start justify-between gap-2">
              <Untrusted text={written} className="min-w-0 font-mono text-sm" />
              <CopyButton text={written} what={texts.backupPath.toLowerCase()} />
            </span>
          </Fact>
          <Fact label={texts.backupSize}>{formatBytes(bytes)}</Fact>
        </dl>
        <div className="flex justify-end">
          <Button kind="primary" onClick={onClose}>
            {texts.done}
          </Button>
        </div>
      </div>
    );
  }

  function submit() {
    setTried(true);
    if (!isAbsolute(path.trim()) || passphrase === '' || !ownFits) return;
    make.mutate({ path: path.trim(), passphrase, ...(hasOwn && { filePassphrase: own }) }, { onSuccess: () => void status.refetch() });
  }
  return (
    <ActForm onSubmit={submit} error={wrong || pathRefused ? undefined : error} busy={make.isPending} confirm={make.isPending ? texts.backupMaking : texts.backupNow} onClose={onClose}>
      <p className="text-muted">{texts.backupNote}</p>
      <TextField label={texts.backupPath} value={path} onChange={setPath} autoComplete="off" spellCheck={false} maxLength={4096} note={texts.backupPathNote} problem={pathRefused ?? (tried && !isAbsolute(path.trim()) ? texts.backupPathProblem : undefined)} />
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? error?.message : undefined} />
      <div className="flex items-start gap-3">
        <input id={ownId} type="checkbox" className="mt-1 size-4 shrink-0 accent-(--accent)" checked={hasOwn} onChange={({ target }) => setHasOwn(target.checked)} />
        <label htmlFor={ownId}>{texts.backupOwn}</label>
      </div>
      {hasOwn && (
        <>
          <TextField label={texts.backupPassphrase} type="password" autoComplete="new-password" value={own} onChange={setOwn} maxLength={1024} note={texts.backupPassphraseNote} problem={tried && own.length < SHORTEST ? texts.backupTooShort : undefined} />
          <TextField label={texts.backupRepeat} type="password" autoComplete="new-password" value={again} onChange={setAgain} maxLength={1024} problem={tried && own.length >= SHORTEST && own !== again ? texts.backupDifferent : undefined} />
        </>
      )}
    </ActForm>
  );
}
