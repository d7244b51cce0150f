import { useState } from 'react';
import type { ExternalDelegation } from '../../../shared/contract/delegations.ts';
import { DecimalText } from '../../../shared/contract/values.ts';
import { externalDelegationTexts as texts } from '../../texts/delegation.ts';
import { ActForm } from '../parts/act-form.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Copied } from '../parts/copied.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { Untrusted } from '../parts/texts.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { useAct, useRead } from '../server-state.tsx';

/** Shows the exact transaction by which a wallet whose key lies elsewhere lets an account here spend from it, or ends that. Bursar signs nothing. */
export function ExternalDelegationDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} title={texts.title} onClose={onClose} form="side">
      <Parts onClose={onClose} />
    </Dialog>
  );
}

type Kind = keyof typeof texts.kinds;

function Parts({ onClose }: { readonly onClose: () => void }) {
  const external = useAct('delegations.external');
  const delegates = (useRead('accounts.list', {}).data?.accounts ?? []).filter(({ namespace, source }) => namespace === 'solana' && source !== 'watch');
  const [kind, setKind] = useState<Kind>('approve');
  const [owner, setOwner] = useState('');
  const [chosen, setDelegate] = useState('');
  const [amount, setAmount] = useState('');
  const [tried, setTried] = useState(false);
  const delegate = chosen === '' ? (delegates[0]?.address ?? '') : chosen;
  const hasAmount = kind === 'revoke' || DecimalText.safeParse(amount.trim()).success;

  function submit() {
    setTried(true);
    if (owner.trim() === '' || !hasAmount) return;
    external.mutate({ kind, owner: owner.trim(), ...(kind === 'revoke' ? {} : { delegate, amount: amount.trim() }) });
  }

  if (external.data) return <Shown shown={external.data} onBack={() => external.reset()} onClose={onClose} />;
  return (
    <ActForm onSubmit={submit} error={external.error?.info} busy={external.isPending} confirm={external.isPending ? texts.showing : texts.show} onClose={onClose}>
      <p className="text-sm text-muted">{texts.intro}</p>
      <SelectField label={texts.what} value={kind} onChange={setKind} options={KINDS.map((value) => ({ value, label: texts.kinds[value] }))} />
      <TextField label={texts.owner} value={owner} onChange={setOwner} autoComplete="off" spellCheck={false} maxLength={100} problem={tried && owner.trim() === '' ? texts.ownerProblem : undefined} />
      {kind !== 'revoke' && (
        <>
          <SelectField label={texts.delegate} value={delegate} onChange={setDelegate} options={delegates.map(({ address, label }) => ({ value: address, label: `${label} · ${address}` }))} />
          <TextField label={kind === 'topUp' ? texts.addAmount : texts.amount} value={amount} onChange={setAmount} inputMode="decimal" autoComplete="off" maxLength={100} problem={tried && !hasAmount ? texts.amountProblem : undefined} />
        </>
      )}
    </ActForm>
  );
}

const KINDS: readonly Kind[] = ['approve', 'topUp', 'revoke'];

function Shown({ shown: { description, command, transaction, steps, warnings }, onBack, onClose }: { readonly shown: ExternalDelegation; readonly onBack: () => void; readonly onClose: () => void }) {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <Warnings warnings={warnings} />
      <section>
        <h3 className="font-medium">{texts.says}</h3>
        <ul className="mt-1 grid gap-1 text-sm">
          {description.map((line) => (
            <li key={line}>
              <Untrusted text={line} />
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3 className="font-medium">{texts.todo}</h3>
        <ol className="mt-1 grid list-decimal gap-1 pl-5 text-sm">
          {steps.map((line) => (
            <li key={line}>
              <Untrusted text={line} />
            </li>
          ))}
        </ol>
      </section>
      <dl className="grid grid-cols-1 gap-3">
        <Copied label={texts.command} text={command} />
        <Copied label={texts.transaction} text={transaction} />
      </dl>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onBack}>{texts.back}</Button>
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </div>
  );
}
