import type { Rail } from '../ports.ts';
import type { Terms } from './terms.ts';

/** The rail that made a payment of these terms. A scheme may have two on a chain: one whose proof the seller settles, and one that settles first. */
export const railOf = (rails: readonly Rail[], terms: Pick<Terms, 'scheme' | 'network' | 'flow'>): Rail | undefined =>
  rails.find(({ scheme, namespace, flow }) => scheme === terms.scheme && flow === terms.flow && terms.network.startsWith(`${namespace}:`));
