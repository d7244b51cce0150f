import { z } from 'zod';
import { describeMoon, moonPhaseSchema } from './moon-phase.ts';
import { describeSun, sunTimesSchema } from './sun-times.ts';
import { defineTool, placeAndDate } from './tool.ts';

/** Sun and moon together. */
export const skyReport = defineTool({
  name: 'sky_report',
  title: 'Sky report',
  description: 'Sun times and the phase of the moon at a place on a date.',
  inputSchema: placeAndDate,
  outputSchema: z.object({ latitude: z.number(), longitude: z.number(), sun: sunTimesSchema, moon: moonPhaseSchema }),
  run: ({ latitude, longitude, date }) => ({ latitude, longitude, sun: describeSun(date, latitude, longitude), moon: describeMoon(date) }),
});
