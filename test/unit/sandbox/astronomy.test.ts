import { describe, expect, test } from 'vitest';
import { easterDate, isoWeek } from '../../../src/sandbox/seller/astronomy/calendar.ts';
import { moonDistance, moonPhase } from '../../../src/sandbox/seller/astronomy/moon.ts';
import { turningPoint } from '../../../src/sandbox/seller/astronomy/seasons.ts';
import { siderealTime } from '../../../src/sandbox/seller/astronomy/sidereal.ts';
import { sunPosition, sunTimes } from '../../../src/sandbox/seller/astronomy/sun.ts';

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

const unixOf = (julian: number): number => (julian - 2_440_587.5) * 86_400_000;

// The worked examples of Meeus, Astronomical Algorithms.
test('the moon is as far as in example 47.a, to 200 km', () => {
  expect(Math.abs(moonDistance(unixOf(2_448_724.5)) - 368_409.7)).toBeLessThan(200);
});

test('sidereal time is that of example 12.a', () => {
  expect(siderealTime(Date.UTC(1987, 3, 10), 0)).toBeCloseTo(197.693195, 4);
  expect(siderealTime(Date.UTC(1987, 3, 10), -15)).toBeCloseTo(182.693195, 4);
});

test('the solstice of June 1962 is that of example 27.a', () => {
  expect(Math.abs(turningPoint('juneSolstice', 1962) - unixOf(2_437_837.39245))).toBeLessThan(60_000);
});

test.each([
  [1818, '1818-03-22'],
  [1954, '1954-04-18'],
  [2000, '2000-04-23'],
  [2026, '2026-04-05'],
  [2038, '2038-04-25'],
])('Easter of %i is %s', (year, date) => {
  expect(easterDate(year)).toBe(date);
});

test.each([
  ['2026-01-01', { year: 2026, week: 1, weekday: 4 }],
  ['2027-01-01', { year: 2026, week: 53, weekday: 5 }],
  ['2024-12-30', { year: 2025, week: 1, weekday: 1 }],
])('the ISO week of %s', (date, week) => {
  expect(isoWeek(Date.parse(`${date}T00:00:00Z`))).toEqual(week);
});

test('the sun stands on the horizon at sunrise, and in the south at noon', () => {
  const sun = sunTimes(Date.UTC(2026, 5, 21), 51.5, -0.13);
  if (sun.kind !== 'normal') throw new Error('the sun rises in London');
  expect(sunPosition(sun.sunrise, 51.5, -0.13).altitude).toBeCloseTo(-0.833, 1);
  const noon = sunPosition(sun.solarNoon, 51.5, -0.13);
  expect([noon.azimuth, noon.altitude]).toEqual([expect.closeTo(180, 0), expect.closeTo(90 - 51.5 + 23.44, 1)]);
  expect(sunPosition(sun.sunset, 51.5, -0.13).azimuth).toBeGreaterThan(300);
});

test('twilight is longer than day, and there is no night at midsummer in the north', () => {
  const civil = sunTimes(Date.UTC(2026, 2, 20), 51.5, -0.13, 96);
  const day = sunTimes(Date.UTC(2026, 2, 20), 51.5, -0.13);
  if (civil.kind !== 'normal' || day.kind !== 'normal') throw new Error('the sun rises in London');
  expect((day.sunrise - civil.sunrise) / 60_000).toBeCloseTo(32, -1);
  expect(sunTimes(Date.UTC(2026, 5, 21), 60, 0, 108).kind).toBe('polar-day');
});
