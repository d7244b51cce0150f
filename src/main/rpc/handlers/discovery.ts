import { createHash } from 'node:crypto';
import type { Listing, ListedPrice } from '../../../core/discovery/listing.ts';
import type { Assets } from '../../../core/registry/assets.ts';
import { findNetwork } from '../../../core/registry/networks.ts';
import type { ApprovedEndpointView, ListedPriceView, ListingView, SourceView } from '../../../shared/contract/discovery.ts';
import { BursarError } from '../../../shared/errors/errors.ts';
import type { Schemas } from '../../adapters/schema-check.ts';
import { DEFAULT_GROUP } from '../../../core/discovery/groups.ts';
import type { ApprovedEndpoint, ApprovedEndpoints } from '../../adapters/store/approved-endpoints.ts';
import type { CachedListing } from '../../adapters/store/bazaar-cache.ts';
import type { Catalogue } from '../../discovery/catalogue.ts';
import { leadingPrice } from '../../discovery/price-words.ts';
import { assetView } from '../payment-views.ts';
import type { Handlers } from '../router.ts';

export interface DiscoveryDeps {
  readonly catalogue: Catalogue;
  readonly endpoints: ApprovedEndpoints;
  readonly schemas: Pick<Schemas, 'isUsable'>;
  readonly assets: Pick<Assets, 'find'>;
  /** The networks that can be paid on now. */
  readonly networks: () => readonly string[];
  readonly sources: {
    /** True where the owner set them. */
    readonly own: () => boolean;
    /** Without any, the built-in ones are asked again. */
    readonly set: (urls: readonly string[]) => void;
  };
  readonly clients: () => readonly string[];
  readonly changed: () => void;
  /** The tools of some clients are others now. */
  readonly toolsChanged: () => void;
  /** Takes back what waits for the owner at an endpoint. */
  readonly cancelWaiting: (endpoint: ApprovedEndpoint) => void;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const UNUSABLE = 'its schema cannot be used';

type Routes = `discovery.${'search' | 'listing' | 'sources' | 'setSources' | 'approve' | 'remove' | 'approved' | 'setGroup'}`;

export function discoveryHandlers({ catalogue, endpoints, schemas, assets, networks, sources, clients, changed, toolsChanged, cancelWaiting }: DiscoveryDeps): Pick<Handlers, Routes> {
  const priceView = ({ scheme, network, asset: address, amount, payee }: ListedPrice): ListedPriceView => {
    const known = findNetwork(network);
    const asset = known && assets.find(known.id, address);
    return {
      scheme,
      network,
      networkName: known?.name ?? network,
      ...(asset && { money: { asset: assetView(asset), units: amount } }),
      units: amount,
      asset: address,
      payee,
      payable: asset !== undefined && networks().includes(network),
    };
  };
  const priceViews = (listing: Listing): ListedPriceView[] => {
    const leading = leadingPrice(listing, assets, networks())?.price;
    return listing.prices.toSorted((a, b) => Number(b === leading) - Number(a === leading)).map(priceView);
  };
  const listingViews = (cached: readonly CachedListing[]): ListingView[] => {
    const approved = endpoints.all().filter(({ removedAt }) => removedAt === undefined);
    return cached.map(({ source, listing, seenAt }) => {
      const { url, method, name, description, tags, updatedAt, input } = listing;
      return {
        url,
        method,
        host: new URL(url).host,
        name,
        description,
        tags: [...tags],
        prices: priceViews(listing),
        ...(updatedAt !== undefined && { updatedAt }),
        source,
        seenAt,
        schemaProblem: input.problem,
        digest: digestOf(listing),
        approvedFor: approved.filter((endpoint) => endpoint.listing.url === url && endpoint.listing.method === method).map(({ group }) => group),
      };
    });
  };
  const sourceViews = (): SourceView[] => catalogue.sources().map(({ isReading, ...source }) => ({ ...source, reading: isReading }));
  const approvedView = ({ id, group, tool, listing, schemaProblem, approvedAt, removedAt, removedNow }: ApprovedEndpoint): ApprovedEndpointView => ({
    id,
    group,
    tool,
    url: listing.url,
    method: listing.method,
    host: new URL(listing.url).host,
    description: listing.description,
    prices: priceViews(listing),
    schemaProblem: listing.input.problem || schemaProblem,
    approvedAt,
    ...(removedAt !== undefined && { removedAt }),
    removedNow,
  });

  return {
    'discovery.search': async ({ query, limit, offset, refresh }) => {
      const { found, more } = await catalogue.search({ query, limit, offset, refresh });
      return { listings: listingViews(found), more, sources: sourceViews() };
    },
    'discovery.listing': ({ url, method }) => ({ listings: listingViews((method === undefined ? METHODS : [method.toUpperCase()]).flatMap((verb) => catalogue.find(verb, url))) }),
    'discovery.sources': () => ({ sources: sourceViews(), own: sources.own() }),
    'discovery.setSources': ({ urls }) => {
      sources.set(urls);
      catalogue.sourcesChanged();
      return { sources: sourceViews(), own: sources.own() };
    },
    'discovery.approve': async ({ source, url, method, digest, group }) => {
      const found = catalogue.find(method, url).find((cached) => cached.source === source);
      if (!found) throw new BursarError('NOT_FOUND', `No Bazaar lists ${method} ${url}.`, { hint: 'Search for it first.' });
      const { listing } = found;
      if (digestOf(listing) !== digest) throw new BursarError('APPROVAL_STALE', 'It is listed otherwise than it was shown.');
      const { schemaText, problem } = listing.input;
      const isUsable = problem !== '' || (await schemas.isUsable(schemaText));
      const approved = endpoints.approve({ group, listing, schemaProblem: isUsable ? '' : UNUSABLE });
      toolsChanged();
      changed();
      return approvedView(approved);
    },
    'discovery.remove': ({ id, now }) => {
      const removed = endpoints.remove(id, { now });
      if (now) {
        cancelWaiting(removed);
        toolsChanged();
      }
      changed();
      return approvedView(removed);
    },
    'discovery.approved': () => {
      const all = endpoints.all();
      const members = endpoints.members();
      const inDefault = clients().filter((client) => !members.some((member) => member.client === client));
      const names = [DEFAULT_GROUP, ...members.map(({ group }) => group), ...all.map(({ group }) => group)];
      return {
        approved: all.map(approvedView),
        groups: [...new Set(names)].map((name) => ({ name, clients: [...(name === DEFAULT_GROUP ? inDefault : []), ...members.filter(({ group }) => group === name).map(({ client }) => client)] })),
      };
    },
    'discovery.setGroup': ({ client, group }) => {
      endpoints.setGroup(client, group);
      toolsChanged();
      changed();
      return {};
    },
  };
}

const digestOf = (listing: Listing): string => createHash('sha256').update(JSON.stringify(listing)).digest('hex');
