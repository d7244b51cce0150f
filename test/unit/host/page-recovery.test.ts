import { expect, test } from 'vitest';
import { createHangWatch, createPageRecovery, HANG_MS } from '../../../src/main/host/page-recovery.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a page that crashes at each start is opened again for ever', async () => {
  const clock = new ManualClock();
  const recovery = createPageRecovery(clock);
  expect([1, 2, 3, 4].map(() => recovery.mayReopen())).toEqual([true, true, true, false]);
  await clock.advance(61_000);
  expect(recovery.mayReopen()).toBe(true);
});

test('a page that is slow for a moment is ended', async () => {
  const clock = new ManualClock();
  let ended = 0;
  const watch = createHangWatch({ clock, end: () => (ended += 1) });
  watch.unresponsive();
  await clock.advance(HANG_MS - 1);
  watch.responsive();
  await clock.advance(HANG_MS);
  expect(ended).toBe(0);
});

test('a page that is stuck is never ended, or twice', async () => {
  const clock = new ManualClock();
  let ended = 0;
  const watch = createHangWatch({ clock, end: () => (ended += 1) });
  watch.unresponsive();
  await clock.advance(1000);
  watch.unresponsive();
  await clock.advance(HANG_MS * 2);
  expect(ended).toBe(1);
});
