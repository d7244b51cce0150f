const DAY_MS = 86_400_000;

/** Easter Sunday of a Gregorian year as `YYYY-MM-DD` (Meeus, chapter 8). */
export function easterDate(year: number): string {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const n = h + l - 7 * Math.floor((a + 11 * h + 22 * l) / 451) + 114;
  return new Date(Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1)).toISOString().slice(0, 10);
}

/** The ISO 8601 week of a UTC midnight (Unix milliseconds). */
export function isoWeek(midnight: number): { readonly year: number; readonly week: number; readonly weekday: number } {
  const weekday = new Date(midnight).getUTCDay() || 7;
  const thursday = new Date(midnight + (4 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1, weekday };
}
