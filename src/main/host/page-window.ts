import { BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import type { Log } from '../../core/ports.ts';
import { SURFACE_URLS, type WindowSurface } from './app-scheme.ts';
import type { IpcCarrier } from './ipc-carrier.ts';

/** What every window of ours is made of. */
export interface WindowParts {
  readonly carrier: IpcCarrier;
  /** Built preload of each surface, absolute. */
  readonly preloads: Readonly<Record<WindowSurface, string>>;
  readonly icon: string;
  readonly log: Log;
}

/** Creates a hidden window for one surface: sandboxed, isolated, admitted to its carrier, loading its one page. */
export function createPageWindow(surface: WindowSurface, { carrier, preloads, icon, log }: WindowParts, options: BrowserWindowConstructorOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...options,
    title: 'Bursar',
    icon,
    show: false,
    webPreferences: {
      preload: preloads[surface],
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      devTools: false,
      spellcheck: false,
    },
  });
  window.removeMenu();
  carrier.admit(window.webContents, surface);
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    log.error('a window crashed', { surface, reason });
    // Not a close by the owner: nothing is rejected.
    window.destroy();
  });
  window.loadURL(SURFACE_URLS[surface]).catch((error: unknown) => {
    if (!window.isDestroyed()) log.error('a window could not load its page', { surface, reason: error instanceof Error ? error.message : String(error) });
  });
  return window;
}
