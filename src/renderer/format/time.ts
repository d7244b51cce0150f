const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const shortDateTime = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });

const sameDay = (a: Date, b: Date): boolean => a.getFullYear() === b.getFullYear() && a.getMonth() === b.getMonth() && a.getDate() === b.getDate();

/** A moment in full: `Nov 21, 2026, 5:45:17 PM`. */
export const formatMoment = (at: number): string => dateTime.format(at);

/** A moment as short as its distance allows: the time alone today, with day and month this year, else in full. */
export function formatMomentShort(at: number, now: number = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (sameDay(then, today)) return clock.format(at);
  return then.getFullYear() === today.getFullYear() ? shortDateTime.format(at) : dateTime.format(at);
}

/** A span as `m:ss`, to the nearest second, since main's clock and the page's differ by a little; never `0:00` while something is left, never negative. */
export function formatCountdown(milliseconds: number): string {
  const seconds = milliseconds <= 0 ? 0 : Math.max(1, Math.round(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const dayAndMonth = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A calendar day (`2026-01-31`) as `Jan 31`, whatever zone it is a day of. */
export const formatDay = (day: string): string => dayAndMonth.format(Date.parse(`${day}T00:00Z`));
