import { FileKey } from 'lucide-react';
import { useId, useState } from 'react';
import { Label, type AccountView } from '../../../../shared/contract/accounts.ts';
import type { ErrorCode } from '../../../../shared/errors/codes.ts';
import type { ErrorInfo } from '../../../../shared/errors/errors.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { SelectField, TextArea, TextField } from '../../parts/field.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { useAct, useRead } from '../../server-state.tsx';

interface FormProps {
  readonly onBack: () => void;
  readonly onClose: () => void;
}

type ChainKind = keyof typeof texts.kinds;

const KINDS: readonly { readonly value: ChainKind; readonly label: string }[] = [
  { value: 'eip155', label: texts.kinds.eip155 },
  { value: 'solana', label: texts.kinds.solana },
];

/** The message of an error that belongs to one field; the rest is said below the form. */
const within = (error: ErrorInfo | undefined, codes: readonly ErrorCode[]): string | undefined => (error && codes.includes(error.code) ? `${error.message} ${error.hint}`.trim() : undefined);

const KindField = ({ kind, onChange }: { readonly kind: ChainKind; readonly onChange: (kind: ChainKind) => void }) => <SelectField label={texts.kind} value={kind} onChange={onChange} options={KINDS} />;

/** A name, and what is wrong with it once it was tried. */
function useName() {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const given = Label.safeParse(name);
  return {
    tried,
    setTried: () => setTried(true),
    label: given.success ? given.data : undefined,
    field: <TextField label={texts.name} value={name} onChange={setName} autoComplete="off" maxLength={40} note={texts.renameNote} problem={tried && !given.success ? texts.nameProblem : undefined} />,
  };
}

function useAdded(onClose: () => void) {
  const announce = useAnnounce();
  return (accounts: readonly AccountView[]) => {
    announce(texts.added(accounts.map(({ label }) => label).join(', ')));
    onClose();
  };
}

const confirmOf = (busy: boolean): string => (busy ? texts.adding : texts.addNow);

const MOST_INDEX = 2 ** 31 - 1;
const MAIN = 'main';

/** The next account of the wallet's words. */
export function DeriveForm({ onBack, onClose }: FormProps) {
  const derive = useAct('accounts.derive');
  const seeds = useRead('seeds.list', {}).data?.seeds ?? [];
  const done = useAdded(onClose);
  const name = useName();
  const [kind, setKind] = useState<ChainKind>('eip155');
  const [seed, setSeed] = useState(MAIN);
  const [number, setNumber] = useState('');
  const index = number.trim() === '' ? undefined : Number(number);
  const fits = index === undefined || (/^\d{1,10}$/.test(number.trim()) && index <= MOST_INDEX);

  function submit() {
    name.setTried();
    if (name.label === undefined || !fits) return;
    derive.mutate({ namespace: kind, label: name.label, ...(seed !== MAIN && { seed }), ...(index !== undefined && { index }) }, { onSuccess: (account) => done([account]) });
  }
  return (
    <ActForm onSubmit={submit} error={derive.error?.info} busy={derive.isPending} confirm={confirmOf(derive.isPending)} cancel={texts.back} onClose={onBack}>
      {name.field}
      <KindField kind={kind} onChange={setKind} />
      {seeds.length > 1 && <SelectField label={texts.wallet} value={seed} onChange={setSeed} options={seeds.map(({ id, label }) => ({ value: id, label: id === MAIN ? texts.ownWords : label }))} />}
      <TextField label={texts.number} value={number} onChange={setNumber} inputMode="decimal" autoComplete="off" maxLength={10} note={texts.numberNote} problem={fits ? undefined : texts.numberProblem} />
    </ActForm>
  );
}

const MOST_KEY = 4096;

/** A key of the owner's, pasted or from its file. */
export function ImportForm({ onBack, onClose }: FormProps) {
  const add = useAct('accounts.import');
  const done = useAdded(onClose);
  const name = useName();
  const fileId = useId();
  const [kind, setKind] = useState<ChainKind>('eip155');
  const [secret, setSecret] = useState('');
  const [filePassphrase, setFilePassphrase] = useState('');
  const [fileProblem, setFileProblem] = useState<string>();
  const error = add.error?.info;
  const passphraseProblem = within(error, ['PASSPHRASE_WRONG']);
  const secretProblem = fileProblem ?? within(error, ['KEY_INVALID', 'KEY_FILE_UNSUPPORTED', 'INPUT_INVALID']) ?? (name.tried && secret.trim() === '' ? texts.secretProblem : undefined);

  async function take(file: File | undefined) {
    if (!file) return;
    setFileProblem(undefined);
    try {
      if (file.size > MOST_KEY) throw new Error('too large');
      setSecret(await file.text());
    } catch {
      setFileProblem(texts.fileUnreadable);
    }
  }

  function submit() {
    name.setTried();
    if (name.label === undefined || secret.trim() === '') return;
    add.mutate({ namespace: kind, label: name.label, secret: secret.trim(), ...(filePassphrase !== '' && { filePassphrase }) }, { onSuccess: (account) => done([account]) });
  }
  return (
    <ActForm onSubmit={submit} error={secretProblem ?? passphraseProblem ? undefined : error} busy={add.isPending} confirm={confirmOf(add.isPending)} cancel={texts.back} onClose={onBack}>
      {name.field}
      <KindField kind={kind} onChange={setKind} />
      <TextField label={texts.secret} type="password" value={secret} onChange={setSecret} autoComplete="off" spellCheck={false} maxLength={MOST_KEY} note={texts.secretNote[kind]} problem={secretProblem} />
      {kind === 'solana' && (
        <>
          <div>
            <input id={fileId} type="file" accept=".json,.txt,application/json,text/plain" className="peer sr-only" onChange={({ target }) => void take(target.files?.[0])} />
            <label htmlFor={fileId} className={`${buttonClass()} cursor-pointer peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent`}>
              <FileKey aria-hidden="true" className="size-4" />
              {texts.file}
            </label>
          </div>
          <TextField label={texts.filePassphrase} type="password" value={filePassphrase} onChange={setFilePassphrase} autoComplete="off" maxLength={1024} note={texts.filePassphraseNote} problem={passphraseProblem} />
        </>
      )}
    </ActForm>
  );
}

/** The words of another wallet. */
export function WordsForm({ onBack, onClose }: FormProps) {
  const add = useAct('accounts.importMnemonic');
  const done = useAdded(onClose);
  const name = useName();
  const [words, setWords] = useState('');
  const error = add.error?.info;
  const problem = within(error, ['MNEMONIC_INVALID', 'MNEMONIC_CHECKSUM', 'KEY_INVALID']) ?? (name.tried && words.trim() === '' ? texts.wordsProblem : undefined);

  function submit() {
    name.setTried();
    if (name.label !== undefined && words.trim() !== '') add.mutate({ label: name.label, words }, { onSuccess: ({ accounts }) => done(accounts) });
  }
  return (
    <ActForm onSubmit={submit} error={problem ? undefined : error} busy={add.isPending} confirm={confirmOf(add.isPending)} cancel={texts.back} onClose={onBack}>
      {name.field}
      <TextArea label={texts.words} value={words} onChange={setWords} rows={4} maxLength={2048} spellCheck={false} mono note={texts.wordsNote} problem={problem} />
    </ActForm>
  );
}

/** An address whose key lies elsewhere. */
export function WatchForm({ onBack, onClose }: FormProps) {
  const watch = useAct('accounts.watch');
  const done = useAdded(onClose);
  const name = useName();
  const [kind, setKind] = useState<ChainKind>('eip155');
  const [address, setAddress] = useState('');
  const error = watch.error?.info;
  const problem = within(error, ['INPUT_INVALID', 'ADDRESS_INVALID', 'KEY_INVALID']) ?? (name.tried && address.trim() === '' ? texts.addressProblem : undefined);

  function submit() {
    name.setTried();
    if (name.label !== undefined && address.trim() !== '') watch.mutate({ namespace: kind, label: name.label, address: address.trim() }, { onSuccess: (account) => done([account]) });
  }
  return (
    <ActForm onSubmit={submit} error={problem ? undefined : error} busy={watch.isPending} confirm={confirmOf(watch.isPending)} cancel={texts.back} onClose={onBack}>
      {name.field}
      <KindField kind={kind} onChange={setKind} />
      <TextField label={texts.address} value={address} onChange={setAddress} autoComplete="off" spellCheck={false} maxLength={100} problem={problem} />
    </ActForm>
  );
}
