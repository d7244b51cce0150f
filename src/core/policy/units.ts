import { baseUnits, parseUnits, rescaleUp, type BaseUnits } from '../../shared/money/money.ts';
import type { CapUnit } from '../../shared/policy/policy.ts';
import type { Asset, Assets } from '../registry/assets.ts';
import type { BudgetUse, Prices } from '../ports.ts';
import { sameAsset } from './scope.ts';

/** Without a source, a token that is not pegged to the dollar has no price. */
export const NO_PRICES: Prices = { usdOf: () => undefined };

/** Budgets in dollars are counted in millionths. */
export const USD_DECIMALS = 6;

/** The worth of an amount in millionths of a US dollar, rounded up; undefined where the token has no known price. */
export function usdOf(asset: Asset, amount: BaseUnits, prices: Prices): BaseUnits | undefined {
  if (asset.pegged === 'USD') return rescaleUp(amount, asset.decimals, USD_DECIMALS);
  const price = prices.usdOf(asset);
  return price === undefined ? undefined : rescaleUp(amount * price, asset.decimals + USD_DECIMALS, USD_DECIMALS);
}

/** What a use counts for in a unit: `none` where the unit does not look at it, `unpriced` where it should and cannot. */
export function countIn(unit: CapUnit, use: BudgetUse & { readonly paid: string }): BaseUnits | 'none' | 'unpriced' {
  if (unit === 'USD') return use.usd ?? 'unpriced';
  // Fees in another token are uses of the same payment.
  if (unit === 'payments') return use.asset === use.paid ? baseUnits(1n) : 'none';
  return sameAsset(unit, use.asset) ? use.units : 'none';
}

/** Decimal places in which a unit is counted; undefined for a token that is not known. */
export const decimalsOfUnit = (unit: CapUnit, assets: Assets): number | undefined =>
  unit === 'USD' ? USD_DECIMALS : unit === 'payments' ? 0 : assets.byId(unit)?.decimals;

/** A limit in the smallest parts of its unit. Digits finer than those are cut off, which only narrows. */
export function limitOf(amount: string, unit: CapUnit, assets: Assets): BaseUnits {
  const decimals = decimalsOfUnit(unit, assets) ?? 0;
  const [whole = '0', fraction = ''] = amount.split('.');
  return parseUnits(decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals).padEnd(1, '0')}`, decimals);
}

/** What a unit is called beside an amount: `USD`, `payments`, `USDC`. */
export const unitName = (unit: CapUnit, assets: Assets): string => (unit === 'USD' || unit === 'payments' ? unit : (assets.byId(unit)?.symbol ?? unit));

