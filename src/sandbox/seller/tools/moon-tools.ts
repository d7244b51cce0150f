import { z } from 'zod';
import { moonDistance as computeMoonDistance } from '../astronomy/moon.ts';
import { describeMoon, moonPhaseSchema } from './moon-phase.ts';
import { defineTool, instantSchema, yearSchema } from './tool.ts';

/** How far the moon is. */
export const moonDistance = defineTool({
  name: 'moon_distance',
  title: 'Distance of the moon',
  description: 'Kilometres between the centres of earth and moon at an instant, good to about 200 km.',
  inputSchema: z.object({ instant: instantSchema }),
  outputSchema: z.object({ instant: z.string(), kilometres: z.number() }),
  run: ({ instant }) => ({ instant, kilometres: Math.round(computeMoonDistance(Date.parse(instant)) / 10) * 10 }),
});

/** The phases of a month. */
export const moonCalendar = defineTool({
  name: 'moon_calendar',
  title: 'Moon calendar',
  description: 'The phase of the moon on every day of a month, at 12:00 UTC.',
  inputSchema: z.object({ year: yearSchema, month: z.int().min(1).max(12).describe('The month, 1 to 12') }),
  outputSchema: z.object({ days: z.array(moonPhaseSchema) }),
  run: ({ year, month }) => ({
    days: Array.from({ length: new Date(Date.UTC(year, month, 0)).getUTCDate() }, (_, day) => describeMoon(new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10))),
  }),
});
