import { z } from 'zod';
import { sunTimes as computeSunTimes } from '../astronomy/sun.ts';
import { defineTool, midnightOf, placeAndDate, toMinute } from './tool.ts';

/** What is told about the sun; times are UTC to the minute, null where the sun does not rise or set. */
export const sunTimesSchema = z.object({
  date: z.string(),
  kind: z.enum(['normal', 'polar-day', 'polar-night']),
  sunrise: z.string().nullable(),
  solarNoon: z.string(),
  sunset: z.string().nullable(),
  dayLengthMinutes: z.number(),
});

/** Sunrise and sunset. */
export const sunTimes = defineTool({
  name: 'sun_times',
  title: 'Sunrise and sunset',
  description: 'Sunrise, solar noon and sunset (UTC) at a place on a date.',
  inputSchema: placeAndDate,
  outputSchema: sunTimesSchema,
  run: ({ latitude, longitude, date }) => describeSun(date, latitude, longitude),
});

/** The sun's day at a place, times to the minute in UTC. */
export function describeSun(date: string, latitude: number, longitude: number): z.infer<typeof sunTimesSchema> {
  const sun = computeSunTimes(midnightOf(date), latitude, longitude);
  const solarNoon = toMinute(sun.solarNoon);
  if (sun.kind !== 'normal') {
    return { date, kind: sun.kind, sunrise: null, solarNoon, sunset: null, dayLengthMinutes: sun.kind === 'polar-day' ? 1440 : 0 };
  }
  const dayLengthMinutes = Math.round((sun.sunset - sun.sunrise) / 60_000);
  return { date, kind: sun.kind, sunrise: toMinute(sun.sunrise), solarNoon, sunset: toMinute(sun.sunset), dayLengthMinutes };
}
