import { formatUnits } from '../../shared/money/money.ts';
import type { Terms } from '../payments/terms.ts';
import type { Assets } from '../registry/assets.ts';
import { findNetwork } from '../registry/networks.ts';
import { sameAddress } from './scope.ts';

/** What is remembered of the last settled payment for a tool. */
export type Pin = Pick<Terms, 'payee' | 'asset' | 'network' | 'amount'>;

/** One thing that a server asks for otherwise than when it was last paid for the same tool. */
export interface TermsChange {
  readonly what: 'payee' | 'asset' | 'network' | 'price';
  /** As people read it. */
  readonly before: string;
  readonly now: string;
}

/** What changed since the last settled payment for the tool. Any change asks, and is never allowed by a rule. */
export function changedTerms(pin: Pin | undefined, terms: Pin, assets: Assets): readonly TermsChange[] {
  if (!pin) return [];
  const compare = (what: TermsChange['what'], words: (pin: Pin) => string): readonly TermsChange[] =>
    words(pin) === words(terms) ? [] : [{ what, before: words(pin), now: words(terms) }];
  return [
    ...compare('payee', ({ payee }) => payee),
    ...compare('network', ({ network }) => findNetwork(network)?.name ?? network),
    // The same token has another address on another network.
    ...compare('asset', pin.network === terms.network ? (of) => `${symbolOf(of, assets)} (${of.asset})` : (of) => symbolOf(of, assets)),
    ...compare('price', (of) => priceOf(of, assets)),
  ];
}

/** Why terms are outside of what the owner agreed to beforehand, for one of these prices; empty where they are within. Less is never outside. */
export function beyondAgreed(agreed: readonly Pin[], terms: Pin, assets: Assets): string {
  const sameToken = agreed.filter(({ network, asset }) => network === terms.network && sameAddress(asset, terms.asset));
  if (sameToken.length === 0) return 'Asks because the endpoint was approved for another token or network';
  const samePayee = sameToken.filter(({ payee }) => sameAddress(payee, terms.payee));
  if (samePayee.length === 0) return 'Asks because the endpoint was approved for another payee';
  const most = samePayee.reduce((highest, pin) => (pin.amount > highest.amount ? pin : highest));
  return terms.amount > most.amount ? `Asks because the endpoint was approved at ${priceOf(most, assets)}, and now asks for ${priceOf(terms, assets)}` : '';
}

/** `payee and price` */
export const changeWords = (changes: readonly TermsChange[]): string => {
  const names = changes.map(({ what }) => (what === 'asset' ? 'token' : what));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

const symbolOf = ({ network, asset }: Pin, assets: Assets): string => assets.find(network, asset)?.symbol ?? asset;

/** Written in whole tokens, so that the same price in a token of other decimals is the same. */
function priceOf(pin: Pin, assets: Assets): string {
  const asset = assets.find(pin.network, pin.asset);
  return asset ? `${formatUnits(pin.amount, asset.decimals, 2)} ${asset.symbol}` : pin.amount.toString();
}
