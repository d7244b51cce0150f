import { ArrowUpToLine, Eye, EyeOff, KeyRound, Pencil, Trash2, Users } from 'lucide-react';
import { useState } from 'react';
import { Label, type AccountView } from '../../../../shared/contract/accounts.ts';
import { commonTexts } from '../../../texts/common.ts';
import { payingTexts } from '../../../texts/paying.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { wayToPay } from '../../../texts/ways-to-pay.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Callout } from '../../parts/callout.tsx';
import { ChoiceList, type Choice } from '../../parts/choice-list.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Address } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { ExportForm } from './export-form.tsx';
import { isPassphraseError } from './passphrase-problem.ts';
import { MaximumForm, PayFromForm } from './paying-forms.tsx';

type Act = 'rename' | 'maximum' | 'payFrom' | 'hide' | 'show' | 'export' | 'remove';

const TITLES: Readonly<Record<Act, (label: string) => string>> = { rename: texts.renameTitle, maximum: payingTexts.maximumTitle, payFrom: payingTexts.payFromTitle, hide: texts.hideTitle, show: texts.manageTitle, export: texts.exportTitle, remove: texts.removeTitle };

/** What can be done with this account: one of a seed is hidden and never removed, and only a key that lies here can be shown. */
function choicesOf({ source, namespace, hidden }: AccountView): readonly Choice<Act>[] {
  const hasKey = source !== 'watch' && wayToPay(namespace) === 'chain';
  return [
    { kind: 'rename', Icon: Pencil, label: texts.rename, note: texts.renameNote },
    ...(source === 'watch' || hidden ? [] : [{ kind: 'maximum', Icon: ArrowUpToLine, label: payingTexts.maximum, note: payingTexts.maximumNote } as const]),
    ...(hasKey && !hidden && namespace === 'solana' ? [{ kind: 'payFrom', Icon: Users, label: payingTexts.payFrom, note: payingTexts.payFromNote } as const] : []),
    hidden ? { kind: 'show', Icon: Eye, label: texts.show, note: texts.showNote } : { kind: 'hide', Icon: EyeOff, label: texts.hide, note: texts.hideNote },
    ...(hasKey ? [{ kind: 'export', Icon: KeyRound, label: texts.exportKey, note: texts.exportNote } as const] : []),
    ...(source === 'seed' ? [] : [{ kind: 'remove', Icon: Trash2, label: texts.remove, note: source === 'watch' ? texts.removeWatchNote : texts.removeNote } as const]),
  ];
}

interface ManageDialogProps {
  readonly account: AccountView | undefined;
  readonly onClose: () => void;
}

/** First what can be done with an account, then the form of what was chosen. */
export function ManageDialog({ account, onClose }: ManageDialogProps) {
  const [act, setAct] = useState<Act>();
  const close = () => {
    setAct(undefined);
    onClose();
  };
  return (
    <Dialog open={account !== undefined} title={account ? (act === undefined ? texts.manageTitle : TITLES[act])(account.label) : ''} onClose={close}>
      {account && act === undefined && <ChoiceList choices={choicesOf(account)} onChoose={setAct} />}
      {account && act === 'rename' && <RenameForm account={account} onClose={close} />}
      {account && act === 'maximum' && <MaximumForm account={account} onClose={close} />}
      {account && act === 'payFrom' && <PayFromForm account={account} onClose={close} />}
      {account && (act === 'hide' || act === 'show') && <HideForm account={account} hide={act === 'hide'} onClose={close} />}
      {account && act === 'export' && <ExportForm account={account} onClose={close} />}
      {account && act === 'remove' && <RemoveForm account={account} onClose={close} />}
    </Dialog>
  );
}

interface FormProps {
  readonly account: AccountView;
  readonly onClose: () => void;
}

/** Says what was done and closes. */
function useDone(onClose: () => void) {
  const announce = useAnnounce();
  return (words: string) => () => {
    announce(words);
    onClose();
  };
}

function RenameForm({ account: { id, label }, onClose }: FormProps) {
  const rename = useAct('accounts.rename');
  const done = useDone(onClose);
  const [name, setName] = useState(label);
  const given = Label.safeParse(name);
  const submit = () => given.success && rename.mutate({ accountId: id, label: given.data }, { onSuccess: done(texts.renamed(given.data)) });
  return (
    <ActForm onSubmit={submit} error={rename.error?.info} busy={rename.isPending} confirm={rename.isPending ? texts.working : texts.save} onClose={onClose}>
      <TextField label={texts.name} value={name} onChange={setName} autoComplete="off" maxLength={40} note={texts.renameNote} problem={given.success ? undefined : texts.nameProblem} />
    </ActForm>
  );
}

function HideForm({ account: { id, label }, hide, onClose }: FormProps & { readonly hide: boolean }) {
  const change = useAct('accounts.hide');
  const done = useDone(onClose);
  const submit = () => change.mutate({ accountId: id, hidden: hide }, { onSuccess: done(hide ? texts.hidden(label) : texts.shown(label)) });
  return (
    <ActForm onSubmit={submit} error={change.error?.info} busy={change.isPending} confirm={change.isPending ? texts.working : hide ? texts.hideNow : texts.show} onClose={onClose}>
      <p className="text-muted">{hide ? texts.hideExplained : texts.showNote}</p>
    </ActForm>
  );
}

function RemoveForm({ account: { id, label, address, source, namespace }, onClose }: FormProps) {
  const remove = useAct('accounts.remove');
  const done = useDone(onClose);
  const [confirm, setConfirm] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [tried, setTried] = useState(false);
  const needsPassphrase = source !== 'watch' && wayToPay(namespace) === 'chain';
  const confirmed = confirm.trim() === address;
  const wrong = isPassphraseError(remove.error?.info);
  const submit = () => {
    setTried(true);
    if (confirmed && (!needsPassphrase || passphrase !== '')) remove.mutate({ accountId: id, confirm: address, ...(needsPassphrase && { passphrase }) }, { onSuccess: done(texts.removed(label)) });
  };
  return (
    <ActForm danger onSubmit={submit} error={wrong ? undefined : remove.error?.info} busy={remove.isPending} confirm={remove.isPending ? texts.working : texts.removeNow} onClose={onClose}>
      <Callout tone={source === 'watch' ? 'info' : 'danger'}>{source === 'watch' ? texts.removeWatchExplained : texts.removeExplained}</Callout>
      <p className="text-sm text-muted">
        <Address address={address} />
      </p>
      <TextField label={texts.confirmAddress} value={confirm} onChange={setConfirm} autoComplete="off" spellCheck={false} maxLength={200} problem={tried && !confirmed ? texts.confirmProblem : undefined} />
      {needsPassphrase && (
        <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? remove.error?.message : undefined} />
      )}
    </ActForm>
  );
}
