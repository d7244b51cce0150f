import { powerMonitor } from 'electron';
import type { Log } from '../../core/ports.ts';

/** When the owner wants the keys locked beside the time that they set. */
export interface LockOn {
  /** The screen is locked. Electron tells of it on macOS and Windows. */
  readonly screenLock: boolean;
  /** The machine goes to sleep. */
  readonly sleep: boolean;
}

export interface PowerOptions {
  /** Read at each event, so that a change counts at once. */
  readonly lockOn: () => LockOn;
  readonly lock: () => void;
  /** The machine is turned off: nothing may be asked any more. Electron tells of it on Linux and macOS. */
  readonly onShutdown: () => void;
  readonly log: Log;
}

/** Locks the wallet when its owner leaves the machine. Call it once Electron is ready. */
export function watchPower({ lockOn, lock, onShutdown, log }: PowerOptions): void {
  const lockBecause = (reason: string): void => {
    log.info('the wallet is locked', { reason });
    lock();
  };
  powerMonitor.on('lock-screen', () => lockOn().screenLock && lockBecause('the screen was locked'));
  powerMonitor.on('suspend', () => lockOn().sleep && lockBecause('the machine goes to sleep'));
  powerMonitor.on('shutdown', onShutdown);
}
