import { z } from 'zod';
import { sunPosition as computeSunPosition, sunTimes } from '../astronomy/sun.ts';
import { describeSun, sunTimesSchema } from './sun-times.ts';
import { defineTool, instantSchema, latitudeSchema, longitudeSchema, midnightOf, placeAndDate, rounded, toMinute } from './tool.ts';

const DAY_MS = 86_400_000;
const TWILIGHTS = { civil: 96, nautical: 102, astronomical: 108 } as const;

/** How long the day is, and how that changes. */
export const dayLength = defineTool({
  name: 'day_length',
  title: 'Length of the day',
  description: 'Minutes between sunrise and sunset at a place on a date, and the change since the day before.',
  inputSchema: placeAndDate,
  outputSchema: z.object({ date: z.string(), minutes: z.number(), changeMinutes: z.number() }),
  run: ({ date, latitude, longitude }) => {
    const minutesOf = (day: number): number => {
      const sun = sunTimes(day, latitude, longitude);
      if (sun.kind !== 'normal') return sun.kind === 'polar-day' ? 1440 : 0;
      return (sun.sunset - sun.sunrise) / 60_000;
    };
    const today = minutesOf(midnightOf(date));
    return { date, minutes: rounded(today, 1), changeMinutes: rounded(today - minutesOf(midnightOf(date) - DAY_MS), 1) };
  },
});

/** Solar noon and the sun's height then. */
export const solarNoon = defineTool({
  name: 'solar_noon',
  title: 'Solar noon',
  description: 'When the sun stands highest at a place on a date (UTC), and how high.',
  inputSchema: placeAndDate,
  outputSchema: z.object({ date: z.string(), solarNoon: z.string(), altitudeDegrees: z.number() }),
  run: ({ date, latitude, longitude }) => {
    const noon = sunTimes(midnightOf(date), latitude, longitude).solarNoon;
    return { date, solarNoon: toMinute(noon), altitudeDegrees: rounded(computeSunPosition(noon, latitude, longitude).altitude, 1) };
  },
});

const twilightSchema = z.object({ begins: z.string().nullable(), ends: z.string().nullable() });

/** The three twilights of a day. */
export const twilight = defineTool({
  name: 'twilight',
  title: 'Twilight',
  description: 'Beginning and end of civil, nautical and astronomical twilight at a place on a date (UTC); null where there is none.',
  inputSchema: placeAndDate,
  outputSchema: z.object({ date: z.string(), civil: twilightSchema, nautical: twilightSchema, astronomical: twilightSchema }),
  run: ({ date, latitude, longitude }) => {
    const at = (zenith: number): z.infer<typeof twilightSchema> => {
      const sun = sunTimes(midnightOf(date), latitude, longitude, zenith);
      return sun.kind === 'normal' ? { begins: toMinute(sun.sunrise), ends: toMinute(sun.sunset) } : { begins: null, ends: null };
    };
    return { date, civil: at(TWILIGHTS.civil), nautical: at(TWILIGHTS.nautical), astronomical: at(TWILIGHTS.astronomical) };
  },
});

/** Where the sun stands. */
export const sunPosition = defineTool({
  name: 'sun_position',
  title: 'Position of the sun',
  description: 'Altitude above the horizon and azimuth from north of the sun at a place and an instant, in degrees.',
  inputSchema: z.object({ latitude: latitudeSchema, longitude: longitudeSchema, instant: instantSchema }),
  outputSchema: z.object({ instant: z.string(), altitudeDegrees: z.number(), azimuthDegrees: z.number() }),
  run: ({ instant, latitude, longitude }) => {
    const { altitude, azimuth } = computeSunPosition(Date.parse(instant), latitude, longitude);
    return { instant, altitudeDegrees: rounded(altitude, 2), azimuthDegrees: rounded(azimuth, 2) };
  },
});

/** A week of sunrises and sunsets. */
export const sunCalendar = defineTool({
  name: 'sun_calendar',
  title: 'Sun calendar',
  description: 'Sunrise and sunset at a place on seven days from a date (UTC).',
  inputSchema: placeAndDate,
  outputSchema: z.object({ days: z.array(sunTimesSchema) }),
  run: ({ date, latitude, longitude }) => ({
    days: Array.from({ length: 7 }, (_, day) => describeSun(new Date(midnightOf(date) + day * DAY_MS).toISOString().slice(0, 10), latitude, longitude)),
  }),
});
