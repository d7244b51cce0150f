import { describe, expect, test } from 'vitest';
import { moonPhase } from '../../../src/sandbox/seller/astronomy/moon.ts';
import { sunTimes } from '../../../src/sandbox/seller/astronomy/sun.ts';

const minute = (unixMs: number): string => new Date(Math.round(unixMs / 60_000) * 60_000).toISOString().slice(11, 16);
const at = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const minutesApart = (a: string, b: string): number => {
  const [ah = 0, am = 0, bh = 0, bm = 0] = `${a}:${b}`.split(':').map(Number);
  return Math.abs(ah * 60 + am - bh * 60 - bm);
};

describe('the sun', () => {
  // Published almanac times (UTC); the equation is good to about a minute.
  test.each([
    { place: 'Greenwich', latitude: 51.4769, longitude: 0, date: '2024-06-20', sunrise: '03:43', sunset: '20:21' },
    { place: 'Greenwich', latitude: 51.4769, longitude: 0, date: '2024-12-21', sunrise: '08:04', sunset: '15:54' },
    { place: 'Sydney', latitude: -33.8688, longitude: 151.2093, date: '2024-06-21', sunrise: '21:00', sunset: '06:54' },
  ])('rises and sets at $place on $date when the almanac says so', ({ latitude, longitude, date, sunrise, sunset }) => {
    const sun = sunTimes(at(date), latitude, longitude);
    if (sun.kind !== 'normal') throw new Error(sun.kind);
    expect(minutesApart(minute(sun.sunrise), sunrise)).toBeLessThanOrEqual(2);
    expect(minutesApart(minute(sun.sunset), sunset)).toBeLessThanOrEqual(2);
    expect(sun.sunrise).toBeLessThan(sun.solarNoon);
    expect(sun.solarNoon).toBeLessThan(sun.sunset);
  });

  test('does not set in the polar summer nor rise in the polar winter', () => {
    expect(sunTimes(at('2026-06-21'), 78.2, 15.6).kind).toBe('polar-day');
    expect(sunTimes(at('2026-12-21'), 78.2, 15.6).kind).toBe('polar-night');
    expect(sunTimes(at('2026-06-21'), 90, 0).kind).toBe('polar-day');
  });
});

describe('the moon', () => {
  // Instants of the phases as the almanacs give them (UTC).
  test.each([
    { instant: '2024-04-08T18:21:00Z', phase: 'new moon', lit: 0 },
    { instant: '2024-04-15T19:13:00Z', phase: 'first quarter', lit: 0.5 },
    { instant: '2024-04-23T23:49:00Z', phase: 'full moon', lit: 1 },
    { instant: '2024-05-01T11:27:00Z', phase: 'last quarter', lit: 0.5 },
    { instant: '2026-01-03T10:03:00Z', phase: 'full moon', lit: 1 },
  ])('is $phase at $instant', ({ instant, phase, lit }) => {
    const moon = moonPhase(Date.parse(instant));
    expect(moon.phase).toBe(phase);
    expect(Math.abs(moon.illumination - lit)).toBeLessThan(0.02);
  });

  test('ages from new to new within a synodic month, and never backwards', () => {
    const start = Date.parse('2024-04-09T06:00:00Z');
    const ages = Array.from({ length: 28 }, (_, day) => moonPhase(start + day * 86_400_000).ageDays);
    expect(ages).toEqual(ages.toSorted((a, b) => a - b));
    expect(ages.at(-1)).toBeLessThan(29.54);
  });
});
