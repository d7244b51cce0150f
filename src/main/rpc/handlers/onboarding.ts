import type { HttpPurchased } from '../../../shared/contract/payments.ts';
import type { OnboardingStep, OnboardingView } from '../../../shared/contract/onboarding.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../router.ts';

export interface Progress {
  readonly closed: boolean;
  readonly passed: readonly OnboardingStep[];
}

export interface OnboardingDeps {
  readonly get: () => Progress;
  readonly keep: (progress: Progress) => void;
  /** Address of what can be bought with one click; absent without a sandbox. */
  readonly demo?: string;
  /** Buys as the owner does, within policy. */
  readonly buy: (url: string, caller: Caller) => Promise<HttpPurchased>;
  readonly faucets: () => OnboardingView['faucets'];
  readonly changed: () => void;
}

/** Longest answer that the first steps show. */
const MOST_TEXT = 2_000;

export function onboardingHandlers({ get, keep, demo, buy, faucets, changed }: OnboardingDeps): Pick<Handlers, 'onboarding.get' | 'onboarding.set' | 'onboarding.buy'> {
  const view = (): OnboardingView => {
    const { closed, passed } = get();
    return { closed, passed: [...passed], ...(demo !== undefined && { demo: { url: demo } }), faucets: faucets() };
  };
  return {
    'onboarding.get': view,
    'onboarding.set'({ passed, closed }) {
      const before = get();
      keep({ closed: closed ?? before.closed, passed: passed === undefined || before.passed.includes(passed) ? before.passed : [...before.passed, passed] });
      changed();
      return view();
    },
    async 'onboarding.buy'(_input, caller) {
      if (demo === undefined) throw new BursarError('NOT_FOUND', 'There is nothing to try with one click here: this Bursar runs without the play-money sandbox.', { hint: 'Find a service on the Discover page.' });
      const { status, body, encoding, payment } = await buy(demo, caller);
      return { status, text: encoding === 'utf8' ? cleanText(body, MOST_TEXT) : '', ...(payment && { payment }) };
    },
  };
}
