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
