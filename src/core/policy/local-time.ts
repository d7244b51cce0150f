/** A moment on the owner's wall clock. */
export interface LocalTime {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Monday. */
  readonly weekday: number;
}

/** Every time zone's offset is a multiple of this, so that all moments of one step lie in the same local hour. */
const STEP_MS = 15 * 60_000;

/** Building a formatter costs more than the rest of an assessment, and an owner has one time zone. */
let formatter: { readonly timeZone: string; readonly format: (at: number) => string } | undefined;

/** Steps that are kept: now, and the few instants before now at which windows begin. */
const MOST_STEPS = 16;
let known: { readonly timeZone: string; readonly times: Map<number, LocalTime> } | undefined;

/** What the owner's clock shows at an instant. The time zone has to be a known IANA name. */
export function localTime(at: number, timeZone: string): LocalTime {
  const quarter = localQuarter(at, timeZone);
  return { ...quarter, minute: quarter.minute + Math.floor((at % STEP_MS) / 60_000) };
}

/** What it showed when the current quarter of an hour began: the same object for every instant of one quarter. */
export function localQuarter(at: number, timeZone: string): LocalTime {
  const step = Math.floor(at / STEP_MS);
  if (known?.timeZone !== timeZone) known = { timeZone, times: new Map() };
  const found = known.times.get(step);
  if (found) return found;
  const time = startOfStep(step * STEP_MS, timeZone);
  if (known.times.size >= MOST_STEPS) known.times.clear();
  known.times.set(step, time);
  return time;
}

function startOfStep(at: number, timeZone: string): LocalTime {
  if (formatter?.timeZone !== timeZone) {
    // The Swedish locale writes ISO dates: `2026-01-15 13:45`.
    const { format } = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formatter = { timeZone, format };
  }
  const text = formatter.format(at);
  const date = text.slice(0, 10);
  return { date, hour: Number(text.slice(11, 13)), minute: Number(text.slice(14, 16)), weekday: (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7 };
}

/** The date some days later, `YYYY-MM-DD`. */
export const addDays = (date: string, days: number): string => new Date(Date.parse(`${date}T00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
