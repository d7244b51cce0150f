import { OnboardingStep, type OnboardingView } from '../../../../shared/contract/onboarding.ts';
import type { RouteOutput } from '../../../../shared/contract/contract.ts';

export interface Known {
  readonly onboarding: OnboardingView | undefined;
  readonly accounts: RouteOutput<'accounts.list'> | undefined;
  readonly payments: RouteOutput<'payments.list'> | undefined;
  readonly clients: RouteOutput<'clients.list'> | undefined;
  readonly access: RouteOutput<'clients.access'> | undefined;
}

/** Which steps are done: what the owner went past, and what shows by itself, whoever did it. */
export function doneSteps({ onboarding, accounts, payments, clients, access }: Known): ReadonlySet<OnboardingStep> {
  const done = new Set<OnboardingStep>(onboarding?.passed);
  if (payments?.payments.some(({ columns }) => columns.service === 'delivered')) done.add('call');
  if (clients?.clients.some(({ state }) => state === 'registered') || access?.clients.some(({ lastSeen }) => lastSeen !== undefined)) done.add('client');
  // Who paid already had something to pay with.
  if (done.has('call') || (onboarding?.demo === undefined && accounts?.balances.some(({ balance }) => balance !== undefined && BigInt(balance.units) > 0n))) done.add('money');
  return done;
}

/** The step to do next; undefined where all are done. */
export const nextStep = (done: ReadonlySet<OnboardingStep>): OnboardingStep | undefined => OnboardingStep.options.find((step) => !done.has(step));
