import { expect, test } from 'vitest';
import { TELL_EVERY_MS, whenActive } from '../../../../src/renderer/client/when-active.ts';

/** A window of which the test is the person, and the script. */
function world() {
  const listeners = new Map<string, Set<(event: Event) => void>>();
  let at = 1_000_000;
  let told = 0;
  const stop = whenActive(
    {
      addEventListener: (type, listener) => void listeners.set(type, (listeners.get(type) ?? new Set()).add(listener as (event: Event) => void)),
      removeEventListener: (type, listener) => void listeners.get(type)?.delete(listener as (event: Event) => void),
    },
    () => (told += 1),
    () => at,
  );
  return {
    stop,
    told: () => told,
    pass: (ms: number) => (at += ms),
    act: (type: string, isTrusted = true) => {
      for (const listener of listeners.get(type) ?? []) listener({ type, isTrusted } as Event);
    },
  };
}

test('an owner who types, clicks or moves is locked out, or main is told with every key', () => {
  const { act, pass, told } = world();
  act('keydown');
  expect(told()).toBe(1);
  for (const type of ['keydown', 'pointerdown', 'pointermove', 'wheel']) act(type);
  pass(TELL_EVERY_MS - 1);
  act('keydown');
  expect(told()).toBe(1);
  pass(1);
  act('wheel');
  expect(told()).toBe(2);
  for (const type of ['pointerdown', 'pointermove', 'keydown']) {
    pass(TELL_EVERY_MS);
    act(type);
  }
  expect(told()).toBe(5);
});

test('a script of the page passes for the owner, a clock set back silences them, or a page that is gone goes on telling', () => {
  const { act, pass, told, stop } = world();
  act('keydown', false);
  expect(told()).toBe(0);
  act('keydown');
  pass(-3_600_000);
  act('keydown');
  expect(told()).toBe(2);
  stop();
  pass(2 * 3_600_000);
  act('keydown');
  expect(told()).toBe(2);
});
