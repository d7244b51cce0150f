import { TextDecoder } from 'node:util';
import type { Listing } from '../../core/discovery/listing.ts';
import { listingKey } from '../../core/discovery/listing.ts';
import { readBazaarPage, type BazaarPage } from '../../core/discovery/read-page.ts';
import { BursarError } from '../../shared/errors/errors.ts';
import type { Resolve } from '../http-buyer/address-guard.ts';
import { checkRequest } from '../http-buyer/http-request.ts';
import { sendRequest } from '../http-buyer/send-request.ts';

const PAGE_SIZE = 200;
const MOST_PAGES = 300;
const MOST_LISTINGS = 20_000;
const PAGE_MS = 15_000;
const WHOLE_MS = 180_000;
const SEARCH_MS = 3_000;
const MOST_FOUND = 50;
/** So many answers in a row may hold nothing new. */
const MOST_BARREN = 5;
/** What a source without a search answers. */
const NO_SEARCH: readonly number[] = [400, 404, 405, 501];

export interface SourcePorts {
  readonly realMoney: boolean;
  /** Hosts that the owner opened: they may be private and without TLS. */
  readonly isOpen: (url: URL) => boolean;
  readonly resolve: Resolve;
}

/** One answer's listings that were not in the answers before it. */
export interface SourcePage {
  readonly listings: readonly Listing[];
  readonly skipped: number;
  /** True on the last page, where there was more than Bursar takes. */
  readonly leftOut: boolean;
}

/** Reads Bazaars. Whatever one answers, reading it ends: after its last new entry, after so many, or after so long. */
export function createSourceReader({ realMoney, isOpen, resolve }: SourcePorts) {
  async function get(address: string, signal: AbortSignal): Promise<{ readonly status: number; readonly text: string; readonly host: string }> {
    const request = checkRequest({ url: address, headers: { accept: 'application/json' } });
    const { url } = request;
    if (realMoney && url.protocol !== 'https:' && !isOpen(url)) throw new BursarError('ADDRESS_FORBIDDEN', `With real money, ${url.host} has to be reached by https.`, { context: { host: url.host } });
    const { status, body } = await sendRequest(request, { anyAddress: isOpen(url), resolve, signal });
    return { status, text: new TextDecoder().decode(body), host: url.host };
  }

  const requireOk = ({ status, host }: { readonly status: number; readonly host: string }): void => {
    if (status !== 200) throw new BursarError('UPSTREAM_REFUSED', `The host ${host} answered with HTTP ${status}.`, { context: { host, status: String(status) } });
  };

  return {
    /** Every listing of a source, answer by answer (`GET /discovery/resources`). Throws what keeps it from going on. */
    async *pages(source: string, stopped: AbortSignal): AsyncGenerator<SourcePage> {
      const whole = AbortSignal.any([stopped, AbortSignal.timeout(WHOLE_MS)]);
      const seen = new Set<string>();
      for (let page = 0, offset = 0, barren = 0; ; page++) {
        const got = await get(`${base(source)}/discovery/resources?type=http&limit=${PAGE_SIZE}&offset=${offset}`, AbortSignal.any([whole, AbortSignal.timeout(PAGE_MS)]));
        requireOk(got);
        const { listings, entries, skipped, total } = readBazaarPage(got.text);
        const fresh = listings.filter((listing) => !seen.has(listingKey(listing)));
        const taken = fresh.slice(0, MOST_LISTINGS - seen.size);
        for (const listing of taken) seen.add(listingKey(listing));
        offset += entries;
        barren = taken.length === 0 ? barren + 1 : 0;
        // A source may send the same answer for ever, whatever total it names.
        const isOver = entries === 0 || barren >= MOST_BARREN || (total !== undefined && offset >= total);
        const isFull = seen.size >= MOST_LISTINGS || page + 1 >= MOST_PAGES;
        yield { listings: taken, skipped, leftOut: isFull && !isOver };
        if (isOver || isFull) return;
      }
    },

    /** What a source's own search finds (`GET /discovery/search`); undefined where it has none. */
    async search(source: string, query: string, stopped: AbortSignal): Promise<BazaarPage | undefined> {
      const got = await get(`${base(source)}/discovery/search?type=http&limit=${MOST_FOUND}&query=${encodeURIComponent(query.toWellFormed())}`, AbortSignal.any([stopped, AbortSignal.timeout(SEARCH_MS)]));
      if (NO_SEARCH.includes(got.status)) return undefined;
      requireOk(got);
      return readBazaarPage(got.text);
    },
  };
}

const base = (source: string): string => source.replace(/\/+$/, '').replace(/\/discovery\/resources$/, '');
