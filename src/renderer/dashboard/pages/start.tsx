import { useLocation } from 'wouter';
import { onboardingTexts as texts } from '../../texts/onboarding.ts';
import { Page } from '../parts/page.tsx';
import { Onboarding } from './onboarding/onboarding.tsx';

/** The first steps by themselves, whenever somebody wants to see them again. */
export function StartPage() {
  const [, go] = useLocation();
  return (
    <Page title={texts.title}>
      <Onboarding isPage onClosed={() => go('/')} />
    </Page>
  );
}
