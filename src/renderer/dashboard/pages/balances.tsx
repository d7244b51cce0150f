import { CloudOff } from 'lucide-react';
import type { AccountView, BalanceView } from '../../../shared/contract/accounts.ts';
import { formatMomentShort } from '../../format/time.ts';
import { overviewTexts as texts } from '../../texts/dashboard.ts';
import { wayToPay, type WayToPay } from '../../texts/ways-to-pay.ts';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { Address, CopyButton, Holding, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { Receive } from './receive.tsx';

/** What every account holds on every network. */
export function Balances() {
  const accounts = useRead('accounts.list', {});
  return (
    <Card title={texts.balances}>
      <Loaded query={accounts} lines={5}>
        {(value) =>
          value.accounts.length === 0 ? (
            <Empty title={texts.noAccounts} hint={texts.noAccountsHint} />
          ) : (
            <ul className="grid gap-5">
              {value.accounts.map((account) => (
                <Account key={account.id} account={account} balances={value.balances.filter(({ accountId }) => accountId === account.id)} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const KINDS: Partial<Record<WayToPay, string>> = { card: texts.card, test: texts.test };
const NOTES: Partial<Record<WayToPay, string>> = { card: texts.cardNote, test: texts.testNote };

function Account({ account, balances }: { readonly account: AccountView; readonly balances: readonly BalanceView[] }) {
  const way = wayToPay(account.namespace);
  const kind = KINDS[way] ?? (account.source === 'imported' ? texts.imported : '');
  return (
    <li className="min-w-0">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Untrusted text={account.label} className="font-medium" />
        {kind && <span className="rounded-full bg-inset px-2 text-xs text-muted">{kind}</span>}
      </p>
      <div className="flex items-center gap-1 text-sm text-muted">
        <Address address={account.address} />
        <CopyButton text={account.address} what={account.label} />
        {way === 'chain' && <Receive account={account} />}
      </div>
      {balances.length === 0 ? (
        <p className="mt-1 text-sm text-muted">{NOTES[way] ?? texts.noBalances}</p>
      ) : (
        <ul className="mt-2 divide-y divide-line rounded-xl bg-inset px-3">
          {balances.map((balance) => (
            <Balance key={`${balance.asset.network} ${balance.asset.address}`} balance={balance} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What an account holds of one token, and how current that is. */
export function Balance({ balance: { asset, balance, readAt, stale } }: { readonly balance: BalanceView }) {
  const staleNote = readAt === undefined ? texts.staleNever : texts.staleSince(formatMomentShort(readAt));
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 py-2">
      <Untrusted text={asset.networkName} />
      {balance ? <Holding money={balance} className="font-semibold" /> : <span className="text-muted">{texts.notRead}</span>}
      {stale && (
        <p className="flex w-full items-center gap-1.5 text-sm text-warn">
          <CloudOff aria-hidden="true" className="size-4" />
          {staleNote}
        </p>
      )}
    </li>
  );
}
