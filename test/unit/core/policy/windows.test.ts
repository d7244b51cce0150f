import { describe, expect, test } from 'vitest';
import { localTime } from '../../../../src/core/policy/local-time.ts';
import { oldestSlice, sliceOf } from '../../../../src/core/policy/windows.ts';

const at = (iso: string) => Date.parse(iso);

describe('calendar windows', () => {
  test.each([
    ['day', 'Europe/Berlin', '2026-01-14T22:59:59Z', '2026-01-14T23:00:00Z'],
    ['day', 'America/New_York', '2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z'], // the day on which clocks go forward
    ['day', 'America/New_York', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'], // 23 hours later
    ['day', 'America/New_York', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z'], // 25 hours after its beginning
    ['day', 'Africa/Cairo', '2026-04-23T21:59:59Z', '2026-04-23T22:00:00Z'], // midnight itself does not exist
    ['day', 'Asia/Kathmandu', '2026-01-14T18:14:59Z', '2026-01-14T18:15:00Z'], // +05:45
    ['day', 'Pacific/Kiritimati', '2026-01-14T09:59:59Z', '2026-01-14T10:00:00Z'], // +14
    ['hour', 'Asia/Kolkata', '2026-01-14T10:29:59Z', '2026-01-14T10:30:00Z'],
    ['week', 'Europe/Berlin', '2026-01-18T22:59:59Z', '2026-01-18T23:00:00Z'], // Sunday to Monday
    ['month', 'Europe/Berlin', '2026-03-31T21:59:59Z', '2026-03-31T22:00:00Z'], // summer time
    ['month', 'UTC', '2026-12-31T23:59:59Z', '2027-01-01T00:00:00Z'],
  ] as const)('I3: a %s in %s ends at another moment than %s', (window, zone, before, after) => {
    expect(sliceOf(window, at(before), zone)).not.toBe(sliceOf(window, at(after), zone));
    expect(sliceOf(window, at(before), zone) < sliceOf(window, at(after), zone)).toBe(true);
  });

  test.each([
    ['hour', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'], // the hour that comes twice
    ['day', 'America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T04:59:59Z'],
    ['day', 'Europe/Berlin', '2026-01-14T23:00:00Z', '2026-01-15T22:59:59Z'],
    ['week', 'Europe/Berlin', '2026-01-18T23:00:00Z', '2026-01-25T22:59:59Z'],
    ['week', 'UTC', '2025-12-29T00:00:00Z', '2026-01-04T23:59:59Z'], // over the end of a year
    ['month', 'UTC', '2028-02-01T00:00:00Z', '2028-02-29T23:59:59Z'],
  ] as const)('I3: a %s in %s that began before %s opens a second budget', (window, zone, first, last) => {
    expect(sliceOf(window, at(first), zone)).toBe(sliceOf(window, at(last), zone));
  });

  test('minutes go wrong inside of a quarter of an hour, or weekdays do not begin on Monday', () => {
    expect(localTime(at('2026-01-15T12:59:59Z'), 'Europe/Berlin')).toEqual({ date: '2026-01-15', hour: 13, minute: 59, weekday: 3 });
    expect(localTime(at('2026-01-18T23:01:00Z'), 'Europe/Berlin')).toEqual({ date: '2026-01-19', hour: 0, minute: 1, weekday: 0 });
    expect(localTime(at('2026-01-18T23:01:00Z'), 'America/Los_Angeles')).toMatchObject({ date: '2026-01-18', hour: 15, weekday: 6 });
  });
});

test('I3: a rolling window is shorter than it says, or more than a part longer', () => {
  const window = { rollingMinutes: 60 };
  const now = at('2026-01-15T12:34:56Z');
  const counts = (ago: number) => sliceOf(window, now - ago, 'UTC') >= oldestSlice(window, now, 'UTC');
  for (const minutes of [0, 30, 59.99, 60]) expect(counts(minutes * 60_000)).toBe(true);
  expect(counts(62.51 * 60_000)).toBe(false);
});
