import type { ToolListing } from './answer.ts';
import type { PayLink } from './elicitation.ts';
import { paymentKeys, type PaymentKeys } from './payment-keys.ts';
import { listedPrice, type ListedPrice } from './prices.ts';

/** So many tools are remembered, and so many links; the oldest go first. */
const MOST_TOOLS = 5_000;
const MOST_LINKS = 20;

/** What is known of a tool before it is called again. */
export interface ToolFact {
  readonly upstream: string;
  readonly tool: string;
  /** What its server's `tools/list` says about paying; absent where that says nothing. */
  readonly listing?: ToolListing;
  readonly price?: ListedPrice;
  /** The dialects in which it asked for money in this process, the latest last. */
  readonly dialects: readonly string[];
}

/** A page that a server sent the person to. */
export interface SeenLink extends PayLink {
  readonly upstream: string;
  /** Empty where the server asked by itself and not in an answer. */
  readonly tool: string;
  /** When it was last seen (ms). */
  readonly at: number;
}

/** What servers have said about paying for their tools, in memory: prices, dialects, and pages to pay at. Their word, never the wallet's. */
export interface ToolFacts {
  /** What `tools/list` says now, for every client; undefined where it says nothing about paying. */
  noteListing(upstream: string, tool: string, listing: ToolListing | undefined): void;
  noteChallenge(upstream: string, tool: string, dialect: string): void;
  noteLink(link: Omit<SeenLink, 'at'>): void;
  of(upstream: string, tool: string): ToolFact | undefined;
  /** The keys that only Bursar may write into a call of this tool. */
  keysOf(upstream: string, tool: string): PaymentKeys;
  all(): readonly ToolFact[];
  /** Newest first. */
  links(): readonly SeenLink[];
  /** The server was changed or removed: what another one said under its name does not count. */
  forget(upstream: string): void;
}

export interface ToolFactsOptions {
  readonly now: () => number;
  /** Called when something that the owner sees became stale. */
  readonly changed: () => void;
  readonly linkSeen?: (link: SeenLink) => void;
}

export function createToolFacts({ now, changed, linkSeen }: ToolFactsOptions): ToolFacts {
  const facts = new Map<string, ToolFact>();
  let links: readonly SeenLink[] = [];
  const keyOf = (upstream: string, tool: string) => JSON.stringify([upstream, tool]);

  const put = (fact: ToolFact) => {
    const key = keyOf(fact.upstream, fact.tool);
    const before = facts.get(key);
    const isEmpty = !fact.listing && fact.dialects.length === 0;
    if (isEmpty && !before) return;
    facts.delete(key);
    const [oldest] = facts.keys();
    if (facts.size >= MOST_TOOLS && oldest !== undefined) facts.delete(oldest);
    if (!isEmpty) facts.set(key, fact);
    if (looksOf(before) !== looksOf(isEmpty ? undefined : fact)) changed();
  };

  return {
    noteListing(upstream, tool, listing) {
      const dialects = facts.get(keyOf(upstream, tool))?.dialects ?? [];
      const price = listing && listedPrice(listing);
      put({ upstream, tool, dialects, ...(listing && { listing }), ...(price && { price }) });
    },
    noteChallenge(upstream, tool, dialect) {
      const before = facts.get(keyOf(upstream, tool));
      put({ upstream, tool, ...before, dialects: [...(before?.dialects ?? []).filter((other) => other !== dialect), dialect] });
    },
    noteLink(link) {
      const seen: SeenLink = { ...link, at: now() };
      const isSame = ({ upstream, tool, url }: SeenLink) => upstream === seen.upstream && tool === seen.tool && url === seen.url;
      links = [seen, ...links.filter((other) => !isSame(other))].slice(0, MOST_LINKS);
      linkSeen?.(seen);
      changed();
    },
    of: (upstream, tool) => facts.get(keyOf(upstream, tool)),
    keysOf: (upstream, tool) => paymentKeys(facts.get(keyOf(upstream, tool)) ?? { dialects: [] }),
    all: () => [...facts.values()],
    links: () => links,
    forget(upstream) {
      for (const [key, fact] of facts) if (fact.upstream === upstream) facts.delete(key);
      links = links.filter((link) => link.upstream !== upstream);
      changed();
    },
  };
}

/** What a page shows of a tool. */
const looksOf = (fact: ToolFact | undefined): string => (fact?.price || fact?.dialects.length ? JSON.stringify([fact.price, fact.dialects]) : '');
