import { expect, test } from 'vitest';
import { CLEAR_AFTER_MS, copySecret } from '../../../../src/renderer/dashboard/copy-secret.ts';

/** A clipboard, and time that the test moves. */
function world({ readable = true } = {}) {
  const state = { text: 'before', focused: true };
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 0;
  const clipboard = {
    async writeText(text: string) {
      if (!state.focused) throw new DOMException('Document is not focused.', 'NotAllowedError');
      state.text = text;
    },
    async readText() {
      if (!readable) throw new DOMException('denied', 'NotAllowedError');
      return state.text;
    },
  };
  const after = (ms: number, callback: () => void) => {
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const pass = async (ms: number) => {
    now += ms;
    for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.callback();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { state, clipboard, after, pass };
}

test('a secret stays in the clipboard', async () => {
  for (const readable of [true, false]) {
    const { state, clipboard, after, pass } = world({ readable });
    let cleared = 0;
    await copySecret('secret', { clipboard, after, onCleared: () => (cleared += 1) });
    await pass(CLEAR_AFTER_MS - 1);
    expect(state.text).toBe('secret');
    await pass(1);
    expect([state.text, cleared]).toEqual(['', 1]);
  }
});

test('what the owner copied since is taken away', async () => {
  const { state, clipboard, after, pass } = world();
  await copySecret('secret', { clipboard, after });
  state.text = 'a shopping list';
  await pass(CLEAR_AFTER_MS);
  expect(state.text).toBe('a shopping list');
});

test('a page in the background leaves the secret there for good', async () => {
  const { state, clipboard, after, pass } = world({ readable: false });
  await copySecret('secret', { clipboard, after });
  state.focused = false;
  await pass(CLEAR_AFTER_MS);
  await pass(10_000);
  expect(state.text).toBe('secret');
  state.focused = true;
  await pass(1_000);
  expect(state.text).toBe('');
});

test('leaving the page clears it only after its time, or twice', async () => {
  const { state, clipboard, after, pass } = world();
  const copied = await copySecret('secret', { clipboard, after });
  await copied.clear();
  expect(state.text).toBe('');
  state.text = 'secret';
  await pass(CLEAR_AFTER_MS);
  expect(state.text).toBe('secret');
});
