import { expect, test } from 'vitest';
import { createBackOff } from '../../../src/main/bridge/back-off.ts';

const clock = () => {
  let at = 0;
  return { now: () => at, pass: (ms: number) => void (at += ms) };
};

test('a server in a crash loop is started for ever, or as fast as it crashes', () => {
  const { now, pass } = clock();
  const backOff = createBackOff(now);
  const waits: (number | undefined)[] = [];
  for (let crash = 0; crash < 7; crash++) {
    backOff.begun();
    pass(100);
    backOff.lost();
    waits.push(backOff.restartMs());
    pass(backOff.restartMs() ?? 60_000);
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, undefined, undefined]);
});

test('a message is refused although the server ended for the first time, or taken while it keeps ending', () => {
  const { now, pass } = clock();
  const backOff = createBackOff(now);
  backOff.lost();
  expect(backOff.waitMs()).toBe(0);
  backOff.lost();
  expect(backOff.waitMs()).toBe(500);
  pass(500);
  expect(backOff.waitMs()).toBe(0);
  for (let crash = 0; crash < 10; crash++) backOff.lost();
  expect(backOff.waitMs()).toBe(30_000);
});

test('a server that ends once a day is taken for one in a crash loop', () => {
  const { now, pass } = clock();
  const backOff = createBackOff(now);
  for (let day = 0; day < 10; day++) {
    backOff.begun();
    pass(86_400_000);
    backOff.lost();
    expect([backOff.waitMs(), backOff.restartMs()]).toEqual([0, 500]);
  }
});

test('a server that works again is still held to have failed', () => {
  const backOff = createBackOff(() => 0);
  for (let crash = 0; crash < 6; crash++) backOff.lost();
  backOff.worked();
  expect(backOff.restartMs()).toBe(500);
});
