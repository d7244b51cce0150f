import type { ToolFacts } from '../../../core/challenges/tool-facts.ts';
import type { StoredUpstream } from '../../adapters/store/upstreams.ts';
import { upstreamAddress, type Upstreams } from '../../upstreams.ts';
import type { AuthorizationView, UpstreamTest, UpstreamView } from '../../../shared/contract/upstreams.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import type { Handlers } from '../router.ts';

export interface UpstreamViewDeps {
  readonly authorization: (name: string) => AuthorizationView | undefined;
  /** `http://127.0.0.1:PORT/mcp` */
  readonly mcpUrl: () => string;
  /** Servers and hosts whose payments Bursar settles itself. */
  readonly settledByBursar: () => readonly string[];
}

/** A server as pages see it: without the values of its headers and variables. */
export const createUpstreamView =
  ({ authorization, mcpUrl, settledByBursar }: UpstreamViewDeps) =>
  (stored: StoredUpstream): UpstreamView => {
    const standing = authorization(stored.name);
    return {
      name: stored.name,
      kind: stored.transport.kind,
      address: upstreamAddress(stored.transport),
      enabled: stored.enabled,
      ...(settledByBursar().includes(stored.name) && { settlement: 'client' as const }),
      ...(standing && { authorization: standing }),
      mcpUrl: `${mcpUrl()}/${stored.name}`,
    };
  };

export interface UpstreamDeps {
  readonly upstreams: Upstreams;
  readonly facts: Pick<ToolFacts, 'all' | 'links'>;
  readonly view: (stored: StoredUpstream) => UpstreamView;
  /** Ends what runs to a server that is another one now. */
  readonly changed: (name: string) => Promise<void>;
  readonly test: (name: string, options: { readonly withinMs: number }) => Promise<UpstreamTest>;
  /** Servers and hosts whose payments Bursar settles itself. */
  readonly settledByBursar: () => readonly string[];
  readonly setSettledByBursar: (names: readonly string[]) => Promise<void>;
}

/** So many prices a page shows. */
const MOST_PRICES = 500;
const MOST_NAME_CHARACTERS = 128;

type Routes = 'upstreams.list' | 'upstreams.prices' | 'upstreams.add' | 'upstreams.remove' | 'upstreams.test' | 'upstreams.setSettlement';

export function upstreamHandlers({ upstreams, facts, view, changed, test, settledByBursar, setSettledByBursar }: UpstreamDeps): Pick<Handlers, Routes> {
  return {
    'upstreams.list': () => ({ upstreams: upstreams.list().map(view) }),
    'upstreams.prices': () => {
      const priced = facts.all().filter(({ price, dialects }) => price !== undefined || dialects.length > 0);
      const prices = priced.slice(0, MOST_PRICES).map(({ upstream, tool, price, dialects }) => ({ upstream, tool: cleanText(tool, MOST_NAME_CHARACTERS), price: price ? `${price.amount} ${price.currency}` : '', dialects: [...dialects] }));
      return { prices, more: priced.length - prices.length, links: facts.links().map((link) => ({ ...link, tool: cleanText(link.tool, MOST_NAME_CHARACTERS), url: cleanText(link.url, 2048), message: cleanText(link.message, 300) })) };
    },
    'upstreams.add': async ({ name, transport }) => {
      const added = await upstreams.add(name, transport);
      await changed(name);
      return view(added);
    },
    'upstreams.test': ({ name, withinSeconds }) => test(name, { withinMs: withinSeconds * 1000 }),
    'upstreams.setSettlement': async ({ name, settlement }) => {
      const isHost = /[.:]/.test(name);
      if (!isHost && !upstreams.find(name)) throw new BursarError('UPSTREAM_UNKNOWN', `There is no server "${name}".`, { context: { upstream: name } });
      const others = settledByBursar().filter((other) => other !== name);
      await setSettledByBursar(settlement === 'client' ? [...others, name] : others);
      return {};
    },
    'upstreams.remove': async ({ name }) => {
      await upstreams.remove(name);
      await changed(name);
      return {};
    },
  };
}
