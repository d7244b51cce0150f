import { ExternalLink } from 'lucide-react';
import type { FaucetView } from '../../../shared/contract/settings.ts';
import { moneyStepTexts as texts } from '../../texts/onboarding.ts';

/** Links to public pages that give test money away; opened by a click and by nothing else. */
export const FaucetLinks = ({ faucets }: { readonly faucets: readonly FaucetView[] }) => (
  <>
    {faucets.map(({ name, url, gives }) => (
      <a key={url} href={url} target="_blank" rel="noopener noreferrer" className="inline-flex items-center gap-1 font-medium text-accent underline underline-offset-2">
        {texts.openFaucet(name, gives)}
        <ExternalLink aria-hidden="true" className="size-3.5" />
      </a>
    ))}
  </>
);
