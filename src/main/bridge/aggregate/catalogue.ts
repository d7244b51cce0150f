import { toErrorInfo } from '../../../shared/errors/errors.ts';
import { cleanText } from '../../../shared/text/clean-text.ts';
import { LIST_KINDS, type Listed, type ListKind } from './lists.ts';
import type { Member } from './member.ts';

/** What servers listed when they were last asked, for all clients: so that a list is there before its servers are. */
export interface LastLists {
  get(upstream: string, kind: ListKind): readonly Listed[] | undefined;
  set(upstream: string, kind: ListKind, items: readonly Listed[]): readonly Listed[];
  /** The owner changed or removed the server. */
  forget(upstream: string): void;
}

export function createLastLists(): LastLists {
  const lists = new Map<string, Map<ListKind, readonly Listed[]>>();
  return {
    get: (upstream, kind) => lists.get(upstream)?.get(kind),
    set(upstream, kind, items) {
      const ofUpstream = lists.get(upstream) ?? new Map<ListKind, readonly Listed[]>();
      lists.set(upstream, ofUpstream);
      const before = ofUpstream.get(kind);
      // Clients share one copy.
      if (before !== undefined && isSame(before, items)) return before;
      ofUpstream.set(kind, items);
      return items;
    },
    forget: (upstream) => void lists.delete(upstream),
  };
}

/** A server whose entries are not in a list, and why. */
export interface Missing {
  readonly upstream: string;
  readonly reason: string;
}

export interface Gathered {
  readonly parts: readonly { readonly upstream: string; readonly items: readonly Listed[] }[];
  readonly missing: readonly Missing[];
}

/** What the servers of one aggregate session list. */
export interface Catalogue {
  /** The lists of all servers, of each the newest that is at hand in time. */
  gather(kind: ListKind): Promise<Gathered>;
  /** What is known of a server's list without asking it. */
  known(upstream: string, kind: ListKind): readonly Listed[];
  /** The server says that its list changed. */
  changed(upstream: string, kind: ListKind): void;
  forget(upstream: string): void;
}

export interface CatalogueOptions {
  readonly members: () => readonly Member[];
  readonly lastLists: LastLists;
  /** How long a list waits for a server of which nothing is known (ms). */
  readonly waitMs: number;
  /** A list came after it was given to the client without it. */
  readonly onLate: (kind: ListKind) => void;
  readonly onFailure: (missing: Missing, kind: ListKind) => void;
}

interface Entry {
  /** Newest list of this session; undefined while there is none, or the server said that it changed. */
  items: readonly Listed[] | undefined;
  /** What the client was given last; undefined for nothing. */
  given: readonly Listed[] | undefined;
  asked: boolean;
  fetching: Promise<readonly Listed[]> | undefined;
  /** How often the server said that it changed. */
  changes: number;
}

export function createCatalogue({ members, lastLists, waitMs, onLate, onFailure }: CatalogueOptions): Catalogue {
  const entries = new Map<string, Map<ListKind, Entry>>();
  const entryOf = (upstream: string, kind: ListKind): Entry => {
    const kinds = entries.get(upstream) ?? new Map<ListKind, Entry>(LIST_KINDS.map((each) => [each, { items: undefined, given: undefined, asked: false, fetching: undefined, changes: 0 }]));
    entries.set(upstream, kinds);
    return kinds.get(kind)!;
  };

  const fetch = (member: Member, kind: ListKind, entry: Entry): Promise<readonly Listed[]> => {
    if (entry.fetching !== undefined) return entry.fetching;
    const { changes } = entry;
    const fetching = member
      .list(kind)
      .then((fetched) => {
        const items = lastLists.set(member.upstream, kind, fetched);
        if (entry.changes === changes) entry.items = items;
        if (entry.asked && entry.given !== undefined && !isSame(entry.given, items)) onLate(kind);
        return items;
      })
      .finally(() => {
        if (entry.fetching === fetching) entry.fetching = undefined;
      });
    entry.fetching = fetching;
    return fetching;
  };

  const listOf = async (member: Member, kind: ListKind): Promise<{ readonly items: readonly Listed[] } | Missing> => {
    const { upstream } = member;
    const entry = entryOf(upstream, kind);
    if (entry.items !== undefined && member.tellsChanges(kind)) return { items: entry.items };
    entry.asked = false;
    const known = member.live ? undefined : lastLists.get(upstream, kind);
    const ask = () => fetch(member, kind, entry).then((items) => ({ items }), (error: unknown): Missing => ({ upstream, reason: cleanText(toErrorInfo(error).message, 300) }));
    // The server is started for what it lists by now, but not before the client has its answer.
    if (known !== undefined) setImmediate(() => void ask());
    const found = known === undefined ? await within(waitMs, ask(), { upstream, reason: 'It has not answered yet.' }) : { items: known };
    entry.asked = true;
    entry.given = 'items' in found ? found.items : [];
    if ('reason' in found) onFailure(found, kind);
    return found;
  };

  return {
    async gather(kind) {
      const all = members();
      const found = await Promise.all(all.map((member) => listOf(member, kind)));
      return {
        parts: found.flatMap((part, index) => ('items' in part ? [{ upstream: all[index]!.upstream, items: part.items }] : [])),
        missing: found.filter((part) => 'reason' in part),
      };
    },
    known: (upstream, kind) => entries.get(upstream)?.get(kind)?.items ?? lastLists.get(upstream, kind) ?? [],
    changed(upstream, kind) {
      const entry = entryOf(upstream, kind);
      entry.items = undefined;
      entry.fetching = undefined;
      entry.changes++;
    },
    forget(upstream) {
      entries.delete(upstream);
    },
  };
}

/** What the promise gives, or `late` after so many milliseconds. It must not reject. */
async function within<T>(ms: number, promise: Promise<T>, late: T): Promise<T> {
  const { promise: timeout, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, late);
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

const isSame = (some: readonly Listed[], others: readonly Listed[]): boolean => some === others || (some.length === others.length && some.every(({ text }, index) => text === others[index]?.text));
