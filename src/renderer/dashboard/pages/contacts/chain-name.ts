import type { AppStatus } from '../../../../shared/contract/app.ts';
import { contactTexts as texts } from '../../../texts/contacts.ts';

/** What people call a network, or every network of a kind; its id where it is not enabled. */
export function chainName(chain: string, networks: AppStatus['networks']): string {
  if (chain === 'eip155' || chain === 'solana') return texts.chains[chain];
  return networks.find(({ network }) => network === chain)?.name ?? chain;
}
