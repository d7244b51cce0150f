import type { Clock } from '../../../core/ports.ts';
import { listingKey, type Listing } from '../../../core/discovery/listing.ts';
import type { Db } from './database.ts';

/** A listing and where it stands. */
export interface CachedListing {
  readonly source: string;
  readonly listing: Listing;
  /** When the source was last seen to list it (ms). */
  readonly seenAt: number;
}

export interface CachedSource {
  readonly url: string;
  /** When it was last read to its end (ms). */
  readonly fetchedAt?: number;
  readonly triedAt: number;
  /** What kept it from being read to its end the last time; empty where nothing did. */
  readonly problem: string;
  readonly entries: number;
  /** Entries that could not be read, or are no HTTP endpoint. */
  readonly skipped: number;
  /** True where there was more than Bursar takes. */
  readonly leftOut: boolean;
}

/** How the reading of a source ended. */
export interface SourceOutcome {
  /** The time under which its entries were added, and no others. */
  readonly startedAt: number;
  readonly problem: string;
  readonly skipped: number;
  readonly leftOut: boolean;
}

export interface BazaarSearch {
  /** Words of any language; all of them have to occur, or begin a word that does. Empty: everything, the latest first. */
  readonly query: string;
  readonly limit: number;
  readonly offset: number;
  /** Only what this source lists. */
  readonly source?: string;
}

/** What Bazaars listed when they were last read. A cache: nothing of it is trusted, and all of it may go. */
export interface BazaarCache {
  /** Adds what one answer listed. */
  add(source: string, listings: readonly Listing[], at: number): void;
  /** Notes how a reading ended. One that came to its end takes away what is no longer listed. */
  finish(source: string, outcome: SourceOutcome): void;
  /** Forgets every source but these. */
  keepOnly(sources: readonly string[]): void;
  source(url: string): CachedSource | undefined;
  /** The best first. An endpoint that several sources list comes once. */
  search(search: BazaarSearch): { readonly found: readonly CachedListing[]; readonly more: boolean };
  /** Every source's entry of an endpoint. */
  find(key: string): readonly CachedListing[];
}

interface Row {
  readonly source: string;
  readonly listing: string;
  readonly seen_at: number;
}

interface Wanted {
  /** Empty: every source. */
  readonly only: string;
  readonly most: number;
}

const MOST_TERMS = 12;
const MAX_TERM_CHARACTERS = 40;
/** An endpoint may be listed by so many sources, and still a page of results is full. */
const COPIES = 3;

export function createBazaarCache(db: Db, clock: Pick<Clock, 'now'>): BazaarCache {
  const known = db.prepare<[string, string], { readonly id: number; readonly listing: string }>('SELECT id, listing FROM bazaar_listings WHERE source = ? AND key = ?');
  const insert = db.prepare<[string, string, string, number, number]>('INSERT INTO bazaar_listings (source, key, listing, updated_at, seen_at) VALUES (?, ?, ?, ?, ?)');
  const update = db.prepare<[string, number, number, number]>('UPDATE bazaar_listings SET listing = ?, updated_at = ?, seen_at = ? WHERE id = ?');
  const touch = db.prepare<[number, number]>('UPDATE bazaar_listings SET seen_at = ? WHERE id = ?');
  const index = db.prepare<[number | bigint, string, string, string, string, string]>('INSERT INTO bazaar_index (rowid, name, description, host, path, tags) VALUES (?, ?, ?, ?, ?, ?)');
  const unindex = db.prepare<[number]>('DELETE FROM bazaar_index WHERE rowid = ?');
  const noteSource = db.prepare<[string, number | null, number, string, number, number]>(
    `INSERT INTO bazaar_sources (url, fetched_at, tried_at, problem, skipped, left_out) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (url) DO UPDATE SET fetched_at = coalesce(excluded.fetched_at, fetched_at), tried_at = excluded.tried_at, problem = excluded.problem, skipped = excluded.skipped, left_out = excluded.left_out`,
  );
  const source = db.prepare<[string], { fetched_at: number | null; tried_at: number; problem: string; skipped: number; left_out: 0 | 1; entries: number }>(
    'SELECT *, (SELECT count(*) FROM bazaar_listings WHERE source = url) AS entries FROM bazaar_sources WHERE url = ?',
  );
  const sources = db.prepare<[], string>('SELECT url FROM bazaar_sources UNION SELECT source FROM bazaar_listings').pluck();
  const forgetSource = db.prepare<[string]>('DELETE FROM bazaar_sources WHERE url = ?');
  const gone = db.prepare<[string, number], number>('SELECT id FROM bazaar_listings WHERE source = ? AND seen_at <> ?').pluck();
  const remove = db.prepare<[number]>('DELETE FROM bazaar_listings WHERE id = ?');
  const byKey = db.prepare<[string], Row>('SELECT source, listing, seen_at FROM bazaar_listings WHERE key = ? ORDER BY id');
  const latest = db.prepare<[Wanted], Row>("SELECT source, listing, seen_at FROM bazaar_listings WHERE @only = '' OR source = @only ORDER BY updated_at DESC, id LIMIT @most");
  // A name says more than a description. Only the rows that are shown are read whole.
  const matching = db.prepare<[Wanted & { readonly expression: string }], Row>(
    `SELECT l.source, l.listing, l.seen_at FROM (
       SELECT rowid AS id, bm25(bazaar_index, 8.0, 2.0, 4.0, 6.0, 4.0) AS score FROM bazaar_index
       WHERE bazaar_index MATCH @expression AND (@only = '' OR EXISTS (SELECT 1 FROM bazaar_listings o WHERE o.id = bazaar_index.rowid AND o.source = @only)) ORDER BY score LIMIT @most) f
     JOIN bazaar_listings l ON l.id = f.id ORDER BY f.score, l.id`,
  );

  const put = (from: string, listing: Listing, at: number): void => {
    const key = listingKey(listing);
    const text = JSON.stringify(listing);
    const row = known.get(from, key);
    if (row?.listing === text) return void touch.run(at, row.id);
    const updatedAt = listing.updatedAt ?? 0;
    if (row) {
      update.run(text, updatedAt, at, row.id);
      unindex.run(row.id);
    }
    const id = row?.id ?? insert.run(from, key, text, updatedAt, at).lastInsertRowid;
    const { host, pathname } = new URL(listing.url);
    index.run(id, listing.name, listing.description, host, pathname, listing.tags.join(' '));
  };
  const removeUnseen = (from: string, at: number): void => {
    for (const id of gone.all(from, at)) {
      unindex.run(id);
      remove.run(id);
    }
  };
  const add = db.transaction((from: string, listings: readonly Listing[], at: number) => {
    for (const listing of listings) put(from, listing, at);
  });
  const finish = db.transaction((from: string, { startedAt, problem, skipped, leftOut }: SourceOutcome) => {
    const isWhole = problem === '';
    if (isWhole) removeUnseen(from, startedAt);
    noteSource.run(from, isWhole ? startedAt : null, clock.now(), problem, skipped, leftOut ? 1 : 0);
  });
  const forget = db.transaction((from: string) => {
    removeUnseen(from, -1);
    forgetSource.run(from);
  });

  return {
    add,
    finish,
    keepOnly(kept) {
      for (const url of sources.all()) if (!kept.includes(url)) forget(url);
    },
    source(url) {
      const row = source.get(url);
      return row && { url, ...(row.fetched_at !== null && { fetchedAt: row.fetched_at }), triedAt: row.tried_at, problem: row.problem, entries: row.entries, skipped: row.skipped, leftOut: row.left_out === 1 };
    },
    search({ query, limit, offset, source: only }) {
      const wanted: Wanted = { only: only ?? '', most: (offset + limit + 1) * COPIES };
      const terms = termsOf(query);
      const rows = terms.length > 0 ? matchAll((expression) => matching.all({ ...wanted, expression }), terms) : query.trim() === '' ? latest.all(wanted) : [];
      const once = new Map<string, CachedListing>();
      for (const row of rows) {
        const cached = cachedOfRow(row);
        const key = listingKey(cached.listing);
        if (!once.has(key)) once.set(key, cached);
      }
      const found = [...once.values()];
      return { found: found.slice(offset, offset + limit), more: found.length > offset + limit };
    },
    find: (key) => byKey.all(key).map(cachedOfRow),
  };
}

/** All of the words, else any of them. */
function matchAll(match: (expression: string) => Row[], terms: readonly string[]): Row[] {
  const all = match(terms.join(' AND '));
  return all.length > 0 || terms.length === 1 ? all : match(terms.join(' OR '));
}

/** The words of a question as terms of an FTS5 expression. Nothing of the question is syntax. */
const termsOf = (query: string): readonly string[] => (query.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_TERMS).map((word) => `"${word.slice(0, MAX_TERM_CHARACTERS)}" *`);

const cachedOfRow = (row: Row): CachedListing => ({ source: row.source, listing: JSON.parse(row.listing) as Listing, seenAt: row.seen_at });
