import { z } from 'zod';
import { MOON_PHASES, moonPhase as computeMoonPhase } from '../astronomy/moon.ts';
import { dateSchema, defineTool, midnightOf } from './tool.ts';

const NOON_MS = 43_200_000;

/** What is told about the moon. */
export const moonPhaseSchema = z.object({
  date: z.string(),
  phase: z.enum(MOON_PHASES),
  illuminationPercent: z.number(),
  ageDays: z.number(),
});

/** The moon's phase. */
export const moonPhase = defineTool({
  name: 'moon_phase',
  title: 'Phase of the moon',
  description: 'The phase of the moon on a date, at 12:00 UTC.',
  inputSchema: z.object({ date: dateSchema }),
  outputSchema: moonPhaseSchema,
  run: ({ date }) => describeMoon(date),
});

/** The moon at noon UTC of a date. */
export function describeMoon(date: string): z.infer<typeof moonPhaseSchema> {
  const { phase, illumination, ageDays } = computeMoonPhase(midnightOf(date) + NOON_MS);
  return { date, phase, illuminationPercent: Math.round(illumination * 100), ageDays: Math.round(ageDays * 10) / 10 };
}
