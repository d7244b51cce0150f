import { nativeImage, screen, type BrowserWindow } from 'electron';
import type { WindowStateKeeper, WindowState } from './window-state.ts';
import { restoredBounds } from './window-state.ts';
import { createPageWindow, pageUrl, type WindowParts } from './page-window.ts';
import type { PageRecovery } from './page-recovery.ts';

export interface Dashboard {
  /** Brings it forward, on a page of it where one is named (`/history`). */
  open(path?: string): void;
  /** Keeps the window out of screenshots and screen sharing, as far as the system can (not on Linux), or ends that. */
  protectContent(isSecret: boolean): void;
  /** Marks its button in the taskbar of Windows while payments wait; other systems count on the application's icon. */
  markWaiting(count: number): void;
}

export interface DashboardOptions {
  readonly parts: WindowParts;
  /** Where the window was when it was last here. */
  readonly lastState: () => WindowState | undefined;
  readonly keeper: WindowStateKeeper;
  readonly recovery: PageRecovery;
  /** The page crashed so often that it is not opened again by itself. */
  readonly onGivenUp: () => void;
  /** Image of that mark. */
  readonly waitingMark: string;
}

const SIZE = { width: 1080, height: 760 };
const SMALLEST = { minWidth: 640, minHeight: 480 };

/** There is one window; closing it leaves Bursar in the tray. */
export function createDashboard({ parts, lastState, keeper, recovery, onGivenUp, waitingMark }: DashboardOptions): Dashboard {
  let window: BrowserWindow | undefined;
  let isSecret = false;
  let waiting = 0;

  const mark = (): void => {
    if (process.platform === 'win32') window?.setOverlayIcon(waiting > 0 ? nativeImage.createFromPath(waitingMark) : null, waiting > 0 ? `${waiting} waiting` : '');
  };

  const create = (path?: string): void => {
    const state = lastState();
    const bounds = state && restoredBounds(state.bounds, screen.getAllDisplays().map(({ workArea }) => workArea));
    const created = createPageWindow('dashboard', parts, {
      window: { ...SIZE, ...bounds, ...SMALLEST },
      path,
      onCrash: (was) => (recovery.mayReopen() ? create(was) : onGivenUp()),
    });
    window = created;
    if (isSecret) created.setContentProtection(true);
    mark();
    if (bounds && state.maximized) created.maximize();
    const note = (): void => keeper.note({ bounds: created.getNormalBounds(), maximized: created.isMaximized() });
    created.on('resize', note);
    created.on('move', note);
    created.on('close', () => {
      note();
      keeper.flush();
    });
    created.once('ready-to-show', () => created.show());
    created.once('closed', () => {
      if (window === created) window = undefined;
    });
  };

  return {
    open(path) {
      if (window === undefined) return create(path);
      const url = pageUrl('dashboard', path);
      // The same document: only what stands behind the hash changes, and the page keeps what it holds.
      if (path !== undefined && window.webContents.getURL() !== url) window.loadURL(url).catch((error: unknown) => parts.log.warn('a page could not be opened', { path, reason: String(error) }));
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    protectContent(secret) {
      isSecret = secret;
      window?.setContentProtection(secret);
    },
    markWaiting(count) {
      waiting = count;
      mark();
    },
  };
}
