import { z } from 'zod';
import { easterDate as computeEasterDate, isoWeek as computeIsoWeek } from '../astronomy/calendar.ts';
import { julianDay } from '../astronomy/julian.ts';
import { turningPoint } from '../astronomy/seasons.ts';
import { siderealTime as computeSiderealTime } from '../astronomy/sidereal.ts';
import { dateSchema, defineTool, instantSchema, longitudeSchema, midnightOf, rounded, toMinute, yearSchema } from './tool.ts';

/** The Julian date. */
export const julianDate = defineTool({
  name: 'julian_date',
  title: 'Julian date',
  description: 'The Julian date and the modified Julian date of an instant.',
  inputSchema: z.object({ instant: instantSchema }),
  outputSchema: z.object({ instant: z.string(), julianDate: z.number(), modifiedJulianDate: z.number() }),
  run: ({ instant }) => {
    const day = julianDay(Date.parse(instant));
    return { instant, julianDate: rounded(day, 6), modifiedJulianDate: rounded(day - 2_400_000.5, 6) };
  },
});

/** Sidereal time. */
export const siderealTime = defineTool({
  name: 'sidereal_time',
  title: 'Sidereal time',
  description: 'Mean sidereal time at a longitude and an instant, as hours, minutes and seconds.',
  inputSchema: z.object({ longitude: longitudeSchema, instant: instantSchema }),
  outputSchema: z.object({ instant: z.string(), siderealTime: z.string(), degrees: z.number() }),
  run: ({ longitude, instant }) => {
    const angle = computeSiderealTime(Date.parse(instant), longitude);
    return { instant, siderealTime: new Date((angle / 360) * 86_400_000).toISOString().slice(11, 19), degrees: rounded(angle, 4) };
  },
});

/** Equinoxes and solstices. */
export const seasons = defineTool({
  name: 'seasons',
  title: 'Seasons',
  description: 'Equinoxes and solstices of a year (UTC), good to about three minutes.',
  inputSchema: z.object({ year: z.int().min(1800).max(2100).describe('The year, 1800 to 2100') }),
  outputSchema: z.object({ year: z.number(), marchEquinox: z.string(), juneSolstice: z.string(), septemberEquinox: z.string(), decemberSolstice: z.string() }),
  run: ({ year }) => ({
    year,
    marchEquinox: toMinute(turningPoint('marchEquinox', year)),
    juneSolstice: toMinute(turningPoint('juneSolstice', year)),
    septemberEquinox: toMinute(turningPoint('septemberEquinox', year)),
    decemberSolstice: toMinute(turningPoint('decemberSolstice', year)),
  }),
});

/** Easter Sunday. */
export const easterDate = defineTool({
  name: 'easter_date',
  title: 'Easter Sunday',
  description: 'Easter Sunday of a year in the Gregorian calendar.',
  inputSchema: z.object({ year: yearSchema }),
  outputSchema: z.object({ year: z.number(), date: z.string() }),
  run: ({ year }) => ({ year, date: computeEasterDate(year) }),
});

/** The ISO week. */
export const isoWeek = defineTool({
  name: 'iso_week',
  title: 'Calendar week',
  description: 'The ISO 8601 week of a date; of today, where none is given.',
  inputSchema: z.object({ date: dateSchema.optional() }),
  outputSchema: z.object({ date: z.string(), year: z.number(), week: z.number(), weekday: z.number() }),
  run: ({ date = new Date().toISOString().slice(0, 10) }) => ({ date, ...computeIsoWeek(midnightOf(date)) }),
});

/** Unix time. */
export const unixTime = defineTool({
  name: 'unix_time',
  title: 'Unix time',
  description: 'The seconds since 1970-01-01T00:00:00Z of an instant.',
  inputSchema: z.object({ instant: instantSchema }),
  outputSchema: z.object({ instant: z.string(), seconds: z.number() }),
  run: ({ instant }) => ({ instant, seconds: Math.floor(Date.parse(instant) / 1000) }),
});
