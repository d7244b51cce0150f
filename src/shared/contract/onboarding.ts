import { z } from 'zod';
import { FaucetView } from './settings.ts';
import { PaymentView } from './payments.ts';
import { route } from './route.ts';
import { Empty } from './values.ts';

/** The first steps, in their order: money to try with, a paid call, a client. */
export const OnboardingStep = z.enum(['money', 'call', 'client']);
export type OnboardingStep = z.infer<typeof OnboardingStep>;

export const OnboardingView = z.object({
  /** True once the owner finished or skipped the first steps. */
  closed: z.boolean(),
  /** Steps that the owner went past, done or not. */
  passed: z.array(OnboardingStep),
  /** What can be bought with one click; absent without a sandbox. */
  demo: z.object({ url: z.string() }).optional(),
  /** Where test money comes from, by enabled network; empty on play money and on real networks. */
  faucets: z.array(z.object({ network: z.string(), networkName: z.string(), faucets: z.array(FaucetView) })),
});
export type OnboardingView = z.infer<typeof OnboardingView>;

/** A purchase of the first steps: what came, and what was paid for it. */
export const DemoPurchase = z.object({
  /** HTTP status of the answer. */
  status: z.number().int(),
  /** The answer as text, cut where it is long; a stranger's words. */
  text: z.string(),
  payment: PaymentView.optional(),
});
export type DemoPurchase = z.infer<typeof DemoPurchase>;

export const onboardingRoutes = {
  'onboarding.get': route('read', Empty, OnboardingView),
  /** Keeps how far the owner came. Moves no limit and no money, so that it needs no passphrase. */
  'onboarding.set': route('read', z.object({ passed: OnboardingStep.optional(), closed: z.boolean().optional() }), OnboardingView),
  /**
   * Buys the sandbox's demonstration on the road of every payment: within policy, and with approval where it asks. Throws `NOT_FOUND` without a
   * sandbox, and what the payment was refused with.
   */
  'onboarding.buy': route('owner', Empty, DemoPurchase),
} as const;
