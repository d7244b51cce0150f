import { BursarError } from '../../shared/errors/errors.ts';
import type { Listing } from './listing.ts';
import { firstOf, isPlainObject, own } from './plain-json.ts';
import { readListing } from './read-listing.ts';

/** So many entries of one answer are read. */
const MOST_ENTRIES = 5_000;

/** One answer of a Bazaar, as far as it can be read. */
export interface BazaarPage {
  readonly listings: readonly Listing[];
  /** Entries that were there, whatever they were. */
  readonly entries: number;
  /** Entries that cannot be read, or are no HTTP endpoint. */
  readonly skipped: number;
  /** How many there are in all, if the answer says so. Nothing relies on it. */
  readonly total?: number;
  /** Where a search goes on. */
  readonly cursor?: string;
}

/**
 * Reads an answer of `GET /discovery/resources` or `GET /discovery/search` (x402 specification, extension "bazaar", "Optional Discovery
 * Endpoints"). Lists stand under `items` or, in a search, `resources`; some sources say `data`, `results` or `services`, put the whole into an envelope, or
 * send a bare list. An entry that cannot be read costs nothing but itself. Throws `JSON_INVALID` for what is no list at all.
 */
export function readBazaarPage(text: string): BazaarPage {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    throw new BursarError('JSON_INVALID', 'The list is not JSON.', { cause: error });
  }
  const found = listIn(answer);
  if (!found) throw new BursarError('JSON_INVALID', 'The answer holds no list of resources.', { hint: 'Check the address: it has to be that of an x402 facilitator or Bazaar.' });
  const listings = found.list.slice(0, MOST_ENTRIES).flatMap((entry) => readListing(entry) ?? []);
  const pagination = own(found.holder, 'pagination') ?? found.holder;
  const total = own(pagination, 'total');
  const cursor = firstOf(pagination, ['cursor', 'nextCursor', 'next_cursor']);
  return {
    listings,
    entries: found.list.length,
    skipped: found.list.length - listings.length,
    ...(typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 && { total }),
    ...(typeof cursor === 'string' && cursor !== '' && cursor.length <= 2_000 && { cursor }),
  };
}

const LIST_KEYS = ['items', 'resources', 'data', 'results', 'services'] as const;

function listIn(answer: unknown): { readonly list: readonly unknown[]; readonly holder: unknown } | undefined {
  if (Array.isArray(answer)) return { list: answer, holder: undefined };
  for (const holder of [answer, own(answer, 'data'), own(answer, 'result')]) {
    if (Array.isArray(holder)) return { list: holder, holder: answer };
    if (!isPlainObject(holder)) continue;
    const list = LIST_KEYS.map((key) => own(holder, key)).find((value) => Array.isArray(value));
    if (Array.isArray(list)) return { list, holder };
  }
  return undefined;
}
