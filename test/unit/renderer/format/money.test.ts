import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAmount, formatAmountShort, formatMoney, formatShare, formatUsd, formatUsdShort, perMille } from '../../../../src/renderer/format/money.ts';

const money = (units: string, decimals = 6, symbol = 'USDC') => ({ units, asset: { network: 'eip155:84532', networkName: 'Base Sepolia', address: '0x00', symbol, decimals } });
/** The digits of a localized number, whatever the machine's separators are. */
const digits = (text: string): string => text.replace(/\D/g, '');

describe('amounts', () => {
  test('loses no digit of a 77-digit amount', () => {
    const units = '1'.repeat(40) + '9'.repeat(37);
    expect(digits(formatAmount(money(units, 18)))).toBe(units);
  });

  test('never rounds, whatever the amount and decimals', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.integer({ min: 0, max: 77 }), (units, decimals) => {
        const written = digits(formatAmount(money(units.toString(), decimals))).replace(/^0+(?=\d)/, '');
        const whole = (written === '' ? '0' : written) + '0'.repeat(Math.max(0, units.toString().length - written.length));
        expect(BigInt(whole)).toBe(units);
      }),
    );
  });

  test('shows at least cents where the token has them', () => {
    expect(digits(formatAmount(money('10000')))).toBe('001');
    expect(digits(formatAmount(money('5000000')))).toBe('500');
    expect(formatAmount(money('7', 0))).toBe('7');
  });

  test('names the token', () => {
    expect(formatMoney(money('10000'))).toMatch(/USDC$/);
  });

  test('keeps what is below a cent in dollars', () => {
    expect(digits(formatUsd('1'))).toBe('0000001');
    expect(digits(formatUsd(10_000_000n))).toBe('1000');
    expect(formatUsd('10000')).toContain('$');
  });
});

describe('balances in short', () => {
  test('a balance is shown as more than there is, as nothing where a little is, or with eighteen digits', () => {
    const written = (units: string, decimals = 18) => digits(formatAmountShort(money(units, decimals, 'ETH')));
    expect(written('999999999999999999')).toBe('0999999');
    expect(written('999888916179146867')).toBe('0999888');
    expect(written('1234567')).toBe('0000000000001234');
    expect(written('1000000000000000000000')).toBe('100000');
    expect(written('0')).toBe('000');
    expect(written('1234567', 6)).toBe(digits(formatAmount(money('1234567'))));
  });
});

describe('figures of charts', () => {
  test('a scale hides what is below a cent, or has no room for its figures', () => {
    expect(digits(formatUsdShort(5_000n))).toBe('0005');
    expect(digits(formatUsdShort(1_500_000_000n))).toBe('15');
    expect(formatUsdShort(10n ** 15n).length).toBeLessThan(8);
  });

  test('a share that is there is shown as nothing', () => {
    expect(formatShare(531)).toBe('53%');
    expect(formatShare(3)).toBe('<1%');
    expect(formatShare(1000)).toBe('100%');
  });
});

describe('shares for bars', () => {
  test('stays between nothing and all, also above a limit and for a limit of zero', () => {
    expect(perMille(1n, 2n)).toBe(500);
    expect(perMille(3n, 2n)).toBe(1000);
    expect(perMille(0n, 0n)).toBe(0);
    expect(perMille(1n, 0n)).toBe(1000);
    expect(perMille(10n ** 76n, 10n ** 77n)).toBe(100);
  });
});
