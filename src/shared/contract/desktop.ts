import { z } from 'zod';
import { route } from './route.ts';
import { Empty } from './values.ts';

/** When the keys are locked beside the minutes of `owner.setLockAfter`. */
const LockOn = z.object({
  /** The owner locks the screen. Known on macOS and Windows. */
  screenLock: z.boolean(),
  /** The machine goes to sleep. */
  sleep: z.boolean(),
});

export const DesktopSettings = z.object({
  /** False in the headless host, which hears of neither; what is set is kept for the desktop application. */
  supported: z.boolean(),
  lockOn: LockOn,
  updates: z.object({
    /** What this package can do about a newer version: put it in place when the owner says so, only say that there is one, or nothing (no feed). */
    kind: z.enum(['install', 'notice', 'none']),
    /** False where the owner wants no looking for newer versions. */
    check: z.boolean(),
  }),
});
export type DesktopSettings = z.infer<typeof DesktopSettings>;

export const desktopRoutes = {
  'desktop.get': route('read', Empty, DesktopSettings),
  /** Changes what is named. */
  'desktop.set': route('owner', z.object({ lockOn: LockOn.partial().optional(), checkForUpdates: z.boolean().optional() }), DesktopSettings),
} as const;
