import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../../../src/core/ports.ts';
import { createWindowStateKeeper, readWindowState, restoredBounds } from '../../../src/main/host/window-state.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const screenOne = { x: 0, y: 25, width: 1440, height: 875 };
const screenTwo = { x: 1440, y: 0, width: 1920, height: 1040 };
const bounds = { x: 100, y: 80, width: 1000, height: 700 };

let folder: string;
let path: string;
const warnings: string[] = [];
const log: Log = { debug() {}, info() {}, warn: (message) => void warnings.push(message), error() {} };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bursar-window-'));
  path = join(folder, 'window.json');
  warnings.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the file', () => {
  test('a place is forgotten, or written at each step of a drag', async () => {
    const clock = new ManualClock();
    const keeper = createWindowStateKeeper({ path, clock, log });
    for (let x = 0; x < 50; x += 1) {
      keeper.note({ bounds: { ...bounds, x }, maximized: false });
      await clock.advance(100);
    }
    expect(readWindowState(path)).toBeUndefined();
    await clock.advance(1000);
    expect(readWindowState(path)).toEqual({ bounds: { ...bounds, x: 49 }, maximized: false });
  });

  test('what was noted just before the end is lost', () => {
    const keeper = createWindowStateKeeper({ path, clock: new ManualClock(), log });
    keeper.note({ bounds, maximized: true });
    keeper.flush();
    expect(readWindowState(path)).toEqual({ bounds, maximized: true });
    expect(readdirSync(folder)).toEqual(['window.json']);
  });

  test('a folder that cannot be written to ends the application', () => {
    const keeper = createWindowStateKeeper({ path: join(folder, 'gone', 'window.json'), clock: new ManualClock(), log });
    keeper.note({ bounds, maximized: false });
    expect(() => keeper.flush()).not.toThrow();
    expect(warnings).toHaveLength(1);
  });

  test.each(['', '{', 'null', '[]', '{"version":1}', '{"version":2,"bounds":{"x":0,"y":0,"width":900,"height":700},"maximized":false}', '{"version":1,"bounds":{"x":0,"y":0,"width":1e9,"height":700},"maximized":false}', '{"version":1,"bounds":{"x":0.5,"y":0,"width":900,"height":700},"maximized":false}'])(
    'a malformed file (%s) keeps the window from opening',
    (text) => {
      writeFileSync(path, text);
      expect(readWindowState(path)).toBeUndefined();
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );
});

describe('the place', () => {
  test('a window that fits is moved', () => {
    expect(restoredBounds(bounds, [screenOne])).toEqual(bounds);
    expect(restoredBounds({ ...bounds, x: 1600 }, [screenOne, screenTwo])).toEqual({ ...bounds, x: 1600 });
  });

  test.each([
    ['on a screen that was unplugged', { ...bounds, x: 1600 }],
    ['left of every screen', { ...bounds, x: -980 }],
    ['below every screen', { ...bounds, y: 890 }],
    ['with its title bar above the screen', { ...bounds, y: -30 }],
  ])('a window %s is opened where nobody sees it', (_where, off) => {
    expect(restoredBounds(off, [screenOne])).toBeUndefined();
  });

  test('a window that is larger than the screen of today stays larger', () => {
    expect(restoredBounds({ x: 0, y: 25, width: 3000, height: 2000 }, [screenOne])).toEqual({ x: 0, y: 25, width: 1440, height: 875 });
  });
});
