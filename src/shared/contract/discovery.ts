import { z } from 'zod';
import { route } from './route.ts';
import { Empty, MoneyView, Timestamp } from './values.ts';

/** Name of a group of clients. */
export const GroupName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'use 1 to 32 of a-z, 0-9, _ and -, beginning with a letter or digit');

const SourceUrl = z.url({ protocol: /^https?$/ }).max(2048);

/** One way in which a listed endpoint says that it can be paid. */
export const ListedPriceView = z.object({
  scheme: z.string(),
  /** CAIP-2 where it is known, else the list's word. */
  network: z.string(),
  networkName: z.string(),
  /** Absent for a token that is not known; `units` and `asset` are then the list's words. */
  money: MoneyView.optional(),
  units: z.string(),
  asset: z.string(),
  payee: z.string(),
  /** True where the network is enabled here and the token is known. */
  payable: z.boolean(),
});
export type ListedPriceView = z.infer<typeof ListedPriceView>;

/** An HTTP endpoint of a Bazaar. All texts are what its seller says. */
export const ListingView = z.object({
  url: z.string(),
  method: z.string(),
  host: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  /** The one that is told first comes first. */
  prices: z.array(ListedPriceView),
  /** When its source says that it was updated; absent where it does not. */
  updatedAt: Timestamp.optional(),
  source: z.string(),
  /** When the source was last seen to list it. */
  seenAt: Timestamp,
  /** Why agents get no schema of its arguments; empty where they do. */
  schemaProblem: z.string(),
  /** Stands for everything above: what is approved is what was shown. */
  digest: z.string(),
  /** Groups for which it is approved. */
  approvedFor: z.array(z.string()),
});
export type ListingView = z.infer<typeof ListingView>;

export const SourceView = z.object({
  url: z.string(),
  /** When it was last read to its end; absent where it never was. */
  fetchedAt: Timestamp.optional(),
  /** What kept it from being read to its end the last time; empty where nothing did. */
  problem: z.string(),
  entries: z.number().int().nonnegative(),
  /** Entries that could not be read, or are no HTTP endpoint. */
  skipped: z.number().int().nonnegative(),
  /** True where there was more than Bursar takes. */
  leftOut: z.boolean(),
  reading: z.boolean(),
});
export type SourceView = z.infer<typeof SourceView>;

export const ApprovedEndpointView = z.object({
  id: z.number().int(),
  group: z.string(),
  /** Under which agents call it. */
  tool: z.string(),
  url: z.string(),
  method: z.string(),
  host: z.string(),
  description: z.string(),
  /** As they were approved. */
  prices: z.array(ListedPriceView),
  schemaProblem: z.string(),
  approvedAt: Timestamp,
  /** Present once it was removed: sessions that had it may still call it, unless `removedNow`. */
  removedAt: Timestamp.optional(),
  removedNow: z.boolean(),
});
export type ApprovedEndpointView = z.infer<typeof ApprovedEndpointView>;

export const discoveryRoutes = {
  /** Works on what was listed last; sources that were not read for an hour are read in the background. `refresh: all` reads every source anew and waits up to 20 s for them, `cache` asks none. */
  'discovery.search': route(
    'read',
    z.object({ query: z.string().max(200).default(''), limit: z.number().int().min(1).max(100).default(25), offset: z.number().int().min(0).max(1000).default(0), refresh: z.enum(['cache', 'stale', 'all']).default('stale') }),
    z.object({ listings: z.array(ListingView), more: z.boolean(), sources: z.array(SourceView) }),
  ),
  /** Every listing of an address, whichever method and source. */
  'discovery.listing': route('read', z.object({ url: z.string().max(2048), method: z.string().max(10).optional() }), z.object({ listings: z.array(ListingView) })),
  'discovery.sources': route('read', Empty, z.object({ sources: z.array(SourceView), own: z.boolean() })),
  /** Addresses of Bazaars or facilitators; without any, the built-in ones. */
  'discovery.setSources': route('owner', z.object({ urls: z.array(SourceUrl).max(20) }), z.object({ sources: z.array(SourceView), own: z.boolean() })),
  /** Makes an endpoint a tool for the clients of a group. Throws `NOT_FOUND`, and `APPROVAL_STALE` where it is listed otherwise by now. */
  'discovery.approve': route('owner', z.object({ source: z.string().max(2048), url: z.string().max(2048), method: z.string().max(10), digest: z.string().max(100), group: GroupName.default('default') }), ApprovedEndpointView),
  /** Running sessions keep the tool until they end, unless `now`: then calls are refused and what waits is cancelled. Throws `NOT_FOUND`. */
  'discovery.remove': route('owner', z.object({ id: z.number().int(), now: z.boolean().default(false) }), ApprovedEndpointView),
  'discovery.approved': route('read', Empty, z.object({ approved: z.array(ApprovedEndpointView), groups: z.array(z.object({ name: z.string(), clients: z.array(z.string()) })) })),
  /** Puts a client into a group; every other one is in `default`. It has that group's tools at once; those of the former group go when its sessions end. */
  'discovery.setGroup': route('owner', z.object({ client: z.string().min(1).max(80), group: GroupName }), Empty),
} as const;
