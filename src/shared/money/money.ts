import { BursarError } from '../errors/errors.ts';

declare const unitsBrand: unique symbol;

/** An amount in an asset's smallest unit (10^-decimals). Never negative, never a `number`. */
export type BaseUnits = bigint & { readonly [unitsBrand]: true };

/** The largest amount that any supported chain can carry (uint256). */
export const MAX_BASE_UNITS = (1n << 256n) - 1n;

const BASE_UNITS = /^(0|[1-9]\d{0,77})$/;
const DECIMAL = /^(0|[1-9]\d{0,77})(?:\.(\d{1,77}))?$/;

const invalid = (text: string, why: string) =>
  new BursarError('AMOUNT_INVALID', `The amount "${text.slice(0, 90)}" ${why}.`, { context: { amount: text.slice(0, 90) } });

/** Brands a bigint. Throws `AMOUNT_INVALID` below 0 or above uint256. */
export function baseUnits(value: bigint): BaseUnits {
  if (value < 0n || value > MAX_BASE_UNITS) throw invalid(String(value), 'is out of range');
  return value as BaseUnits;
}

/** Reads base units from a wire string: digits only, no sign, no leading zero, no exponent. Throws `AMOUNT_INVALID`. */
export function parseBaseUnits(text: string): BaseUnits {
  if (!BASE_UNITS.test(text)) throw invalid(text, 'is not a whole number of base units');
  return baseUnits(BigInt(text));
}

/**
 * Reads a decimal such as `1.50` into base units, exactly. Throws `AMOUNT_INVALID` when it has more decimal places than the asset:
 * nothing is ever rounded here.
 */
export function parseUnits(text: string, decimals: number): BaseUnits {
  const match = DECIMAL.exec(text);
  if (!match) throw invalid(text, 'is not a decimal number');
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) throw invalid(text, `has more than ${decimals} decimal places`);
  return baseUnits(BigInt(match[1]! + fraction.padEnd(decimals, '0')));
}

/** Writes base units as a decimal, exactly, with at least `minFraction` decimal places: `formatUnits(10000n, 6, 2)` is `0.01`. */
export function formatUnits(units: bigint, decimals: number, minFraction = 0): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '').padEnd(Math.min(minFraction, decimals), '0');
  return sign + whole + (fraction ? `.${fraction}` : '');
}

/**
 * Converts between two scales of the same value, rounding up: a budget must never count less than what is spent.
 * `rescaleUp(15n, 7, 6)` is `2n`.
 */
export function rescaleUp(units: bigint, from: number, to: number): BaseUnits {
  if (to >= from) return baseUnits(units * 10n ** BigInt(to - from));
  const divisor = 10n ** BigInt(from - to);
  return baseUnits((units + divisor - 1n) / divisor);
}
