import { useState } from 'react';
import type { DelegationView } from '../../../shared/contract/delegations.ts';
import { formatAmount, formatMoney } from '../../format/money.ts';
import { delegationTexts as texts } from '../../texts/delegation.ts';
import { Button } from '../parts/button.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { ShareBar } from '../parts/share-bar.tsx';
import { Address, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';
import { ExternalDelegationDialog } from './external-delegation-dialog.tsx';
import { DelegationDialog, type DelegationOrder } from './delegation-dialog.tsx';

/** The third layer of limits: what Solana itself lets accounts spend. */
export function DelegationsCard() {
  const listed = useRead('delegations.list', {});
  const [order, setOrder] = useState<DelegationOrder>();
  const [external, setExternal] = useState(false);
  const aside = (
    <div className="flex flex-wrap gap-2">
      <Button kind="quiet" onClick={() => setExternal(true)}>
        {texts.external}
      </Button>
      <Button onClick={() => setOrder({ kind: 'approve' })}>{texts.create}</Button>
    </div>
  );
  return (
    <Card title={texts.title} aside={aside}>
      <p className="-mt-2 mb-4 text-sm text-muted">{texts.intro}</p>
      <Loaded query={listed}>
        {({ delegations, acts, unreachable }) => (
          <div className="grid grid-cols-1 gap-3 wrap-anywhere">
            {delegations.length === 0 ? (
              <Empty title={texts.none} hint={texts.noneHint} />
            ) : (
              <ul className="divide-y divide-line">
                {delegations.map((delegation) => (
                  <li key={`${delegation.tokenAccount} ${delegation.delegate}`} className="grid grid-cols-1 gap-2 py-4 first:pt-0 last:pb-0">
                    <Delegation delegation={delegation} onOrder={setOrder} />
                  </li>
                ))}
              </ul>
            )}
            {acts
              .filter(({ state }) => state === 'signed' || state === 'confirmed')
              .map(({ act, state, transaction }) => (
                <p key={act} className="text-sm text-muted wrap-anywhere">
                  {texts.pending(state, transaction)}
                </p>
              ))}
            {unreachable.map((name) => (
              <p key={name} className="text-sm text-warn">
                {texts.unreachable(name)}
              </p>
            ))}
          </div>
        )}
      </Loaded>
      <DelegationDialog order={order} onClose={() => setOrder(undefined)} />
      <ExternalDelegationDialog open={external} onClose={() => setExternal(false)} />
    </Card>
  );
}

function Delegation({ delegation, onOrder }: { readonly delegation: DelegationView; readonly onOrder: (order: DelegationOrder) => void }) {
  const { state, remaining, approved, balance, tokenAccount, owner, ownerLabel, delegate, delegateLabel, frozen, pays } = delegation;
  const isActive = state === 'active';
  const parties = { owner, delegate, token: remaining.asset.address, network: remaining.asset.network };
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4 tabular-nums">
        <span className="font-semibold">{isActive ? texts.limit(formatMoney(remaining), approved && formatAmount(approved)) : texts.ended[state]}</span>
        <Untrusted text={remaining.asset.networkName} className="text-sm text-muted" />
      </p>
      {isActive && approved && <ShareBar label={texts.gauge} part={BigInt(approved.units) - BigInt(remaining.units)} whole={BigInt(approved.units)} text={texts.limit(formatMoney(remaining), formatAmount(approved))} />}
      <dl className="grid grid-cols-1 gap-1 text-sm">
        <Party label={texts.tokenAccount} name="" address={tokenAccount} note={texts.holds(formatMoney(balance))} />
        <Party label={texts.owner} name={ownerLabel} address={owner} />
        <Party label={texts.delegate} name={delegateLabel} address={delegate} />
      </dl>
      {isActive && <Warnings texts={[...(frozen ? [texts.frozen] : []), ...(delegateLabel === '' ? [texts.stranger] : pays ? [] : [texts.paysNot])]} />}
      {isActive && (
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => onOrder({ kind: 'topUp', ...parties })}>{texts.add}</Button>
          <Button onClick={() => onOrder({ kind: 'approve', ...parties })}>{texts.replace}</Button>
          <Button onClick={() => onOrder({ kind: 'revoke', ...parties })}>{texts.revoke}</Button>
          <p className="text-sm text-muted">{texts.replaces}</p>
        </div>
      )}
    </>
  );
}

const Party = ({ label, name, address, note }: { readonly label: string; readonly name: string; readonly address: string; readonly note?: string }) => (
  <div className="flex min-w-0 flex-wrap gap-x-2">
    <dt className="text-muted">{label}</dt>
    <dd className="min-w-0 wrap-anywhere">
      {name !== '' && (
        <>
          <Untrusted text={name} className="font-medium" />{' '}
        </>
      )}
      <Address address={address} /> {note && <span className="text-muted">{note}</span>}
    </dd>
  </div>
);

const Warnings = ({ texts: all }: { readonly texts: readonly string[] }) => (
  <>
    {all.map((text) => (
      <p key={text} className="text-sm text-warn">
        {text}
      </p>
    ))}
  </>
);
