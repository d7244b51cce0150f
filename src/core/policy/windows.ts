import { MOST_ROLLING_MINUTES, type CapWindow } from '../../shared/policy/policy.ts';
import { addDays, localQuarter, type LocalTime } from './local-time.ts';

const HOUR_MS = 3_600_000;

/** A rolling window is counted in this many parts; the oldest counts whole, so that the window is never shorter than it says. */
const ROLLING_PARTS = 24;

/** A window over which sums are kept: all but that of one call. */
export type SumWindow = Exclude<CapWindow, 'call'>;

/**
 * Name of the slice of time that an instant falls into; names of one window sort by time. A calendar hour that occurs twice because
 * clocks are set back is one slice, which only narrows.
 */
export function sliceOf(window: Exclude<SumWindow, 'session'>, at: number, timeZone: string): string {
  if (typeof window === 'object') return sliceName(Math.floor(at / partMs(window)));
  const quarter = localQuarter(at, timeZone);
  const known = slicesOf.get(quarter) ?? calendarSlices(quarter);
  slicesOf.set(quarter, known);
  return known[window];
}

/** By quarter of an hour: uses are added up in the order of time, and every cap asks for the slices of the same few instants. */
const slicesOf = new WeakMap<LocalTime, ReturnType<typeof calendarSlices>>();

const calendarSlices = ({ date, hour, weekday }: LocalTime) => ({
  hour: `${date}T${String(hour).padStart(2, '0')}`,
  day: date,
  week: addDays(date, -weekday),
  month: date.slice(0, 7),
});

/** The oldest slice that still counts at an instant. Of a calendar window it is the only one. */
export const oldestSlice = (window: Exclude<SumWindow, 'session'>, now: number, timeZone: string): string =>
  typeof window === 'object' ? sliceName(Math.floor((now - window.rollingMinutes * 60_000) / partMs(window))) : sliceOf(window, now, timeZone);

/** How far before an instant its window can begin, in milliseconds; generous, for looking up what to count. */
export function reach(window: Exclude<SumWindow, 'session'>): number {
  if (typeof window === 'object') return window.rollingMinutes * 60_000 + partMs(window);
  return { hour: 4, day: 2 * 24, week: 9 * 24, month: 33 * 24 }[window] * HOUR_MS;
}

const partMs = ({ rollingMinutes }: { rollingMinutes: number }): number => (rollingMinutes * 60_000) / ROLLING_PARTS;

const sliceName = (part: number): string => String(part).padStart(12, '0');

/** No window of any policy reaches further back than this from the instant at which it ends. */
export const LONGEST_REACH_MS = Math.max(reach('month'), reach({ rollingMinutes: MOST_ROLLING_MINUTES }));
