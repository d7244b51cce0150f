import { J2000, julianCenturies, julianDay, turn } from './julian.ts';

/** Mean sidereal time at a longitude (degrees, east positive), in degrees (Meeus, chapter 12). */
export function siderealTime(unixMs: number, longitude: number): number {
  const t = julianCenturies(unixMs);
  return turn(280.46061837 + 360.98564736629 * (julianDay(unixMs) - J2000) + 0.000387933 * t * t - (t * t * t) / 38_710_000 + longitude);
}
