import { Link } from 'wouter';
import type { AccountView, BalanceView } from '../../../../shared/contract/accounts.ts';
import type { Environment } from '../../../../shared/contract/app.ts';
import type { OnboardingView } from '../../../../shared/contract/onboarding.ts';
import type { Policy } from '../../../../shared/policy/policy.ts';
import { moneyStepTexts as texts, onboardingTexts } from '../../../texts/onboarding.ts';
import { wayToPay } from '../../../texts/ways-to-pay.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Empty, Loaded } from '../../parts/card.tsx';
import { Fact } from '../../parts/fact.tsx';
import { FaucetLinks } from '../../parts/faucet-links.tsx';
import { Address, CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useRead } from '../../server-state.tsx';
import { Balance } from '../balances.tsx';

interface MoneyStepProps {
  readonly environment: Environment;
  readonly faucets: OnboardingView['faucets'];
  readonly onNext: () => void;
}

/** The first step: play money that is there, test money from faucets, or the limits that real money begins with. */
export function MoneyStep({ environment, faucets, onNext }: MoneyStepProps) {
  return (
    <div className="grid grid-cols-1 gap-4">
      {environment === 'mainnet' ? <Limits /> : <p>{texts[environment]}</p>}
      {environment === 'testnet' && <Faucets faucets={faucets} />}
      <Accounts isPlay={environment === 'sandbox'} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={onNext}>
          {onboardingTexts.next}
        </Button>
        {environment === 'mainnet' && (
          <Link href="/budgets" className={buttonClass()}>
            {texts.limits}
          </Link>
        )}
      </div>
    </div>
  );
}

function Faucets({ faucets }: Pick<MoneyStepProps, 'faucets'>) {
  if (faucets.length === 0) return <p className="text-muted">{texts.noFaucets}</p>;
  return (
    <ul className="grid gap-2">
      {faucets.map(({ network, networkName, faucets: pages }) => (
        <li key={network} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">{texts.faucetsOf(networkName)}</span>
          <FaucetLinks faucets={pages} />
        </li>
      ))}
    </ul>
  );
}

/** Accounts on chains, with what they hold. */
function Accounts({ isPlay }: { readonly isPlay: boolean }) {
  const accounts = useRead('accounts.list', {});
  return (
    <Loaded query={accounts} lines={4}>
      {(value) => {
        const onChains = value.accounts.filter(({ namespace }) => wayToPay(namespace) === 'chain');
        if (onChains.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />;
        const isEmpty = value.balances.every(({ balance }) => balance === undefined || BigInt(balance.units) === 0n);
        return (
          <>
            <ul aria-label={texts.accounts} className="grid grid-cols-1 gap-3 lg:grid-cols-2">
              {onChains.map((account) => (
                <AccountLine key={account.id} account={account} balances={value.balances.filter(({ accountId }) => accountId === account.id)} />
              ))}
            </ul>
            {isEmpty && !isPlay && (
              <p role="status" className="text-muted">
                {texts.empty}
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const AccountLine = ({ account: { label, address }, balances }: { readonly account: AccountView; readonly balances: readonly BalanceView[] }) => (
  <li className="min-w-0 rounded-xl bg-surface px-4 py-3">
    <Untrusted text={label} className="font-medium" />
    <div className="flex items-start justify-between gap-1 text-sm text-muted">
      <Address address={address} />
      <CopyButton text={address} what={label} />
    </div>
    <ul className="mt-1 divide-y divide-line">
      {balances.map((balance) => (
        <Balance key={`${balance.asset.network} ${balance.asset.address}`} balance={balance} />
      ))}
    </ul>
  </li>
);

/** The limits in force, before there is anything to spend. */
function Limits() {
  const policy = useRead('policy.get', {});
  return (
    <>
      <Callout tone="warn">
        <p>{texts.warning}</p>
      </Callout>
      <p>{texts.mainnet}</p>
      <Loaded query={policy} lines={2}>
        {({ policy: inForce }) => (
          <>
            <dl className="grid gap-3 sm:grid-cols-2">
              <Fact label={texts.perCall}>{capOver(inForce, 'call')}</Fact>
              <Fact label={texts.perDay}>{capOver(inForce, 'day')}</Fact>
            </dl>
            <p>{texts.otherwise[inForce.otherwise]}</p>
          </>
        )}
      </Loaded>
    </>
  );
}

/** The smallest limit in dollars over everything, as written. */
function capOver({ caps }: Policy, window: 'call' | 'day'): string {
  const amounts = caps.filter((cap) => cap.window === window && cap.unit === 'USD' && Object.keys(cap.over).length === 0).map(({ amount }) => amount);
  const least = amounts.toSorted((a, b) => Number(a) - Number(b))[0];
  return least === undefined ? texts.noLimit : `${least} USD`;
}
