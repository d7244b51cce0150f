import { CircleCheck, X } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import type { Environment } from '../../../../shared/contract/app.ts';
import { OnboardingStep, type OnboardingView } from '../../../../shared/contract/onboarding.ts';
import { onboardingTexts as texts, callStepTexts, clientStepTexts, moneyStepTexts } from '../../../texts/onboarding.ts';
import { moneyKindTexts } from '../../../texts/settings.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { RECENT_PAYMENTS } from '../recent-payments.tsx';
import { RealMoneyWarning, StartCommand } from '../settings/money-kind-card.tsx';
import { CallStep } from './call-step.tsx';
import { ClientStep } from './client-step.tsx';
import { MoneyStep } from './money-step.tsx';
import { doneSteps, nextStep } from './progress.ts';

/** The first steps on the overview, until their owner closed them. */
export function FirstSteps() {
  const onboarding = useRead('onboarding.get', {}).data;
  if (!onboarding || onboarding.closed) return undefined;
  return <Onboarding onClosed={() => undefined} />;
}

/** The first steps: money, a paid call, a client. One is open at a time; each can be opened again. */
export function Onboarding({ onClosed }: { readonly onClosed: () => void }) {
  const status = useRead('app.status', {});
  const onboarding = useRead('onboarding.get', {});
  return (
    <Loaded query={status} lines={6}>
      {({ environment }) => (
        <Loaded query={onboarding} lines={6}>
          {(value) => <Steps environment={environment} onboarding={value} onClosed={onClosed} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface StepsProps {
  readonly environment: Environment;
  readonly onboarding: OnboardingView;
  readonly onClosed: () => void;
}

function Steps({ environment, onboarding, onClosed }: StepsProps) {
  const set = useAct('onboarding.set');
  const announce = useAnnounce();
  const done = doneSteps({
    onboarding,
    accounts: useRead('accounts.list', {}).data,
    payments: useRead('payments.list', { limit: RECENT_PAYMENTS }).data,
    clients: useRead('clients.list', {}).data,
    access: useRead('clients.access', {}).data,
  });
  const next = nextStep(done);
  // What the reader opened, or that they closed what was open.
  const [chosen, setChosen] = useState<OnboardingStep | 'none'>();
  const open = chosen ?? next;

  const pass = (step: OnboardingStep) => {
    setChosen(undefined);
    set.mutate({ passed: step });
  };
  const close = (words: string) =>
    set.mutate(
      { closed: true },
      {
        onSuccess() {
          announce(words);
          onClosed();
        },
      },
    );
  const contents: Record<OnboardingStep, { readonly title: string; readonly body: ReactNode }> = {
    money: { title: moneyStepTexts.title[environment], body: <MoneyStep environment={environment} faucets={onboarding.faucets} onNext={() => pass('money')} /> },
    call: { title: callStepTexts.title, body: <CallStep hasDemo={onboarding.demo !== undefined} onNext={() => pass('call')} /> },
    client: { title: clientStepTexts.title, body: <ClientStep onNext={() => pass('client')} /> },
  };
  return (
    <Card
      title={texts.title}
      className="border-accent md:col-span-2"
      aside={
        <span className="flex items-center gap-2">
          <span className="text-sm text-muted tabular-nums">{texts.progress(done.size)}</span>
          {!onboarding.closed && next !== undefined && (
            <Button kind="quiet" aria-label={texts.skipLong} disabled={set.isPending} onClick={() => close(texts.skipped)}>
              {texts.skip}
            </Button>
          )}
        </span>
      }
    >
      <p className="text-muted">{texts.intro[environment]}</p>
      {set.error && <p className="mt-2 text-danger">{set.error.message}</p>}
      <ol className="mt-4 grid grid-cols-1 gap-2">
        {OnboardingStep.options.map((step, index) => (
          <Step key={step} number={index + 1} title={contents[step].title} isDone={done.has(step)} isOpen={open === step} onToggle={() => setChosen(open === step ? 'none' : step)}>
            {contents[step].body}
          </Step>
        ))}
      </ol>
      {next === undefined && <Finished environment={environment} closed={onboarding.closed} onClose={() => close(texts.finished)} />}
    </Card>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function Step({ number, title, isDone, isOpen, onToggle, children }: StepProps) {
  const id = useId();
  return (
    <li className="min-w-0 rounded-xl bg-inset">
      <h3>
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle} className="flex w-full items-center gap-3 rounded-xl px-4 py-3 text-left font-medium">
          {isDone ? (
            <CircleCheck aria-label={texts.done} className="size-6 shrink-0 text-ok" />
          ) : (
            <span aria-hidden="true" className={`grid size-6 shrink-0 place-items-center rounded-full border text-sm ${isOpen ? 'border-accent bg-accent text-on-accent' : 'border-control'}`}>
              {number}
            </span>
          )}
          <span className="sr-only">{texts.step(number)}</span>
          {title}
        </button>
      </h3>
      <div id={id} hidden={!isOpen} className="px-4 pb-4 sm:pl-13">
        {isOpen && children}
      </div>
    </li>
  );
}

/** Nothing is left to do: what comes next, and the way to real money. */
function Finished({ environment, closed, onClose }: { readonly environment: Environment; readonly closed: boolean; readonly onClose: () => void }) {
  const starts = useRead('settings.get', {}).data?.starts;
  return (
    <div className="mt-4 grid grid-cols-1 gap-3">
      <Callout tone="info">
        <p>{texts.finished}</p>
      </Callout>
      {environment !== 'mainnet' && starts && (
        <details>
          <summary className="cursor-pointer font-medium">{texts.realMoney}</summary>
          <RealMoneyWarning />
          <StartCommand command={starts.mainnet} kind={moneyKindTexts.kinds.mainnet.title.toLowerCase()} />
        </details>
      )}
      {!closed && (
        <div>
          <Button kind="primary" aria-label={texts.closeLong} onClick={onClose}>
            <X aria-hidden="true" className="size-4" />
            {texts.close}
          </Button>
        </div>
      )}
    </div>
  );
}
