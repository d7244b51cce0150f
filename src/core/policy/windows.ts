import type { Counter } from '../ports.ts';

/** Calendar day of an instant in a time zone, `YYYY-MM-DD`. */
export function calendarDay(at: number, timeZone: string): string {
  // The Swedish locale writes ISO dates; `formatToParts` would say the same in six lines.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at);
}

/** Sum of a day over everything. */
export const dayCounter = (day: string, timeZone: string): Counter => `USD|day|${day}|${timeZone}|all`;

/** Sum of a day over one upstream. */
export const upstreamDayCounter = (day: string, timeZone: string, upstream: string): Counter => `USD|day|${day}|${timeZone}|upstream=${upstream}`;
