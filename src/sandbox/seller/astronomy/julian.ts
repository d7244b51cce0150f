const UNIX_EPOCH_JULIAN_DAY = 2_440_587.5;
/** The Julian day of the epoch J2000. */
export const J2000 = 2_451_545;
const MS_PER_DAY = 86_400_000;

/** The Julian day of a Unix time in milliseconds. */
export const julianDay = (unixMs: number): number => unixMs / MS_PER_DAY + UNIX_EPOCH_JULIAN_DAY;

/** The Unix time in milliseconds of a Julian day. */
export const unixTimeOf = (day: number): number => (day - UNIX_EPOCH_JULIAN_DAY) * MS_PER_DAY;

/** Julian centuries since J2000 of a Unix time in milliseconds. */
export const julianCenturies = (unixMs: number): number => (julianDay(unixMs) - J2000) / 36_525;

/** Degrees to radians. */
export const radians = (degrees: number): number => (degrees * Math.PI) / 180;
/** Radians to degrees. */
export const degrees = (radiansValue: number): number => (radiansValue * 180) / Math.PI;

/** An angle brought into 0 … 360 degrees. */
export const turn = (angle: number): number => ((angle % 360) + 360) % 360;
