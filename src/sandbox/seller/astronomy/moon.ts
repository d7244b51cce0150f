import { julianCenturies, radians, turn } from './julian.ts';

const SYNODIC_MONTH_DAYS = 29.530588861;

/** The eight phases in their order, from new to new. */
export const MOON_PHASES = [
  'new moon',
  'waxing crescent',
  'first quarter',
  'waxing gibbous',
  'full moon',
  'waning gibbous',
  'last quarter',
  'waning crescent',
] as const;

/** How the moon looks at an instant. */
export interface MoonPhase {
  readonly phase: (typeof MOON_PHASES)[number];
  /** The lit part of the disc, 0 … 1. */
  readonly illumination: number;
  /** Days since the new moon, from the elongation. */
  readonly ageDays: number;
}

const sine = (angle: number): number => Math.sin(radians(angle));

/** The moon's phase at a Unix time in milliseconds (Meeus, Astronomical Algorithms, chapter 48, the lower accuracy). */
export function moonPhase(unixMs: number): MoonPhase {
  const t = julianCenturies(unixMs);
  const elongation = 297.8501921 + t * (445_267.1114034 - t * (0.0018819 - t / 545_868));
  const sunAnomaly = 357.5291092 + t * (35_999.0502909 - t * 0.0001536);
  const moonAnomaly = 134.9633964 + t * (477_198.8675055 + t * (0.0087414 + t / 69_699));
  const phaseAngle =
    180 -
    elongation -
    6.289 * sine(moonAnomaly) +
    2.1 * sine(sunAnomaly) -
    1.274 * sine(2 * elongation - moonAnomaly) -
    0.658 * sine(2 * elongation) -
    0.214 * sine(2 * moonAnomaly) -
    0.11 * sine(elongation);
  const age = turn(180 - phaseAngle);
  return {
    phase: MOON_PHASES[Math.round(age / 45) % 8] ?? 'new moon',
    illumination: (1 + Math.cos(radians(phaseAngle))) / 2,
    ageDays: (age / 360) * SYNODIC_MONTH_DAYS,
  };
}

/** Coefficients (km) of cos(d·D + m·M + a·M' + f·F): the largest of Meeus's table 47.A. */
const DISTANCE_TERMS: readonly (readonly [number, number, number, number, number])[] = [
  [-20_905.355, 0, 0, 1, 0],
  [-3_699.111, 2, 0, -1, 0],
  [-2_955.968, 2, 0, 0, 0],
  [-569.925, 0, 0, 2, 0],
  [48.888, 0, 1, 0, 0],
  [246.158, 2, 0, -2, 0],
  [-152.138, 2, -1, -1, 0],
  [-170.733, 2, 0, 1, 0],
  [-204.586, 2, -1, 0, 0],
  [-129.62, 0, 1, -1, 0],
  [108.743, 1, 0, 0, 0],
  [104.755, 0, 1, 1, 0],
  [79.661, 0, 0, 1, -2],
];
const MEAN_DISTANCE_KM = 385_000.56;

/** Kilometres between the centres of earth and moon (Meeus, chapter 47, largest terms), good to about 200 km. */
export function moonDistance(unixMs: number): number {
  const t = julianCenturies(unixMs);
  const elongation = 297.8501921 + 445_267.1114034 * t - 0.0018819 * t * t;
  const sunAnomaly = 357.5291092 + 35_999.0502909 * t - 0.0001536 * t * t;
  const moonAnomaly = 134.9633964 + 477_198.8675055 * t + 0.0087414 * t * t;
  const latitudeArgument = 93.272095 + 483_202.0175233 * t - 0.0036539 * t * t;
  const cosine = ([coefficient, d, m, a, f]: (typeof DISTANCE_TERMS)[number]) =>
    coefficient * Math.cos(radians(d * elongation + m * sunAnomaly + a * moonAnomaly + f * latitudeArgument));
  return DISTANCE_TERMS.reduce((sum, term) => sum + cosine(term), MEAN_DISTANCE_KM);
}
