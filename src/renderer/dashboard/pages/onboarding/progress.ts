import { OnboardingStep, type OnboardingView } from '../../../../shared/contract/onboarding.ts';
import type { RouteOutput } from '../../../../shared/contract/contract.ts';

export interface Known {
  readonly onboarding: Pick<OnboardingView, 'passed'>;
  readonly accounts: Pick<RouteOutput<'accounts.list'>, 'balances'> | undefined;
  readonly payments: Pick<RouteOutput<'payments.list'>, 'payments'> | undefined;
  readonly clients: Pick<RouteOutput<'clients.list'>, 'clients'> | undefined;
  readonly access: Pick<RouteOutput<'clients.access'>, 'clients'> | undefined;
}

/** `skipped`: its owner went past it, and it was not done. */
export type StepState = 'open' | 'done' | 'skipped';

/** How far the first steps are. What shows by itself counts, whoever did it; that there is money counts once its owner saw it, or paid. */
export function stepStates({ onboarding: { passed }, accounts, payments, clients, access }: Known): Readonly<Record<OnboardingStep, StepState>> {
  const hasPaid = payments?.payments.some(({ columns }) => columns.service === 'delivered') ?? false;
  const hasMoney = accounts?.balances.some(({ balance }) => balance !== undefined && BigInt(balance.units) > 0n) ?? false;
  const hasClient = (clients?.clients.some(({ state }) => state === 'registered') ?? false) || (access?.clients.some(({ lastSeen }) => lastSeen !== undefined) ?? false);
  const state = (step: OnboardingStep, isDone: boolean): StepState => (isDone ? 'done' : passed.includes(step) ? 'skipped' : 'open');
  return { money: state('money', hasPaid || (hasMoney && passed.includes('money'))), call: state('call', hasPaid), client: state('client', hasClient) };
}

/** The first step that is neither done nor skipped, but for those that were just passed; undefined where none is left. */
export const nextStep = (states: Readonly<Record<OnboardingStep, StepState>>, passing?: OnboardingStep): OnboardingStep | undefined =>
  OnboardingStep.options.find((step) => states[step] === 'open' && step !== passing);
