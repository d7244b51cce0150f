import type { Clock, Log } from '../../core/ports.ts';
import { listingKey } from '../../core/discovery/listing.ts';
import { BursarError, toErrorInfo } from '../../shared/errors/errors.ts';
import { cleanText } from '../../shared/text/clean-text.ts';
import type { BazaarCache, BazaarSearch, CachedListing, CachedSource } from '../adapters/store/bazaar-cache.ts';
import type { createSourceReader } from './read-source.ts';

/** After this long a source is read anew when somebody searches. */
const FRESH_MS = 60 * 60_000;
/** A source that failed is left alone for so long. */
const REST_MS = 5 * 60_000;
/** No search waits longer for lists than this: pages give a request up after half a minute. What is being read goes on. */
const WAIT_MS = 20_000;
const MAX_PROBLEM_CHARACTERS = 300;

/** A source as it stands. */
export interface SourceState extends Pick<CachedSource, 'url' | 'problem' | 'entries' | 'skipped' | 'leftOut'> {
  readonly fetchedAt?: number;
  readonly isReading: boolean;
}

export interface CatalogueSearch extends BazaarSearch {
  /** `cache` asks nobody; `stale` reads what is too old in the background; `all` reads every source anew and waits for them, at most 20 s. */
  readonly refresh: 'cache' | 'stale' | 'all';
}

/** What Bazaars list, over all sources. Works without any of them on what they listed before. */
export interface Catalogue {
  search(search: CatalogueSearch): Promise<{ readonly found: readonly CachedListing[]; readonly more: boolean }>;
  /** Every source's entry of an endpoint. */
  find(method: string, url: string): readonly CachedListing[];
  sources(): readonly SourceState[];
  /** The owner set other sources. */
  sourcesChanged(): void;
  /** Ends what is being read; resolves when nothing writes any more. */
  close(): Promise<void>;
}

export interface CatalogueDeps {
  readonly cache: BazaarCache;
  readonly reader: ReturnType<typeof createSourceReader>;
  /** Asked each time: the owner may set others. */
  readonly urls: () => readonly string[];
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly changed: () => void;
}

export function createCatalogue({ cache, reader, urls, clock, log, changed }: CatalogueDeps): Catalogue {
  const reading = new Map<string, Promise<void>>();
  /** Until when a source's own search is left alone: for good where it has none. */
  const unasked = new Map<string, number>();
  const stopped = new AbortController();
  // No two readings have the same time: by it they tell their own entries from earlier ones.
  let lastStart = 0;
  cache.keepOnly(urls());

  async function readWhole(source: string): Promise<void> {
    const startedAt = (lastStart = Math.max(clock.now(), lastStart + 1));
    let skipped = 0;
    let leftOut = false;
    let problem = '';
    try {
      for await (const page of reader.pages(source, stopped.signal)) {
        if (stopped.signal.aborted || !urls().includes(source)) return;
        cache.add(source, page.listings, startedAt);
        skipped += page.skipped;
        leftOut = page.leftOut;
      }
    } catch (error) {
      if (stopped.signal.aborted) return;
      problem = cleanText(toErrorInfo(error).message, MAX_PROBLEM_CHARACTERS);
      log.warn('a Bazaar was not read to its end', { source, reason: problem });
    }
    if (urls().includes(source)) cache.finish(source, { startedAt, problem, skipped, leftOut });
  }

  const read = (source: string): Promise<void> => {
    const running = reading.get(source);
    if (running) return running;
    const done = readWhole(source)
      .catch((error: unknown) => log.error('keeping what a Bazaar listed failed', { source, reason: toErrorInfo(error).message }))
      .finally(() => {
        reading.delete(source);
        if (!stopped.signal.aborted) changed();
      });
    reading.set(source, done);
    return done;
  };

  const isDue = (source: string): boolean => {
    const known = cache.source(source);
    if (!known) return true;
    const now = clock.now();
    // A clock that was set back must not keep a list for ever.
    const isOlder = (at: number, than: number) => now - at > than || at > now;
    return isOlder(known.fetchedAt ?? 0, FRESH_MS) && isOlder(known.triedAt, REST_MS);
  };

  async function refresh(how: CatalogueSearch['refresh']): Promise<void> {
    if (how === 'cache' || stopped.signal.aborted) return;
    const due = urls().filter((source) => how === 'all' || isDue(source) || reading.has(source));
    const reads = due.map(read);
    const isEmpty = urls().every((source) => (cache.source(source)?.entries ?? 0) === 0);
    if (reads.length > 0 && (how === 'all' || isEmpty)) await settledWithin(Promise.all(reads), stopped.signal);
  }

  /** What the sources' own searches find beyond the cache, which then holds it too. */
  async function ask(query: string): Promise<readonly string[]> {
    const found = await Promise.all(
      urls().map(async (source) => {
        if (clock.now() < (unasked.get(source) ?? 0)) return [];
        try {
          const page = await reader.search(source, query, stopped.signal);
          if (page === undefined) unasked.set(source, Number.POSITIVE_INFINITY);
          if (page === undefined || !urls().includes(source)) return [];
          cache.add(source, page.listings, clock.now());
          return page.listings.map(listingKey);
        } catch (error) {
          // One that is silent must not hold up every search.
          unasked.set(source, clock.now() + REST_MS);
          log.debug('the search of a Bazaar failed', { source, reason: toErrorInfo(error).message });
          return [];
        }
      }),
    );
    return found.flat();
  }

  return {
    async search({ refresh: how, ...wanted }) {
      await refresh(how);
      const { found, more } = cache.search(wanted);
      const isEnough = more || wanted.query.trim() === '' || wanted.offset > 0;
      const asked = how === 'cache' || isEnough || stopped.signal.aborted ? [] : await ask(wanted.query);
      const known = new Set(found.map(({ listing }) => listingKey(listing)));
      const isWanted = ({ source }: CachedListing) => wanted.source === undefined || wanted.source === source;
      const others = [...new Set(asked)].filter((key) => !known.has(key)).flatMap((key) => cache.find(key).filter(isWanted).slice(0, 1));
      return { found: [...found, ...others].slice(0, wanted.limit), more };
    },
    find: (method, url) => cache.find(listingKey({ method, url })),
    sources: () =>
      urls().map((url) => {
        const { triedAt: _, ...known } = cache.source(url) ?? { url, problem: '', entries: 0, skipped: 0, leftOut: false, triedAt: 0 };
        return { ...known, isReading: reading.has(url) };
      }),
    sourcesChanged() {
      cache.keepOnly(urls());
      unasked.clear();
      changed();
    },
    async close() {
      stopped.abort(new BursarError('UPSTREAM_UNREACHABLE', 'Bursar is stopping.'));
      await Promise.all(reading.values());
    },
  };
}

/** Resolves once the work is done, at the latest after {@link WAIT_MS}. */
async function settledWithin(work: Promise<unknown>, stopped: AbortSignal): Promise<void> {
  const over = new AbortController();
  const waiting = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, WAIT_MS);
    AbortSignal.any([over.signal, stopped]).addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
  await Promise.race([work, waiting]);
  over.abort();
}
