import { ArrowDown, ArrowUp, SendHorizontal, Settings2, type LucideIcon } from 'lucide-react';
import type { AccountView, BalanceView } from '../../../../shared/contract/accounts.ts';
import { overviewTexts } from '../../../texts/dashboard.ts';
import { namespaceTexts, sourceTexts, walletTexts as texts } from '../../../texts/wallets.ts';
import { wayToPay } from '../../../texts/ways-to-pay.ts';
import { Button } from '../../parts/button.tsx';
import { Identicon } from '../../parts/identicon.tsx';
import { Address, CopyButton, Untrusted } from '../../parts/texts.tsx';
import { Balance } from '../balances.tsx';
import { Receive } from '../receive.tsx';

interface AccountRowProps {
  readonly account: AccountView;
  readonly balances: readonly BalanceView[];
  readonly onManage: () => void;
  /** Absent for an account that does not pay. */
  readonly onSend?: () => void;
  /** The most that one payment may take from it, in words; absent without one. */
  readonly maximum?: string;
  /** Its place among those that pay, from 0; absent where there is no order to speak of. */
  readonly order?: { readonly place: number; readonly last: number; readonly busy: boolean; readonly onMove: (by: -1 | 1) => void };
}

/** Narrow on small windows, so that all three stand in one line. */
const ACT = 'max-sm:px-2';

const NO_BALANCE = { card: overviewTexts.cardNote, test: overviewTexts.testNote, chain: texts.noBalances };

/** One account: what it is, where it is, what it holds, and what can be done with it. */
export function AccountRow({ account, balances, onManage, onSend, maximum, order }: AccountRowProps) {
  const { label, address, namespace, source, hidden, delegatedFrom } = account;
  const way = wayToPay(namespace);
  return (
    <li className="grid min-w-0 grid-cols-1 gap-3 py-5 first:pt-1 last:pb-1">
      <div className="flex items-start gap-3">
        <Identicon address={address} />
        <div className="min-w-0 grow">
          <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
            <Untrusted text={label} className="font-medium" />
            <Badge words={namespaceTexts[namespace]} />
            {way === 'chain' && <Badge words={sourceTexts[source].label} note={sourceTexts[source].note} tone={source === 'watch' ? 'warn' : 'calm'} />}
            {hidden && <Badge words={texts.hiddenBadge} note={texts.hiddenNote} tone="warn" />}
          </p>
          <div className="mt-0.5 flex items-start gap-1 text-sm text-muted">
            <Address address={address} />
            <CopyButton text={address} what={texts.copyAddress(label)} />
          </div>
          {maximum !== undefined && <p className="mt-1 text-sm text-muted">{maximum}</p>}
          {delegatedFrom !== undefined && (
            <p className="mt-1 text-sm text-muted">
              {texts.delegated} <Address address={delegatedFrom} />
            </p>
          )}
        </div>
        {order && <Order label={label} {...order} />}
      </div>
      {balances.length === 0 ? (
        <p className="text-sm text-muted">{hidden ? texts.hiddenBalances : NO_BALANCE[way]}</p>
      ) : (
        <ul className="divide-y divide-line rounded-xl bg-inset px-3">
          {balances.map((balance) => (
            <Balance key={`${balance.asset.network} ${balance.asset.address}`} balance={balance} />
          ))}
        </ul>
      )}
      <div className="-ml-2 flex flex-wrap gap-y-2 sm:-ml-3 sm:gap-x-1">
        {way === 'chain' && !hidden && <Receive account={account} className={ACT} />}
        {way === 'chain' && onSend && (
          <Button kind="quiet" className={ACT} aria-label={texts.sendFrom(label)} onClick={onSend}>
            <SendHorizontal aria-hidden="true" className="size-4" />
            {texts.send}
          </Button>
        )}
        <Button kind="quiet" className={ACT} aria-label={texts.manageTitle(label)} onClick={onManage}>
          <Settings2 aria-hidden="true" className="size-4" />
          {texts.manage}
        </Button>
      </div>
    </li>
  );
}

const BADGES = { calm: 'bg-inset text-muted', warn: 'bg-warn-soft text-warn' };

const Badge = ({ words, note, tone = 'calm' }: { readonly words: string; readonly note?: string; readonly tone?: keyof typeof BADGES }) => (
  <span title={note} className={`rounded-full px-2 text-xs leading-5 whitespace-nowrap ${BADGES[tone]}`}>
    {words}
  </span>
);

function Order({ label, place, last, busy, onMove }: { readonly label: string } & NonNullable<AccountRowProps['order']>) {
  return (
    <div className="flex shrink-0 flex-col items-center text-muted" title={texts.placeNote}>
      <Move label={texts.earlier(label)} Icon={ArrowUp} disabled={busy || place === 0} onPress={() => onMove(-1)} />
      <span className="text-xs tabular-nums">
        <span className="sr-only">{texts.place(place + 1)}</span>
        <span aria-hidden="true">{place + 1}</span>
      </span>
      <Move label={texts.later(label)} Icon={ArrowDown} disabled={busy || place === last} onPress={() => onMove(1)} />
    </div>
  );
}

const Move = ({ label, Icon, disabled, onPress }: { readonly label: string; readonly Icon: LucideIcon; readonly disabled: boolean; readonly onPress: () => void }) => (
  <button type="button" aria-label={label} title={label} aria-disabled={disabled} onClick={() => !disabled && onPress()} className="rounded-md p-1 hover:bg-inset hover:text-ink aria-disabled:opacity-35">
    <Icon aria-hidden="true" className="size-4" />
  </button>
);
