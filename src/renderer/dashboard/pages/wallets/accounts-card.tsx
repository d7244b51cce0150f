import { Plus, SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import type { AccountView, BalanceView } from '../../../../shared/contract/accounts.ts';
import { assetId } from '../../../../shared/money/asset-id.ts';
import { payingTexts } from '../../../texts/paying.ts';
import { walletTexts as texts } from '../../../texts/wallets.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorCallout } from '../../parts/callout.tsx';
import { Card, Empty, Loaded } from '../../parts/card.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import type { SendPreset } from '../send/send-dialog.tsx';
import { AccountRow } from './account-row.tsx';
import { AddAccountDialog } from './add-account-dialog.tsx';
import { ManageDialog } from './manage-dialog.tsx';
import { inPayingOrder, maximumOf, movedInOrder } from './paying-order.ts';

/** All accounts: those that pay, in the order in which they do, then those that only show, then hidden ones. */
export function AccountsCard({ onSend }: { readonly onSend: (preset: SendPreset) => void }) {
  const accounts = useRead('accounts.list', { all: true });
  const [adding, setAdding] = useState(false);
  const [managed, setManaged] = useState<AccountView>();
  const canSend = accounts.data?.accounts.some(({ source, hidden, namespace }) => source !== 'watch' && !hidden && (namespace === 'eip155' || namespace === 'solana')) === true;
  const aside = (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setAdding(true)}>
        <Plus aria-hidden="true" className="size-4" />
        {texts.add}
      </Button>
      <Button kind="primary" disabled={!canSend} onClick={() => onSend({})}>
        <SendHorizontal aria-hidden="true" className="size-4" />
        {texts.send}
      </Button>
    </div>
  );
  return (
    <Card title={texts.accounts} aside={aside}>
      <Loaded query={accounts} lines={8}>
        {(value) => (value.accounts.length === 0 ? <Empty title={texts.none} hint={texts.noneHint} /> : <Lists accounts={value.accounts} balances={value.balances} onSend={onSend} onManage={setManaged} />)}
      </Loaded>
      <AddAccountDialog open={adding} onClose={() => setAdding(false)} />
      <ManageDialog account={managed} onClose={() => setManaged(undefined)} />
    </Card>
  );
}

interface ListsProps {
  readonly accounts: readonly AccountView[];
  readonly balances: readonly BalanceView[];
  readonly onSend: (preset: SendPreset) => void;
  readonly onManage: (account: AccountView) => void;
}

function Lists({ accounts, balances, onSend, onManage }: ListsProps) {
  const policy = useRead('policy.get', {}).data;
  const save = useAct('policy.set');
  const announce = useAnnounce();
  const { paying, others, hidden } = inPayingOrder(accounts, policy?.policy);

  function move(account: AccountView, place: number, by: -1 | 1) {
    if (!policy) return;
    save.mutate({ basedOn: policy.number, policy: movedInOrder(accounts, policy.policy, account, by) }, { onSuccess: () => announce(texts.moved(account.label, place + by + 1)) });
  }

  function withMaximumWords(account: AccountView): { readonly maximum?: string } {
    const max = maximumOf(account, policy?.policy);
    return max ? { maximum: payingTexts.maximumShown(max.amount, balances.find(({ asset }) => assetId(asset) === max.unit)?.asset.symbol ?? max.unit) } : {};
  }

  const row = (account: AccountView, place?: number) => (
    <AccountRow
      key={account.id}
      account={account}
      balances={balances.filter(({ accountId }) => accountId === account.id)}
      onManage={() => onManage(account)}
      {...withMaximumWords(account)}
      {...(place !== undefined && { onSend: () => onSend({ from: account.address }) })}
      {...(place !== undefined && policy && paying.length > 1 && { order: { place, last: paying.length - 1, busy: save.isPending, onMove: (by: -1 | 1) => move(account, place, by) } })}
    />
  );

  return (
    <>
      {save.error && (
        <div className="mb-4">
          <ErrorCallout error={save.error.info} />
        </div>
      )}
      <ul className="divide-y divide-line">
        {paying.map(row)}
        {others.map((account) => row(account))}
      </ul>
      {hidden.length > 0 && (
        <details className="mt-2 border-t border-line pt-3">
          <summary className="w-fit rounded-lg py-1 font-medium">{texts.hiddenAccounts(hidden.length)}</summary>
          <p className="text-sm text-muted">{texts.hiddenNote}</p>
          <ul className="mt-3 divide-y divide-line">{hidden.map((account) => row(account))}</ul>
        </details>
      )}
    </>
  );
}
