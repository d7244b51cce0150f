import { useState } from 'react';
import type { AccountView } from '../../../../shared/contract/accounts.ts';
import { DecimalText } from '../../../../shared/contract/values.ts';
import { assetId } from '../../../../shared/money/asset-id.ts';
import type { Policy } from '../../../../shared/policy/policy.ts';
import { payingTexts as texts } from '../../../texts/paying.ts';
import { walletTexts } from '../../../texts/wallets.ts';
import { ActForm } from '../../parts/act-form.tsx';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Loaded } from '../../parts/card.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { maximumOf, withMaximum } from './paying-order.ts';

interface FormProps {
  readonly account: AccountView;
  readonly onClose: () => void;
}

const USD = 'USD';

/** The most that one payment may take from an account. It stands in the policy. */
export function MaximumForm({ account, onClose }: FormProps) {
  const policy = useRead('policy.get', {});
  return <Loaded query={policy}>{(value) => <MaximumFields account={account} onClose={onClose} inForce={value} />}</Loaded>;
}

function MaximumFields({ account, onClose, inForce: { number, policy } }: FormProps & { readonly inForce: { readonly number: number; readonly policy: Policy } }) {
  const listed = useRead('accounts.list', { all: true }).data;
  const save = useAct('policy.set');
  const announce = useAnnounce();
  const max = maximumOf(account, policy);
  const [amount, setAmount] = useState(max?.amount ?? '');
  const [unit, setUnit] = useState(max?.unit ?? USD);
  const [tried, setTried] = useState(false);
  const given = amount.trim();
  const problem = given === '' || DecimalText.safeParse(given).success ? undefined : walletTexts.alertProblem;
  const held = (listed?.balances ?? []).filter(({ accountId }) => accountId === account.id).map(({ asset }) => ({ value: assetId(asset), label: walletTexts.alertOption(asset.symbol, asset.networkName) }));
  const units = [{ value: USD, label: texts.dollars }, ...held, ...(unit === USD || held.some(({ value }) => value === unit) ? [] : [{ value: unit, label: unit }])];

  function submit() {
    setTried(true);
    if (problem !== undefined || !listed) return;
    const next = withMaximum(listed.accounts, policy, account, given === '' ? undefined : { amount: given, unit });
    save.mutate(
      { basedOn: number, policy: next },
      {
        onSuccess() {
          announce(given === '' ? texts.maximumGone : texts.maximumSet);
          onClose();
        },
      },
    );
  }
  return (
    <ActForm onSubmit={submit} error={save.error?.info} busy={save.isPending} confirm={save.isPending ? walletTexts.working : walletTexts.save} onClose={onClose}>
      <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-start gap-3">
        <TextField label={texts.maximumField} value={amount} onChange={setAmount} inputMode="decimal" autoComplete="off" maxLength={100} problem={tried ? problem : undefined} />
        <SelectField label={texts.unit} value={unit} onChange={setUnit} options={units} />
      </div>
      <p className="text-sm text-muted">{texts.maximumExplained}</p>
    </ActForm>
  );
}

/** Whose token accounts a Solana account pays from. */
export function PayFromForm({ account: { id, delegatedFrom }, onClose }: FormProps) {
  const save = useAct('accounts.payFrom');
  const announce = useAnnounce();
  const [owner, setOwner] = useState(delegatedFrom ?? '');
  const address = owner.trim();
  const submit = () =>
    save.mutate(
      { accountId: id, ...(address !== '' && { owner: address }) },
      {
        onSuccess() {
          announce(address === '' ? texts.paysOwn : texts.paysFrom);
          onClose();
        },
      },
    );
  return (
    <ActForm onSubmit={submit} error={save.error?.info} busy={save.isPending} confirm={save.isPending ? walletTexts.working : walletTexts.save} onClose={onClose}>
      <TextField label={texts.ownerField} value={owner} onChange={setOwner} autoComplete="off" spellCheck={false} maxLength={100} note={texts.ownerNote} />
      <p className="text-sm text-muted">{texts.payFromExplained}</p>
    </ActForm>
  );
}
