import { LoaderCircle } from 'lucide-react';
import { Link } from 'wouter';
import type { DemoPurchase } from '../../../../shared/contract/onboarding.ts';
import { callStepTexts as texts, onboardingTexts } from '../../../texts/onboarding.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Callout, ErrorCallout } from '../../parts/callout.tsx';
import { Fact } from '../../parts/fact.tsx';
import { OpenApprovals } from '../../parts/open-approvals.tsx';
import { PaymentAmount } from '../../parts/payment-amount.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Address, CopyButton, Untrusted } from '../../parts/texts.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { RECENT_PAYMENTS } from '../recent-payments.tsx';

/** Under this name what the owner buys by hand is asked for. */
const OWNER = 'cli';

/** The second step: one paid call, by the road of every payment. */
export function CallStep({ hasDemo, onNext }: { readonly hasDemo: boolean; readonly onNext: () => void }) {
  return hasDemo ? <DemoCall onNext={onNext} /> : <NoDemo onNext={onNext} />;
}

const NoDemo = ({ onNext }: { readonly onNext: () => void }) => (
  <div className="grid grid-cols-1 gap-4">
    <p>{texts.noDemo}</p>
    <div className="flex flex-wrap gap-2">
      <Link href="/discover" className={buttonClass('primary')}>
        {texts.find}
      </Link>
      <Button onClick={onNext}>{onboardingTexts.later}</Button>
    </div>
  </div>
);

function DemoCall({ onNext }: { readonly onNext: () => void }) {
  const buy = useAct('onboarding.buy');
  const waits = useRead('approvals.waiting', {}).data?.waiting.some(({ client }) => client === OWNER) ?? false;
  const isRejected = buy.error?.info.code === 'APPROVAL_REJECTED';
  return (
    <div className="grid grid-cols-1 gap-4">
      <p>{texts.demo}</p>
      {buy.isPending && <Underway waits={waits} />}
      {isRejected && (
        <Callout tone="info" role="status">
          <p>{texts.rejected}</p>
        </Callout>
      )}
      {buy.error && !isRejected && <ErrorCallout error={buy.error.info} />}
      {buy.data && <Bought purchase={buy.data} />}
      <div className="flex flex-wrap gap-2">
        {buy.data && (
          <Button kind="primary" onClick={onNext}>
            {onboardingTexts.next}
          </Button>
        )}
        {!buy.isPending && (
          <Button kind={buy.data ? 'plain' : 'primary'} onClick={() => buy.mutate({})}>
            {buy.data ? texts.again : texts.buy}
          </Button>
        )}
        {!buy.data && !buy.isPending && <Button onClick={onNext}>{onboardingTexts.later}</Button>}
      </div>
    </div>
  );
}

/** The call runs: the seller is asked, or the payment waits for its owner. */
const Underway = ({ waits }: { readonly waits: boolean }) => (
  <div role="status" className="flex flex-wrap items-center gap-3 rounded-xl bg-accent-soft px-4 py-3">
    <LoaderCircle aria-hidden="true" className="size-5 shrink-0 animate-spin text-accent motion-reduce:animate-none" />
    <p className="min-w-0 grow basis-48">{waits ? texts.waiting : texts.asking}</p>
    {waits && <OpenApprovals label={texts.open} kind="primary" />}
  </div>
);

function Bought({ purchase: { status, text, payment: paid } }: { readonly purchase: DemoPurchase }) {
  // The answer is there before the chain shows the money.
  const payment = useRead('payments.list', { limit: RECENT_PAYMENTS }).data?.payments.find(({ id }) => id === paid?.id) ?? paid;
  return (
    <div role="status" className="grid grid-cols-1 gap-4 rounded-xl bg-surface px-4 py-3">
      {payment && (
        <>
          <p className="flex flex-wrap items-center gap-3">
            <PaymentAmount payment={payment} className="text-2xl font-semibold tracking-tight" />
            <StatusBadge payment={payment} />
          </p>
          <dl className="grid grid-cols-1 gap-3">
            <Fact label={texts.payee}>
              <Address address={payment.payee} />
            </Fact>
            <Fact label={texts.transaction}>
              {payment.transaction ? (
                <span className="flex items-start justify-between gap-2">
                  <Untrusted text={payment.transaction} className="min-w-0 font-mono text-sm" />
                  <CopyButton text={payment.transaction} what={texts.transactionWhat} />
                </span>
              ) : (
                <span className="text-muted">{texts.notYet}</span>
              )}
            </Fact>
          </dl>
        </>
      )}
      <div>
        <p className="text-sm text-muted">{status === 200 ? texts.answer : texts.answerOf(status)}</p>
        <pre tabIndex={0} role="region" aria-label={texts.answer} className="untrusted max-h-48 overflow-auto rounded-lg bg-inset p-3 font-mono text-sm whitespace-pre-wrap">
          {pretty(text)}
        </pre>
      </div>
      <Link href="/history" className="font-medium text-accent underline underline-offset-2">
        {texts.history}
      </Link>
    </div>
  );
}

/** JSON in lines; any other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
