import type { Listing, ListedPrice } from '../../core/discovery/listing.ts';
import { findNetwork, type NetworkId } from '../../core/registry/networks.ts';
import type { Asset, Assets } from '../../core/registry/assets.ts';
import type { Agreed } from '../../core/payments/call.ts';
import { formatUnits, parseBaseUnits } from '../../shared/money/money.ts';

/** A price in a token that is known, on a network that is known. */
export interface KnownPrice {
  readonly price: ListedPrice;
  readonly asset: Asset;
}

const knownPrices = ({ prices }: Pick<Listing, 'prices'>, assets: Pick<Assets, 'find'>): readonly KnownPrice[] =>
  prices.flatMap((price) => {
    const network = findNetwork(price.network);
    const asset = network && assets.find(network.id, price.asset);
    return asset ? [{ price, asset }] : [];
  });

/** The price that is told first: one on an enabled network, else any in a known token. */
export function leadingPrice(listing: Pick<Listing, 'prices'>, assets: Pick<Assets, 'find'>, enabled: readonly string[]): KnownPrice | undefined {
  const known = knownPrices(listing, assets);
  return known.find(({ price }) => enabled.includes(price.network)) ?? known[0];
}

/** `0.01 USDC`; base units where the token is not known. */
export function priceWords(listing: Pick<Listing, 'prices'>, assets: Pick<Assets, 'find'>, enabled: readonly string[]): string {
  const leading = leadingPrice(listing, assets, enabled);
  if (leading) return `${formatUnits(BigInt(leading.price.amount), leading.asset.decimals, 2)} ${leading.asset.symbol}`;
  const [first] = listing.prices;
  return first ? `${first.amount} base units of ${first.asset}` : 'not listed';
}

/** What the owner agrees to when they approve a listing. */
export const agreedOf = ({ url, prices }: Pick<Listing, 'url' | 'prices'>): Agreed => ({
  url,
  prices: prices.map(({ network, asset, amount, payee }) => ({ network: network as NetworkId, asset, amount: parseBaseUnits(amount), payee })),
});
