import { BursarError } from '../../shared/errors/errors.ts';
import { formatUnits, type BaseUnits } from '../../shared/money/money.ts';
import type { Paying, PayingAccount } from '../../shared/policy/policy.ts';
import { sameAddress, sameAsset } from '../policy/scope.ts';
import { limitOf, unitName, usdOf } from '../policy/units.ts';
import type { Account, Prices } from '../ports.ts';
import type { Asset, Assets } from '../registry/assets.ts';
import { assetId } from '../../shared/money/asset-id.ts';

/** What is compared of a way to pay. */
export interface Payable {
  readonly account: Account;
  readonly asset: Asset;
  readonly amount: BaseUnits;
  /** Place among the server's offers. */
  readonly place: number;
}

/**
 * The ways to pay in the owner's order: account, then token, then the smaller amount, then as the server listed them. `accounts` is the
 * wallet's own order, for accounts that the owner did not name. Amounts of tokens without a known price stand behind priced ones and are
 * compared within one token alone.
 */
export function inOrder<T extends Payable>(ways: readonly T[], { paying = {}, accounts, prices }: { paying?: Paying | undefined; accounts: readonly Account[]; prices: Prices }): readonly T[] {
  const named = paying.accounts ?? [];
  const tokens = paying.tokens ?? [];
  const firstPlace = new Map<string, number>();
  for (const { asset, place } of ways) firstPlace.set(assetId(asset), Math.min(place, firstPlace.get(assetId(asset)) ?? place));
  const keyed = ways.map((way) => {
    const { account, asset, amount, place } = way;
    const id = assetId(asset);
    const usd = usdOf(asset, amount, prices);
    const account0 = rank(named.findIndex((entry) => sameAddress(entry.account, account.address)), named.length);
    const account1 = accounts.findIndex(({ id: known }) => known === account.id);
    const token = rank(tokens.findIndex((entry) => sameAsset(entry, id)), tokens.length);
    const priced = usd === undefined ? [1n, BigInt(firstPlace.get(id) ?? place), amount] : [0n, usd, amount];
    return { way, key: [BigInt(account0), BigInt(account1), BigInt(token), ...priced, BigInt(place)] };
  });
  return keyed.toSorted((a, b) => compare(a.key, b.key)).map(({ way }) => way);
}

const rank = (found: number, last: number): number => (found < 0 ? last : found);

function compare(a: readonly bigint[], b: readonly bigint[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0n) < (b[at] ?? 0n) ? -1 : 1;
}

/** Why an account may not make a payment of this size; undefined where it may. Where the worth is not known, it may not. */
export function aboveMaximum({ account, asset, amount }: Omit<Payable, 'place'>, paying: Paying | undefined, { assets, prices }: { assets: Assets; prices: Prices }): BursarError | undefined {
  const max = paying?.accounts?.find((entry) => sameAddress(entry.account, account.address))?.max;
  if (!max) return undefined;
  const worth = max.unit === 'USD' ? usdOf(asset, amount, prices) : sameAsset(max.unit, assetId(asset)) ? amount : undefined;
  if (worth === undefined) return refused(`The account ${account.address} pays at most ${write(max, assets)} at once, and what ${asset.symbol} counts in that is not known.`);
  if (worth <= limitOf(max.amount, max.unit, assets)) return undefined;
  return refused(`It asks for ${formatUnits(amount, asset.decimals, 2)} ${asset.symbol}, and the account ${account.address} pays at most ${write(max, assets)} at once.`);
}

const write = ({ amount, unit }: NonNullable<PayingAccount['max']>, assets: Assets): string => (unit === 'USD' ? `$${amount}` : `${amount} ${unitName(unit, assets)}`);

const refused = (message: string) => new BursarError('BUDGET_EXCEEDED', message);
