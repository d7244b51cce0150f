import type { EndpointInput } from './endpoint-input.ts';

/** One way in which a listed endpoint says that it can be paid. The registry decides what token it is. */
export interface ListedPrice {
  readonly scheme: string;
  /** CAIP-2 where the short name is known, else as it was written. */
  readonly network: string;
  readonly asset: string;
  /** Base units, digits only. */
  readonly amount: string;
  readonly payee: string;
}

/** An HTTP endpoint that somebody offers for money in a Bazaar. Every text is theirs, cleaned and capped. */
export interface Listing {
  /** `http:` or `https:`, without fragment or password. */
  readonly url: string;
  readonly method: string;
  /** What the service calls itself; may be empty. */
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly prices: readonly ListedPrice[];
  /** When the list says that it was last updated (ms). */
  readonly updatedAt?: number;
  readonly input: EndpointInput;
}

/** What makes two entries the same endpoint. */
export const listingKey = ({ method, url }: Pick<Listing, 'method' | 'url'>): string => `${method} ${url}`;
