import { degrees, julianCenturies, radians, turn } from './julian.ts';

const MINUTE_MS = 60_000;
const HALF_DAY_MINUTES = 720;
/** The sun's centre at sunrise lies this far from the zenith: refraction and the radius of the disc included. */
const SUNRISE_ZENITH = 90.833;

/** Sunrise and sunset of one day at one place, as Unix milliseconds. */
export type SunTimes =
  | { readonly kind: 'normal'; readonly sunrise: number; readonly solarNoon: number; readonly sunset: number }
  | { readonly kind: 'polar-day' | 'polar-night'; readonly solarNoon: number };

/**
 * The sunrise equation after NOAA's solar calculator (Meeus, Astronomical Algorithms, chapters 25 and 28), good to about a
 * minute. `day` is the UTC midnight of the date, `latitude` and `longitude` are degrees, north and east positive. With another
 * `zenith` (degrees from the zenith to the sun's centre) the times are those of a twilight.
 */
export function sunTimes(day: number, latitude: number, longitude: number, zenith = SUNRISE_ZENITH): SunTimes {
  const noonOf = (at: number): number => day + (HALF_DAY_MINUTES - 4 * longitude - sunAt(at).equationOfTime) * MINUTE_MS;
  const solarNoon = noonOf(noonOf(day + HALF_DAY_MINUTES * MINUTE_MS));
  const eventAt = (side: -1 | 1): number | 'polar-day' | 'polar-night' => {
    let at = solarNoon;
    // The sun moves while the day passes: its place is taken again at the time found.
    for (let round = 0; round < 3; round += 1) {
      const cosine = hourAngleCosine(latitude, sunAt(at).declination, zenith);
      if (cosine < -1) return 'polar-day';
      if (cosine > 1) return 'polar-night';
      at = noonOf(at) + side * 4 * degrees(Math.acos(cosine)) * MINUTE_MS;
    }
    return at;
  };
  const sunrise = eventAt(-1);
  const sunset = eventAt(1);
  if (typeof sunrise === 'string') return { kind: sunrise, solarNoon };
  if (typeof sunset === 'string') return { kind: sunset, solarNoon };
  return { kind: 'normal', sunrise, solarNoon, sunset };
}

const hourAngleCosine = (latitude: number, declination: number, zenith: number): number =>
  Math.cos(radians(zenith)) / (Math.cos(radians(latitude)) * Math.cos(radians(declination))) -
  Math.tan(radians(latitude)) * Math.tan(radians(declination));

/** Where the sun stands at an instant, in degrees: above the horizon without refraction, and from north over east. */
export function sunPosition(unixMs: number, latitude: number, longitude: number): { readonly altitude: number; readonly azimuth: number } {
  const { declination, equationOfTime } = sunAt(unixMs);
  const minutes = (unixMs % (2 * HALF_DAY_MINUTES * MINUTE_MS)) / MINUTE_MS;
  const hourAngle = radians((minutes + equationOfTime) / 4 + longitude - 180);
  const [phi, delta] = [radians(latitude), radians(declination)];
  const altitude = Math.asin(Math.sin(phi) * Math.sin(delta) + Math.cos(phi) * Math.cos(delta) * Math.cos(hourAngle));
  const fromSouth = Math.atan2(Math.sin(hourAngle), Math.cos(hourAngle) * Math.sin(phi) - Math.tan(delta) * Math.cos(phi));
  return { altitude: degrees(altitude), azimuth: turn(degrees(fromSouth) + 180) };
}

/** The sun's declination (degrees) and the equation of time (minutes). */
function sunAt(unixMs: number): { declination: number; equationOfTime: number } {
  const t = julianCenturies(unixMs);
  const longitude = turn(280.46646 + t * (36_000.76983 + t * 0.0003032));
  const anomaly = radians(357.52911 + t * (35_999.05029 - 0.0001537 * t));
  const eccentricity = 0.016708634 - t * (0.000042037 + 0.0000001267 * t);
  const centre =
    Math.sin(anomaly) * (1.914602 - t * (0.004817 + 0.000014 * t)) +
    Math.sin(2 * anomaly) * (0.019993 - 0.000101 * t) +
    Math.sin(3 * anomaly) * 0.000289;
  const node = radians(125.04 - 1934.136 * t);
  const apparentLongitude = radians(longitude + centre - 0.00569 - 0.00478 * Math.sin(node));
  const meanObliquity = 23 + (26 + (21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))) / 60) / 60;
  const obliquity = radians(meanObliquity + 0.00256 * Math.cos(node));
  const declination = degrees(Math.asin(Math.sin(obliquity) * Math.sin(apparentLongitude)));

  const y = Math.tan(obliquity / 2) ** 2;
  const l = radians(longitude);
  const equation =
    y * Math.sin(2 * l) -
    2 * eccentricity * Math.sin(anomaly) +
    4 * eccentricity * y * Math.sin(anomaly) * Math.cos(2 * l) -
    0.5 * y * y * Math.sin(4 * l) -
    1.25 * eccentricity * eccentricity * Math.sin(2 * anomaly);
  return { declination, equationOfTime: 4 * degrees(equation) };
}
