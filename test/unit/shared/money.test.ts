import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBursarError } from '../../../src/shared/errors/errors.ts';
import { formatUnits, MAX_BASE_UNITS, parseBaseUnits, parseUnits, rescaleUp } from '../../../src/shared/money/money.ts';

const decimals = fc.integer({ min: 0, max: 30 });
const units = fc.bigInt({ min: 0n, max: MAX_BASE_UNITS / 10n ** 30n });

describe('money', () => {
  test('a decimal that is written and read again is another amount', () => {
    fc.assert(fc.property(units, decimals, (value, scale) => {
      expect(parseUnits(formatUnits(value, scale), scale)).toBe(value);
    }));
  });

  test.each(['-1', '+1', '1e3', '1.', '.5', '01', '1,000', '0x10', ' 1', '1 ', '١', 'NaN', '', '1.0000001'])('reads %j as an amount of 6 decimals', (text) => {
    expect(() => parseUnits(text, 6)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
  });

  test.each(['-1', '1.0', '1e18', '007', '', (MAX_BASE_UNITS + 1n).toString()])('reads %j as base units', (text) => {
    expect(() => parseBaseUnits(text)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
  });

  test('any text makes a parser throw something other than AMOUNT_INVALID', () => {
    fc.assert(fc.property(fc.string(), decimals, (text, scale) => {
      for (const parse of [() => parseUnits(text, scale), () => parseBaseUnits(text)]) {
        try {
          parse();
        } catch (error) {
          expect(isBursarError(error, 'AMOUNT_INVALID')).toBe(true);
        }
      }
    }));
  });

  test('a budget counts less than what is spent after rescaling', () => {
    fc.assert(fc.property(units, decimals, decimals, (value, from, to) => {
      const rescaled = rescaleUp(value, from, to);
      expect(rescaled * 10n ** BigInt(from)).toBeGreaterThanOrEqual(value * 10n ** BigInt(to));
      expect((rescaled - 1n) * 10n ** BigInt(from)).toBeLessThan(value * 10n ** BigInt(to) || 1n);
    }));
  });

  test('shows 10000 base units of a 6-decimal token as anything but 0.01', () => {
    expect(formatUnits(10_000n, 6, 2)).toBe('0.01');
    expect(formatUnits(1_000_000n, 6, 2)).toBe('1.00');
    expect(formatUnits(1_234_567n, 6, 2)).toBe('1.234567');
  });
});
