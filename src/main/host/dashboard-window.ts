import type { BrowserWindow } from 'electron';
import { createPageWindow, type WindowParts } from './page-window.ts';

export interface Dashboard {
  /** Brings it forward. */
  open(): void;
  /** Keeps the window out of screenshots and screen sharing, as far as the system can (not on Linux), or ends that. */
  protectContent(isSecret: boolean): void;
}

/** There is one window; closing it leaves Bursar in the tray. */
export function createDashboard(parts: WindowParts): Dashboard {
  let window: BrowserWindow | undefined;

  const create = (): void => {
    const created = createPageWindow('dashboard', parts, { width: 1080, height: 760, minWidth: 640, minHeight: 480 });
    window = created;
    created.once('ready-to-show', () => created.show());
    created.once('closed', () => (window = undefined));
  };

  return {
    open() {
      if (window === undefined) return create();
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    protectContent: (isSecret) => window?.setContentProtection(isSecret),
  };
}
