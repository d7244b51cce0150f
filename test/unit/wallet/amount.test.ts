import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountArgument, canonicalAmount } from '../../../src/main/wallet/amount.ts';

const read = (amount: string): string => amountArgument(`{"amount":${amount},"memo":"x"}`);

test('the same amount, written otherwise, is another order', () => {
  for (const text of ['"1.5"', '"1.50"', '1.5', '1.50', '" 1.5 "']) expect(read(text)).toBe('1.5');
  expect(['"10"', '10', '10.0', '"0.000001"', '0.000001', '0.1'].map(read)).toEqual(['10', '10', '10', '0.000001', '0.000001', '0.1']);
});

test.each(['0', '0.0', '"0"', '"0.00"', '-1', '"-1"', '"-0.5"', '1e3', '"1e3"', '1e-7', '0.0000001', '1e21', '"+1"', '"1,5"', '"١"', '"1."', '".5"', '"01"', '""', 'null', '[]', 'true', '"NaN"', '"Infinity"', '"0x10"'])('%s is taken for an amount', (amount) => {
  expect(() => read(amount)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID' }));
});

test('a number that a program on the way has rounded, or would round, is taken as it arrives', () => {
  for (const amount of ['1.0000000000000001', '0.30000000000000000001', '9007199254740993', '123456789.123456789123']) {
    expect(() => read(amount)).toThrow(expect.objectContaining({ code: 'AMOUNT_INVALID', hint: expect.stringContaining('as a string') }));
    expect(read(`"${amount}"`)).toBe(amount);
  }
});

test('an amount changes by being written in one way', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
      const digits = units.toString().padStart(decimals + 1, '0');
      const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      const [whole = '', fraction = ''] = canonicalAmount(text).split('.');
      expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(units);
    }),
  );
});
