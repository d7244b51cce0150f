import { expect, test } from 'vitest';
import { createIdleLock } from '../../../src/main/rpc/idle-lock.ts';
import { createRouter } from '../../../src/main/rpc/router.ts';
import { createSecretsShown, SHOWN_AT_MOST_MS } from '../../../src/main/rpc/secrets-shown.ts';
import { handlersOf, manualClock, recordingLog } from '../../support/rpc/contract-fakes.ts';

const MINUTE = 60_000;

function world(minutes: number) {
  const clock = manualClock();
  let locked = 0;
  const idle = createIdleLock({ clock, minutes, lock: () => (locked += 1) });
  const pass = (count: number) => {
    for (let minute = 0; minute < count; minute += 1) clock.advance(MINUTE);
    return locked;
  };
  return { clock, idle, pass };
}

test('keys stay open for longer than the owner said, or lock while the owner is there', () => {
  const { idle, pass } = world(10);
  expect(pass(9)).toBe(0);
  idle.active();
  expect(pass(9)).toBe(0);
  expect(pass(2)).toBe(1);
});

test('keys that are never to be locked are, or another span counts from the next start only', () => {
  const { idle, pass } = world(0);
  expect(pass(600)).toBe(0);
  idle.set(5);
  expect(pass(4)).toBe(0);
  expect(pass(2)).toBe(1);
  idle.set(0);
  expect(pass(600)).toBe(1);
});

test('a machine that slept stays unlocked for another whole span', () => {
  const { clock, pass } = world(60);
  clock.set(clock.now() + 90 * MINUTE);
  expect(pass(1)).toBe(1);
});

test('a clock that was set back keeps the keys open for ever', () => {
  const { clock, pass } = world(10);
  clock.set(0);
  expect(pass(12)).toBe(1);
});

test('what pages read by themselves, or report of a popup, counts as the owner being there; or what the owner does, does not', async () => {
  let acts = 0;
  const handlers = handlersOf({
    'owner.status': () => ({ passphraseSet: true, sessionNeeded: false, locked: false }),
    'owner.active': () => ({}),
    'approvals.report': () => ({}),
    'contacts.list': () => ({ contacts: [] }),
    'approvals.active': () => ({}),
    'policy.pause': () => {
      throw new Error('no');
    },
  });
  const router = createRouter({ handlers, gate: { require: () => undefined }, log: recordingLog(), ownerActed: () => (acts += 1) });
  const caller = { surface: 'dashboard', connection: 'c', host: 'headless' } as const;
  await router.dispatch('owner.status', {}, caller);
  await router.dispatch('approvals.report', { paymentId: 'p', visible: true }, caller);
  // After a lost connection came back a page reads everything anew, with nobody there.
  await router.dispatch('contacts.list', {}, caller);
  await router.dispatch('policy.pause', {}, caller);
  await router.dispatch('owner.active', { unexpected: true }, { ...caller, surface: 'approval' });
  expect(acts).toBe(1);
  await router.dispatch('approvals.active', {}, { ...caller, surface: 'approval' });
  expect(acts).toBe(2);
});

test('a window with a secret can be photographed, or stays dark for ever', () => {
  const clock = manualClock();
  const shown = createSecretsShown({ clock });
  const told: boolean[] = [];
  shown.subscribe((isShown) => told.push(isShown));
  shown.show('a');
  shown.show('b');
  shown.hide('a');
  expect(told).toEqual([true, true, true]);
  shown.hide('nobody');
  clock.advance(SHOWN_AT_MOST_MS);
  expect(told).toEqual([true, true, true, false]);
});
