import type { Rail } from '../ports.ts';
import { ORDER } from '../challenges/order.ts';
import type { Offer } from '../challenges/dialect.ts';
import type { Namespace } from '../registry/networks.ts';
import type { Terms } from './terms.ts';

/** The rail that made a payment of these terms. A scheme may have two on a chain: one whose proof the seller settles, and one that settles first. */
export const railOf = (rails: readonly Rail[], terms: Pick<Terms, 'scheme' | 'network' | 'flow'>): Rail | undefined =>
  rails.find(({ scheme, namespace, flow }) => scheme === terms.scheme && flow === terms.flow && terms.network.startsWith(`${namespace}:`));

/** Schemes that these dialects alone ask in. To any other dialect they are names that it does not know, whoever writes them into an offer. */
const SCHEMES_OF_FEW: Readonly<Record<string, readonly string[]>> = { transfer: ['transfer-proof', ORDER], 'dev-signature': ['mpx'], 'stripe-card': ['mpx'] };

/**
 * The rail for an offer. One that Bursar settles itself is taken only where the offer says so, or the owner for the server that asks
 * (`wanted`); the owner's word leaves an offer alone that knows no such thing.
 */
export function railFor(rails: readonly Rail[], { scheme, settlement }: Pick<Offer, 'scheme' | 'settlement'>, by: { readonly dialect: string; readonly namespace: Namespace; readonly wanted: Offer['settlement'] }): Rail | undefined {
  if (Object.hasOwn(SCHEMES_OF_FEW, scheme) && !SCHEMES_OF_FEW[scheme]?.includes(by.dialect)) return undefined;
  const fitting = rails.filter((rail) => rail.scheme === scheme && rail.namespace === by.namespace);
  const settling = (how: Offer['settlement']) => fitting.find((rail) => rail.settlement === how);
  return settlement === undefined && by.wanted === undefined ? settling(undefined) : (settling('client') ?? (settlement === undefined ? settling(undefined) : undefined));
}
