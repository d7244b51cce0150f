import type { Catalogue, Gathered } from './catalogue.ts';
import { LISTS, shownAs, type Listed, type ListKind } from './lists.ts';
import { explicitUri, looksExplicit, readExplicitUri, readShownName } from './names.ts';

/** Where a name or an address of the aggregate route leads. */
export interface Route {
  readonly upstream: string;
  /** What the server itself calls it. */
  readonly own: string;
}

/** So many addresses that one server mentioned are remembered. */
const MOST_MENTIONED = 500;
/** In answers that are longer nothing is looked for. */
const MENTION_CHARACTERS = 1_000_000;
const MENTIONED = /"uri"\s*:\s*("(?:[^"\\]|\\.){1,2048}")/g;

export interface Routes {
  /** The entries of all servers as the client sees them. An address that two servers have leads to the first by name; at the others it names its server. */
  merge(kind: ListKind, gathered: Gathered): readonly Listed[];
  /** The server of a tool or a prompt; undefined where no server has it. */
  named(kind: 'tools' | 'prompts', shown: string): Promise<Route | undefined>;
  /** The server of a resource. */
  addressed(uri: string): Promise<Route | undefined>;
  /** An address of a server as the client knows it. */
  shownUri(upstream: string, uri: string): string;
  /** Remembers whose the addresses are that a tool's answer mentions. */
  mentioned(upstream: string, text: string): void;
}

export function createRoutes({ catalogue, names }: { readonly catalogue: Catalogue; readonly names: () => readonly string[] }): Routes {
  const mentions = new Map<string, string>();
  const ownerOf = (kind: ListKind, isIt: (item: Listed) => boolean): Route | undefined => {
    for (const upstream of names()) {
      const item = catalogue.known(upstream, kind).find(isIt);
      if (item !== undefined) return { upstream, own: item.own };
    }
    return undefined;
  };
  /** Whoever lists it; else whose template it may come of, the one that says most of it first: a template that leaves everything open must not take what another declares. */
  const declared = (uri: string): Route | undefined => {
    const listed = ownerOf('resources', ({ own }) => own === uri);
    if (listed !== undefined) return listed;
    const templates = names().flatMap((upstream) => catalogue.known(upstream, 'templates').map(({ own }) => ({ upstream, own })));
    const [best] = templates.filter(({ own }) => own === uri || matches(own, uri)).toSorted((one, other) => saidBy(other.own) - saidBy(one.own));
    return best && { upstream: best.upstream, own: uri };
  };
  const mentionedBy = (uri: string): Route | undefined => {
    const upstream = mentions.get(uri);
    return upstream !== undefined && names().includes(upstream) ? { upstream, own: uri } : undefined;
  };

  return {
    merge(kind, { parts }) {
      if (LISTS[kind].key === 'name') return parts.flatMap(({ items }) => items);
      const taken = new Set<string>();
      return parts.flatMap(({ upstream, items }) =>
        items.map((item) => {
          const isFree = !taken.has(item.own) && !looksExplicit(item.own);
          taken.add(item.own);
          return isFree ? item : shownAs(item, kind, explicitUri(upstream, item.own));
        }),
      );
    },
    async named(kind, shown) {
      const read = readShownName(shown);
      if (read !== undefined) return names().includes(read.upstream) ? { upstream: read.upstream, own: read.name } : undefined;
      const find = (): Route | undefined => ownerOf(kind, (item) => item.shown === shown);
      return find() ?? (await catalogue.gather(kind).then(find));
    },
    async addressed(uri) {
      const read = readExplicitUri(uri);
      if (read !== undefined) return names().includes(read.upstream) ? { upstream: read.upstream, own: read.uri } : undefined;
      const first = declared(uri);
      if (first !== undefined) return first;
      await Promise.all([catalogue.gather('resources'), catalogue.gather('templates')]);
      return declared(uri) ?? mentionedBy(uri);
    },
    shownUri(upstream, uri) {
      const first = ownerOf('resources', ({ own }) => own === uri);
      return looksExplicit(uri) || (first !== undefined && first.upstream !== upstream) ? explicitUri(upstream, uri) : uri;
    },
    mentioned(upstream, text) {
      if (text.length > MENTION_CHARACTERS || !text.includes('"resource')) return;
      for (const [, literal = '""'] of text.matchAll(MENTIONED)) {
        const uri = JSON.parse(literal) as string;
        // Whoever mentioned it first: no server takes an address over, or crowds out what others mentioned.
        if (mentionedBy(uri) !== undefined) continue;
        mentions.set(uri, upstream);
        const own = [...mentions].filter(([, by]) => by === upstream);
        if (own.length > MOST_MENTIONED && own[0] !== undefined) mentions.delete(own[0][0]);
      }
    },
  };
}

/** How much of an address a template says, in characters. */
const saidBy = (template: string): number => template.replaceAll(/\{[^{}]*\}/g, '').length;

/** Could this address come of the template (RFC 6570)? What a template leaves open may be anything. */
function matches(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const [start = ''] = literals;
  if (literals.length < 2 || !uri.startsWith(start)) return false;
  let at = start.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  const end = literals.at(-1) ?? '';
  return uri.endsWith(end) && uri.length - end.length >= at;
}
