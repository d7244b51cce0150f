import type { MoneyView } from '../../shared/contract/values.ts';
import { formatUnits } from '../../shared/money/money.ts';

const USD_DECIMALS = 6;

/** Most decimal places that `Intl.NumberFormat` writes. */
const MOST_DECIMALS = 100;

const COMMON = { numberingSystem: 'latn', maximumFractionDigits: MOST_DECIMALS } as const;

/** Writes a decimal string with the reader's separators, every digit kept. It never becomes a `number`. */
const localize = (decimal: string, options: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(undefined, { ...COMMON, ...options }).format(decimal as Intl.StringNumericLiteral);

/** An amount without its symbol: `0.01`, `1,234.50`. At least two decimal places where the token has them. */
export const formatAmount = ({ asset, units }: MoneyView): string =>
  localize(formatUnits(BigInt(units), asset.decimals), { minimumFractionDigits: Math.min(2, asset.decimals) });

/** An amount with its symbol: `0.01 USDC`. */
export const formatMoney = (money: MoneyView): string => `${formatAmount(money)} ${money.asset.symbol}`;

/** What an account holds, short enough to read: six decimal places, or four digits where it is less. Never more than there is. */
export const formatAmountShort = ({ asset, units }: MoneyView): string =>
  localize(formatUnits(BigInt(units), asset.decimals), {
    minimumFractionDigits: Math.min(2, asset.decimals),
    maximumFractionDigits: 6,
    maximumSignificantDigits: 4,
    roundingPriority: 'morePrecision',
    roundingMode: 'trunc',
  });

/** Millionths of a dollar as `$1,234.50`; below a cent all digits are kept. */
export const formatUsd = (units: bigint | string): string =>
  localize(formatUnits(BigInt(units), USD_DECIMALS), { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: 2 });

/** Millionths of a dollar as short as a chart's scale has room for: `$2.50`, `$20`, `$1.5K`. Thousands are rounded to three digits. */
export const formatUsdShort = (units: bigint): string =>
  localize(formatUnits(units, USD_DECIMALS), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    ...(units < 1000n * 10n ** BigInt(USD_DECIMALS) ? { minimumFractionDigits: 2, trailingZeroDisplay: 'stripIfInteger' } : { notation: 'compact', maximumSignificantDigits: 3 }),
  });

/** A figure of a budget: `$1.50`, `1.50 USDC`, `3 payments`. */
export const formatBudget = ({ unit, decimals }: { readonly unit: string; readonly decimals: number }, units: bigint | string): string =>
  unit === 'USD' && decimals === USD_DECIMALS ? formatUsd(units) : `${localize(formatUnits(BigInt(units), decimals), { minimumFractionDigits: Math.min(2, decimals) })} ${unit}`;

/** How much of `whole` is `part`, in thousandths, held between 0 and 1000. For drawing only. */
export function perMille(part: bigint, whole: bigint): number {
  if (whole <= 0n) return part > 0n ? 1000 : 0;
  const share = (part * 1000n) / whole;
  return Number(share < 0n ? 0n : share > 1000n ? 1000n : share);
}

/** Thousandths as whole per cent: `53%`; what is there but less than one is `<1%`. */
export const formatShare = (share: number): string => {
  const percent = new Intl.NumberFormat(undefined, { numberingSystem: 'latn', style: 'percent', maximumFractionDigits: 0 });
  return share < 10 ? `<${percent.format(0.01)}` : percent.format(share / 1000);
};

/** The end of a chart's scale: the next 1, 2 or 5 with zeros that holds `most`, and at least ten. */
export function roundScale(most: bigint): bigint {
  let power = 10n;
  while (power * 10n < most) power *= 10n;
  return [1n, 2n, 5n, 10n].map((step) => step * power).find((end) => end >= most) ?? power * 10n;
}
