import { J2000, radians, unixTimeOf } from './julian.ts';

/** The four turning points of a year. */
const TURNING_POINTS = ['marchEquinox', 'juneSolstice', 'septemberEquinox', 'decemberSolstice'] as const;

/** Polynomials in millennia since 2000: the mean turning points (Meeus, table 27.B, years 1000 to 3000). */
const MEAN: Readonly<Record<(typeof TURNING_POINTS)[number], readonly number[]>> = {
  marchEquinox: [2_451_623.80984, 365_242.37404, 0.05169, -0.00411, -0.00057],
  juneSolstice: [2_451_716.56767, 365_241.62603, 0.00325, 0.00888, -0.0003],
  septemberEquinox: [2_451_810.21715, 365_242.01767, -0.11575, 0.00337, 0.00078],
  decemberSolstice: [2_451_900.05952, 365_242.74049, -0.06223, -0.00823, 0.00032],
};

/** A·cos(B + C·T), angles in degrees (Meeus, table 27.C). */
const PERIODIC: readonly (readonly [number, number, number])[] = [
  [485, 324.96, 1934.136], [203, 337.23, 32_964.467], [199, 342.08, 20.186], [182, 27.85, 445_267.112],
  [156, 73.14, 45_036.886], [136, 171.52, 22_518.443], [77, 222.54, 65_928.934], [74, 296.72, 3034.906],
  [70, 243.58, 9037.513], [58, 119.81, 33_718.147], [52, 297.17, 150.678], [50, 21.02, 2281.226],
  [45, 247.54, 29_929.562], [44, 325.15, 31_555.956], [29, 60.93, 4443.417], [18, 155.12, 67_555.328],
  [17, 288.79, 4562.452], [16, 198.04, 62_894.029], [14, 199.76, 31_436.921], [12, 95.39, 14_577.848],
  [12, 287.11, 31_931.756], [12, 320.81, 34_777.259], [9, 227.73, 1222.114], [8, 15.45, 16_859.074],
];

/** When a turning point is, in Unix milliseconds of dynamical time: about a minute ahead of UTC in our days. Years 1000 to 3000. */
export function turningPoint(point: (typeof TURNING_POINTS)[number], year: number): number {
  const millennia = (year - 2000) / 1000;
  const mean = MEAN[point].reduce((sum, coefficient, power) => sum + coefficient * millennia ** power, 0);
  const t = (mean - J2000) / 36_525;
  const w = radians(35_999.373 * t - 2.47);
  const sum = PERIODIC.reduce((total, [a, b, c]) => total + a * Math.cos(radians(b + c * t)), 0);
  return unixTimeOf(mean + (0.00001 * sum) / (1 + 0.0334 * Math.cos(w) + 0.0007 * Math.cos(2 * w)));
}
