import { CircleCheck, CircleMinus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import type { Environment } from '../../../../shared/contract/app.ts';
import { OnboardingStep, type OnboardingView } from '../../../../shared/contract/onboarding.ts';
import { onboardingTexts as texts, callStepTexts, clientStepTexts, moneyStepTexts } from '../../../texts/onboarding.ts';
import { useAnnounce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { Callout } from '../../parts/callout.tsx';
import { Card, Loaded } from '../../parts/card.tsx';
import { useAct, useRead } from '../../server-state.tsx';
import { RECENT_PAYMENTS } from '../recent-payments.tsx';
import { RealMoneyWarning, StartKind } from '../settings/money-kind-card.tsx';
import { CallStep } from './call-step.tsx';
import { ClientStep } from './client-step.tsx';
import { MoneyStep } from './money-step.tsx';
import { nextStep, stepStates, type StepState } from './progress.ts';

/** The first steps on the overview, until their owner closed them. */
export function FirstSteps() {
  const onboarding = useRead('onboarding.get', {}).data;
  if (!onboarding || onboarding.closed) return undefined;
  return <Onboarding onClosed={() => undefined} />;
}

/** The first steps: money, a paid call, a client. One is open at a time; each can be opened again. */
export function Onboarding({ isPage = false, onClosed }: { readonly isPage?: boolean; readonly onClosed: () => void }) {
  const status = useRead('app.status', {});
  const onboarding = useRead('onboarding.get', {});
  return (
    <Loaded query={status} lines={6}>
      {({ environment }) => (
        <Loaded query={onboarding} lines={6}>
          {(value) => <Steps environment={environment} onboarding={value} isPage={isPage} onClosed={onClosed} />}
        </Loaded>
      )}
    </Loaded>
  );
}

interface StepsProps {
  readonly environment: Environment;
  readonly onboarding: OnboardingView;
  /** True where the page itself is called so. */
  readonly isPage: boolean;
  readonly onClosed: () => void;
}

function Steps({ environment, onboarding, isPage, onClosed }: StepsProps) {
  const set = useAct('onboarding.set');
  // Of its own, so that a step which is still being kept holds no button back.
  const closing = useAct('onboarding.set');
  const announce = useAnnounce();
  const accounts = useRead('accounts.list', {});
  const payments = useRead('payments.list', { limit: RECENT_PAYMENTS });
  const clients = useRead('clients.list', {});
  const access = useRead('clients.access', {});
  const states = stepStates({ onboarding, accounts: accounts.data, payments: payments.data, clients: clients.data, access: access.data });
  const next = nextStep(states);
  const isKnown = ![accounts, payments, clients, access].some(({ isPending }) => isPending);
  // It stays open while what is done in it shows that it is done: its reader wants to see what came of it.
  const [open, setOpen] = useState<OnboardingStep | 'none'>();
  if (open === undefined && isKnown) setOpen(next ?? 'none');
  const over = OnboardingStep.options.filter((step) => states[step] !== 'open').length;

  const steps = useRef<HTMLOListElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const follows = useRef(false);
  useEffect(() => {
    if (!follows.current) return;
    follows.current = false;
    // The button that was pressed is out of sight.
    (steps.current?.querySelector<HTMLElement>('[aria-expanded="true"]') ?? end.current)?.focus();
  }, [open]);

  const pass = (step: OnboardingStep) => {
    follows.current = true;
    setOpen(nextStep(states, step) ?? 'none');
    set.mutate({ passed: step });
  };
  const close = (words: string) =>
    closing.mutate(
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
      title={isPage ? texts.progressTitle(over) : texts.title}
      className="border-accent md:col-span-2"
      aside={
        <span className="flex items-center gap-2">
          {!isPage && <span className="text-sm text-muted tabular-nums">{texts.progress(over)}</span>}
          {!onboarding.closed && next !== undefined && (
            <Button kind="quiet" aria-label={texts.skipLong} disabled={closing.isPending} onClick={() => close(texts.skipped)}>
              {texts.skip}
            </Button>
          )}
        </span>
      }
    >
      <p className="text-muted">{texts.intro[environment]}</p>
      {(set.error ?? closing.error) && <p className="mt-2 text-danger">{(set.error ?? closing.error)?.message}</p>}
      <ol ref={steps} className="mt-4 grid grid-cols-1 gap-2">
        {OnboardingStep.options.map((step, index) => (
          <Step key={step} number={index + 1} title={contents[step].title} state={states[step]} isOpen={open === step} onToggle={() => setOpen(open === step ? 'none' : step)}>
            {contents[step].body}
          </Step>
        ))}
      </ol>
      <div ref={end} tabIndex={-1} className="outline-none">
        {next === undefined && <Finished environment={environment} closed={onboarding.closed} onClose={() => close(texts.finished)} />}
      </div>
    </Card>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function Step({ number, title, state, isOpen, onToggle, children }: StepProps) {
  const id = useId();
  return (
    <li className="min-w-0 rounded-xl bg-inset">
      <h3>
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle} className="flex w-full items-center gap-3 rounded-xl px-4 py-3 text-left font-medium">
          {state === 'done' && <CircleCheck aria-label={texts.done} className="size-6 shrink-0 text-ok" />}
          {state === 'skipped' && <CircleMinus aria-label={texts.passed} className="size-6 shrink-0 text-muted" />}
          {state === 'open' && (
            <span aria-hidden="true" className={`grid size-6 shrink-0 place-items-center rounded-full border text-sm ${isOpen ? 'border-accent bg-accent text-on-accent' : 'border-control'}`}>
              {number}
            </span>
          )}
          <span className="sr-only">{texts.step(number)}</span>
          {title}
        </button>
      </h3>
      <div id={id} hidden={!isOpen} className="px-4 pb-4 sm:pl-13">
        {children}
      </div>
    </li>
  );
}

/** Nothing is left to do: what comes next, and the way to real money. */
function Finished({ environment, closed, onClose }: { readonly environment: Environment; readonly closed: boolean; readonly onClose: () => void }) {
  const settings = useRead('settings.get', {}).data;
  return (
    <div className="mt-4 grid grid-cols-1 gap-3">
      <Callout tone="info">
        <p>{texts.finished}</p>
      </Callout>
      {environment !== 'mainnet' && settings && (
        <details>
          <summary className="cursor-pointer font-medium">{texts.realMoney}</summary>
          <RealMoneyWarning />
          <StartKind kind="mainnet" settings={settings} />
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
