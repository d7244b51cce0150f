import { Link } from 'wouter';
import type { ApprovalFacts, WaitingView } from '../../../shared/contract/approvals.ts';
import { OWN_NAME } from '../../../shared/text/own-name.ts';
import type { MoneyView } from '../../../shared/contract/values.ts';
import { formatCountdown } from '../../format/time.ts';
import { approvalsTexts as texts } from '../../texts/activity.ts';
import { overviewTexts } from '../../texts/dashboard.ts';
import { clientName, counterparty } from '../../texts/parties.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Callout } from '../parts/callout.tsx';
import { Card, Empty, Loaded } from '../parts/card.tsx';
import { OpenApprovals } from '../parts/open-approvals.tsx';
import { Page } from '../parts/page.tsx';
import { Amount, Moment, Untrusted } from '../parts/texts.tsx';
import { useNow } from '../parts/use-now.ts';
import { useAskOwner } from '../owner-gate.tsx';
import { useRead } from '../server-state.tsx';
import { WaitingFacts, worthOf } from './waiting-facts.tsx';

/** What waits for the owner. Nothing is decided here: the approval page alone shows all that is signed. */
export function ApprovalsPage() {
  const waiting = useRead('approvals.waiting', {});
  return (
    <Page title={texts.title} intro={texts.intro}>
      <Loaded query={waiting} lines={6}>
        {(value) => (value.waiting.length === 0 ? <NoneWaiting /> : <Waiting waiting={value.waiting} />)}
      </Loaded>
    </Page>
  );
}

function NoneWaiting() {
  return (
    <div className="rounded-2xl border border-line bg-surface p-5">
      <Empty title={texts.none} hint={texts.noneHint}>
        <div className="flex flex-wrap justify-center gap-2">
          <Link href="/history" className={buttonClass()}>
            {texts.recent}
          </Link>
          <Link href="/budgets" className={buttonClass()}>
            {texts.rules}
          </Link>
        </div>
      </Empty>
    </div>
  );
}

/** Everybody with a dashboard may know that something waits; what it is in full is the owner's to read. */
function Waiting({ waiting }: { readonly waiting: readonly WaitingView[] }) {
  const now = useNow(1_000);
  const inFull = useRead('approvals.inFull', {});
  const askOwner = useAskOwner();
  const factsOf = (id: string): ApprovalFacts | undefined => inFull.data?.waiting.find(({ paymentId }) => paymentId === id);
  const isOwners = inFull.error?.info.code === 'OWNER_REQUIRED';
  const unlock = async () => {
    if (await askOwner()) await inFull.refetch();
  };
  return (
    <div className="grid gap-4">
      <Card title={texts.count(waiting.length)} aside={<OpenApprovals label={texts.open} kind="primary" />}>
        <p className="text-sm text-muted">{texts.together}</p>
        <ul className="flex flex-wrap gap-x-6 text-lg font-semibold tabular-nums">
          {together(waiting).map((money) => (
            <li key={`${money.asset.network} ${money.asset.address}`} className="min-w-0">
              <Amount money={money} /> <Untrusted text={money.asset.networkName} className="text-sm font-normal text-muted" />
            </li>
          ))}
        </ul>
      </Card>
      {isOwners && (
        <Callout tone="info">
          <p>{texts.inFull}</p>
          <Button className="mt-2" onClick={() => void unlock()}>
            {texts.showInFull}
          </Button>
        </Callout>
      )}
      <ul className="grid gap-4">
        {waiting.map((one) => (
          <li key={one.paymentId} className="rounded-2xl border border-line bg-surface p-5">
            <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
              <p className="min-w-0 text-2xl font-semibold tracking-tight">
                <Amount money={one.money} />
                <Worth facts={factsOf(one.paymentId)} />
                <span className="mt-0.5 block text-sm first-letter:uppercase font-normal tracking-normal text-muted tabular-nums">{overviewTexts.expiresIn(formatCountdown(one.expiresAt - now))}</span>
              </p>
              <OpenApprovals label={texts.open} name={texts.openFor(one.tool)} paymentId={one.paymentId} />
            </div>
            <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm lg:grid-cols-5">
              <Fact label={texts.asked} text={clientName(one.client)} />
              <Fact label={one.upstream === OWN_NAME ? texts.what : texts.server} text={counterparty(one)} />
              <Fact label={texts.tool} text={one.tool} mono />
              <Fact label={texts.network} text={one.money.asset.networkName} />
              <div>
                <dt className="text-muted">{texts.since}</dt>
                <dd>
                  <Moment at={one.createdAt} />
                </dd>
              </div>
            </dl>
            <InFull facts={factsOf(one.paymentId)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Worth({ facts }: { readonly facts: ApprovalFacts | undefined }) {
  const worth = facts && worthOf(facts);
  return worth === undefined ? null : <span className="ml-2 text-base font-medium tracking-normal text-muted tabular-nums">{worth}</span>;
}

const InFull = ({ facts }: { readonly facts: ApprovalFacts | undefined }) => (facts ? <WaitingFacts facts={facts} /> : null);

function Fact({ label, text, mono = false }: { readonly label: string; readonly text: string; readonly mono?: boolean }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{label}</dt>
      <dd className="max-h-24 overflow-auto">
        <Untrusted text={text} className={mono ? 'font-mono' : 'font-medium'} />
      </dd>
    </div>
  );
}

/** What waits, added up by token. */
function together(waiting: readonly WaitingView[]): readonly MoneyView[] {
  const sums = new Map<string, MoneyView>();
  for (const { money } of waiting) {
    const key = `${money.asset.network} ${money.asset.address}`;
    const before = sums.get(key);
    sums.set(key, before ? { ...before, units: (BigInt(before.units) + BigInt(money.units)).toString() } : money);
  }
  return [...sums.values()];
}
