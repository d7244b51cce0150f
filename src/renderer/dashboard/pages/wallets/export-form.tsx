import { useState } from 'react';
import type { AccountView } from '../../../../shared/contract/accounts.ts';
import { commonTexts } from '../../../texts/common.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { Callout } from '../../parts/callout.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Untrusted } from '../../parts/texts.tsx';
import { useAct } from '../../server-state.tsx';
import { isPassphraseError } from './passphrase-problem.ts';
import { ShownSecret } from './shown-secret.tsx';

type Form = keyof typeof texts.forms;

const formsOf = (namespace: AccountView['namespace']): readonly Form[] => (namespace === 'solana' ? ['base58', 'keypair'] : ['hex']);

/** Shows the private key of an account, after the passphrase. */
export function ExportForm({ account: { id, namespace }, onClose }: { readonly account: AccountView; readonly onClose: () => void }) {
  const reveal = useAct('accounts.export');
  const [passphrase, setPassphrase] = useState('');
  const forms = formsOf(namespace);
  const [form, setForm] = useState<Form>(forms[0] ?? 'hex');
  const wrong = isPassphraseError(reveal.error?.info);

  if (reveal.data) {
    return (
      <ShownSecret secret={reveal.data.secret} onClose={onClose}>
        <div>
          <p className="text-sm text-muted">{texts.privateKey}</p>
          <Untrusted text={reveal.data.secret} className="font-mono text-sm" />
        </div>
      </ShownSecret>
    );
  }
  return (
    <ActForm onSubmit={() => passphrase !== '' && reveal.mutate({ accountId: id, form, passphrase })} error={wrong ? undefined : reveal.error?.info} busy={reveal.isPending} confirm={reveal.isPending ? texts.checking : texts.revealNow} onClose={onClose}>
      <Callout tone="warn">{texts.revealNote}</Callout>
      {forms.length > 1 && <SelectField label={texts.form} value={form} onChange={setForm} options={forms.map((value) => ({ value, label: texts.forms[value] }))} />}
      <TextField label={commonTexts.passphrase} type="password" autoComplete="current-password" value={passphrase} onChange={setPassphrase} maxLength={1024} problem={wrong ? reveal.error?.message : undefined} />
    </ActForm>
  );
}
