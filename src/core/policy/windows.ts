import type { Counter } from '../ports.ts';

/** Building a formatter costs more than the rest of an assessment, and an owner has one time zone. */
let formatter: { readonly timeZone: string; readonly format: (at: number) => string } | undefined;

/** Calendar day of an instant in a time zone, `YYYY-MM-DD`. */
export function calendarDay(at: number, timeZone: string): string {
  if (formatter?.timeZone !== timeZone) {
    // The Swedish locale writes ISO dates; `formatToParts` would say the same in six lines.
    const { format } = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formatter = { timeZone, format };
  }
  return formatter.format(at);
}

/** Sum of a day over everything. */
export const dayCounter = (day: string, timeZone: string): Counter => `USD|day|${day}|${timeZone}|all`;

/** Sum of a day over one upstream. */
export const upstreamDayCounter = (day: string, timeZone: string, upstream: string): Counter => `USD|day|${day}|${timeZone}|upstream=${upstream}`;
