import { expect, test } from 'vitest';
import { formatCountdown, formatMomentShort } from '../../../../src/renderer/format/time.ts';

test('counts down in whole seconds and never below zero', () => {
  expect(formatCountdown(61_000)).toBe('1:01');
  expect(formatCountdown(59_501)).toBe('1:00');
  // Main's clock may be a little ahead of the page's: ten minutes do not begin with 10:01.
  expect(formatCountdown(600_001)).toBe('10:00');
  expect(formatCountdown(1)).toBe('0:01');
  expect(formatCountdown(-5_000)).toBe('0:00');
});

test('names the day as soon as it is another one, and the year as soon as that is', () => {
  const noon = new Date(2026, 5, 15, 12).getTime();
  const day = 86_400_000;
  expect(formatMomentShort(noon, noon)).not.toContain('15');
  expect(formatMomentShort(noon - day, noon)).toContain('14');
  expect(formatMomentShort(noon - 400 * day, noon)).toContain('2025');
});
