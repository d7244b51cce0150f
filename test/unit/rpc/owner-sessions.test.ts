import { expect, test } from 'vitest';
import { createOwnerSessions, OWNER_SESSION_MS } from '../../../src/main/rpc/owner-sessions.ts';
import { manualClock } from '../../support/rpc/contract-fakes.ts';

function setUp() {
  const clock = manualClock();
  let changes = 0;
  return { clock, sessions: createOwnerSessions({ clock, changed: () => changes++ }), changes: () => changes };
}

test('a session belongs to the connection that opened it', () => {
  const { clock, sessions } = setUp();
  expect(sessions.open('a')).toBe(clock.now() + OWNER_SESSION_MS);
  expect(sessions.until('a')).toBe(clock.now() + OWNER_SESSION_MS);
  expect(sessions.until('b')).toBeUndefined();
});

test('opening again starts the 15 minutes anew instead of ending with the first', () => {
  const { clock, sessions } = setUp();
  sessions.open('a');
  clock.advance(OWNER_SESSION_MS - 1);
  sessions.open('a');
  clock.advance(2);
  expect(sessions.until('a')).toBeDefined();
});

test('a clock set back does not prolong a session', () => {
  const { clock, sessions } = setUp();
  sessions.open('a');
  clock.set(0);
  clock.advance(OWNER_SESSION_MS);
  expect(sessions.until('a')).toBeUndefined();
});

test('a machine that slept over the end finds the session ended although the timer did not run', () => {
  const { clock, sessions } = setUp();
  const until = sessions.open('a');
  clock.set(until);
  expect(sessions.until('a')).toBeUndefined();
});

test('locking ends all sessions and says so once; ending none says nothing', () => {
  const { sessions, changes } = setUp();
  sessions.open('a');
  sessions.open('b');
  const before = changes();
  sessions.endAll();
  expect(changes()).toBe(before + 1);
  expect([sessions.until('a'), sessions.until('b')]).toEqual([undefined, undefined]);
  sessions.endAll();
  sessions.end('a');
  expect(changes()).toBe(before + 1);
});
