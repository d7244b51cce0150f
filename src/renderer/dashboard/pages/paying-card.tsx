import type { ReactNode } from 'react';
import type { AccountView } from '../../../shared/contract/accounts.ts';
import type { Policy } from '../../../shared/policy/policy.ts';
import { budgetTexts as texts } from '../../texts/dashboard.ts';
import { Card } from '../parts/card.tsx';
import { Address, Untrusted } from '../parts/texts.tsx';
import { useRead } from '../server-state.tsx';

/** What the policy says beside limits and rules. It is written in the file alone, and shown so that nothing that is in force is hidden. */
export function PayingCard({ policy: { only, paying = {} } }: { readonly policy: Policy }) {
  const accounts = useRead('accounts.list', {}).data?.accounts ?? [];
  const lists: readonly (readonly [string, readonly ReactNode[] | undefined])[] = [
    [texts.onlyServers, only?.upstreams?.map((name) => <Mono key={name} text={name} />)],
    [texts.onlyPayees, only?.payees?.map((payee) => <Address key={payee} address={payee} />)],
    [texts.payingAccounts, paying.accounts?.map(({ account, max }) => <Paying key={account} account={account} accounts={accounts} most={max && `${max.amount} ${max.unit}`} />)],
    [texts.payingTokens, paying.tokens?.map((token) => <Mono key={token} text={token} />)],
    [texts.payingTrusted, paying.trusted?.map(({ asset, symbol, pegged }) => <Trusted key={asset} asset={asset} words={[symbol, pegged && texts.payingTrustedPegged].filter(Boolean).join(', ')} />)],
    [texts.payingHosts, paying.openHosts?.map((host) => <Mono key={host} text={host} />)],
  ];
  const written = lists.flatMap(([label, entries]) => (entries ? [{ label, entries }] : []));
  if (written.length === 0) return undefined;
  return (
    <Card title={texts.paying}>
      <p className="-mt-2 mb-4 text-sm text-muted">{texts.payingNote}</p>
      <dl className="grid gap-4 sm:grid-cols-2">
        {written.map(({ label, entries }) => (
          <div key={label} className="min-w-0">
            <dt className="text-sm text-muted">{label}</dt>
            <dd>
              <ol className="mt-1 grid max-h-48 gap-1 overflow-auto">
                {entries.length === 0 ? <li className="text-muted">{texts.payingNone}</li> : entries.map((entry, place) => <li key={place}>{entry}</li>)}
              </ol>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

const Mono = ({ text }: { readonly text: string }) => <Untrusted text={text} className="font-mono text-sm" />;

function Paying({ account, accounts, most }: { readonly account: string; readonly accounts: readonly AccountView[]; readonly most: string | undefined }) {
  const label = accounts.find(({ address }) => address.toLowerCase() === account.toLowerCase())?.label;
  return (
    <>
      {label !== undefined && (
        <>
          <Untrusted text={label} className="font-medium" />{' '}
        </>
      )}
      <Address address={account} />
      {most !== undefined && <p className="text-sm text-muted untrusted">{texts.payingMost(most)}</p>}
    </>
  );
}

const Trusted = ({ asset, words }: { readonly asset: string; readonly words: string }) => (
  <>
    <Untrusted text={words} className="font-medium" />
    <br />
    <Mono text={asset} />
  </>
);
