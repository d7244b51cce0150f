import { z } from 'zod';
import { defineTool } from './tool.ts';

/** The time in a time zone. */
export const cityTime = defineTool({
  name: 'city_time',
  title: 'Time in a city',
  description: 'The current date and time in a time zone.',
  inputSchema: z.object({ timeZone: z.string().min(1).max(64).describe('An IANA time zone, such as Europe/Berlin') }),
  outputSchema: z.object({ timeZone: z.string(), date: z.string(), time: z.string(), utcOffset: z.string() }),
  run: ({ timeZone }) => {
    let format: Intl.DateTimeFormat;
    try {
      format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
    } catch {
      throw new Error(`There is no time zone "${timeZone}". Give an IANA name such as Europe/Berlin or America/New_York.`);
    }
    const now = new Date();
    const [date = '', time = ''] = format.format(now).split(', ');
    const offset = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now);
    const utcOffset = (offset.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT').replace('GMT', '') || '+00:00';
    return { timeZone, date, time, utcOffset };
  },
});
