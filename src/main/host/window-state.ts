import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Clock, Log } from '../../core/ports.ts';
import { writeFileAtomically } from '../adapters/home/files.ts';
import type { Rectangle } from './popup-place.ts';

const Length = z.int().min(1).max(100_000);
const Place = z.int().min(-100_000).max(100_000);
const WindowState = z.strictObject({ version: z.literal(1), bounds: z.strictObject({ x: Place, y: Place, width: Length, height: Length }), maximized: z.boolean() });

/** Where a window was, in device-independent pixels. */
export interface WindowState {
  /** Those of the window when it is not maximized. */
  readonly bounds: Rectangle;
  readonly maximized: boolean;
}

/** Reads the file; undefined where there is none, or none of ours: a place on the screen is nothing to fail for. */
export function readWindowState(path: string): WindowState | undefined {
  try {
    if (!existsSync(path)) return undefined;
    const { bounds, maximized } = WindowState.parse(JSON.parse(readFileSync(path, 'utf8')));
    return { bounds, maximized };
  } catch {
    return undefined;
  }
}

/** How much of a window's upper edge has to be on a screen, so that it can be seen and dragged. */
const GRIP = { width: 120, height: 40 };

/** The bounds as they were, or undefined where the screen that they were on is gone; shrunk to the screen that they are on. */
export function restoredBounds({ x, y, width, height }: Rectangle, workAreas: readonly Rectangle[]): Rectangle | undefined {
  const shared = (from: number, length: number, areaFrom: number, areaLength: number) => Math.min(from + length, areaFrom + areaLength) - Math.max(from, areaFrom);
  const area = workAreas.find(
    (each) => y >= each.y && shared(x, width, each.x, each.width) >= Math.min(GRIP.width, width) && shared(y, GRIP.height, each.y, each.height) >= GRIP.height,
  );
  return area && { x, y, width: Math.min(width, area.width), height: Math.min(height, area.height) };
}

/** How long a window has to rest before its place is written: moving it tells of every step. */
const REST_MS = 500;

export interface WindowStateKeeper {
  /** Notes the state, and writes it once nothing new came for a while. */
  note(state: WindowState): void;
  /** Writes what was noted and not written. */
  flush(): void;
}

/** Keeps a window's state in a file, which is replaced in one step. */
export function createWindowStateKeeper({ path, clock, log }: { readonly path: string; readonly clock: Clock; readonly log: Log }): WindowStateKeeper {
  let noted: WindowState | undefined;
  let callOff: (() => void) | undefined;
  const flush = (): void => {
    callOff?.();
    callOff = undefined;
    if (noted === undefined) return;
    const state = noted;
    noted = undefined;
    try {
      writeFileAtomically(path, `${JSON.stringify({ version: 1, ...state })}\n`);
    } catch (error) {
      log.warn("the window's place was not kept", { reason: error instanceof Error ? error.message : String(error) });
    }
  };
  return {
    note(state) {
      noted = state;
      callOff?.();
      callOff = clock.after(REST_MS, flush);
    },
    flush,
  };
}
